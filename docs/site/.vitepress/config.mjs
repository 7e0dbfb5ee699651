// The documentation site. Its pages are made by scripts/lib/site.mjs from docs/*.md; npm run docs builds it.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitepress";
import { contents, linkOf, pagesDir, siteOutput } from "../../../scripts/lib/site.mjs";
import { liveExamples, plainEmptyHeads } from "./markdown.mjs";

const { version, description } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
);

const guides = contents().map(({ title, items }) => ({
  text: title,
  items: items.map(({ text, file }) => {
    const [page, anchor] = file.split("#");
    return { text, link: linkOf(page) + (anchor ? `#${anchor}` : "") };
  }),
}));

/** Pages of codecs by name, as they lie in docs/codecs. */
function codecPages() {
  const table = readFileSync(path.join(pagesDir, "codecs/index.md"), "utf8");
  const names = [...table.matchAll(/^\| \[[^\]]+\]\(([\w.-]+)\.md\)/gm)].map(([, name]) => name);
  return [...new Set(names)].sort().map((name) => ({ text: name, link: `/codecs/${name}` }));
}

/** TypeDoc's pages of the entries, if it has been run. */
function reference() {
  const file = path.join(pagesDir, "api/typedoc-sidebar.json");
  if (!existsSync(file)) return [];
  const named = (items) =>
    items.map(({ text, items: below, ...rest }) => ({
      text,
      ...rest,
      ...(below && { collapsed: true, items: named(below) }),
    }));
  return named(JSON.parse(readFileSync(file, "utf8")));
}

/** The anchors of headings as GitHub makes them, so that links between pages hold in both places. */
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

export default defineConfig({
  title: "zarr-wasm",
  description,
  lang: "en",
  base: process.env.ZARR_WASM_SITE_BASE ?? "/",
  srcDir: pagesDir,
  outDir: siteOutput,
  cacheDir: path.join(siteOutput, "../cache"),
  metaChunk: true,
  head: [
    [
      "link",
      { rel: "icon", type: "image/svg+xml", href: `${process.env.ZARR_WASM_SITE_BASE ?? "/"}icon.svg` },
    ],
  ],
  markdown: {
    anchor: { slugify },
    // Both themes for code have enough contrast for WCAG's AA.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (md) => {
      liveExamples(md);
      plainEmptyHeads(md);
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "zarr-viewer" } } },
  vite: {
    build: { chunkSizeWarningLimit: 4096 },
    server: { fs: { allow: [path.resolve(import.meta.dirname, "../../..")] } },
  },
  themeConfig: {
    logo: "/icon.svg",
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            fuzzy: 0.2,
            prefix: true,
            boost: { title: 4, text: 2, titles: 1 },
            // Guides before the pages of the API and of files. This function is sent to the browser as text.
            boostDocument: (id) => (/\/(api|source|changelog|third_party_notices)\b/.test(id) ? 0.2 : 1),
          },
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start" },
      { text: "Try it", link: "/live" },
      { text: "Guides", link: "/contents" },
      { text: "Codecs", link: "/codecs/" },
      { text: "API", link: "/api/" },
      { text: version, link: "/changelog" },
    ],
    sidebar: {
      "/api/": [{ text: "API", link: "/api/", items: reference() }],
      "/codecs/": [{ text: "Codecs", link: "/codecs/", items: codecPages() }, ...guides],
      "/": guides,
    },
    footer: { message: "MIT licence" },
  },
});
