// Makes the pages of the documentation site from docs/*.md and the other Markdown files of the checkout.
//
// Pages have the same paths as in docs/; others get their own names (SECURITY.md becomes security.md). A link target
// that is not a page becomes one: a file of the checkout with its text, a folder with its list of files. So every link
// works on the site as it does in the repository. VitePress checks them all, and fails for dead links.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { buildDir, distDir, root, viewerDist } from "./paths.mjs";
import { SetupError } from "./process.mjs";

export const siteDir = path.join(root, "docs/site");
/** Input of VitePress. */
export const pagesDir = path.join(buildDir, "site/pages");
/** Output of VitePress. */
export const siteOutput = path.join(buildDir, "site/dist");

const posix = path.posix;

/** Pages that exist even if no other page links to them. */
const startPages = [
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "CODE_OF_CONDUCT.md",
  "SECURITY.md",
  "THIRD_PARTY_NOTICES.md",
];

/** Maximum size of a file that is shown as a page, in bytes; larger ones are downloads. */
const maxShown = 64 * 1024;

/** Markdown files below docs, relative to the checkout. */
export function documents() {
  return readdirSync(path.join(root, "docs"), { recursive: true })
    .map((name) => posix.join("docs", name.replaceAll(path.sep, "/")))
    .filter((name) => name.endsWith(".md") && !name.startsWith("docs/site/"));
}

/** Path of a Markdown file's page: "docs/codecs/README.md" is codecs/index.md, "SECURITY.md" security.md. */
export function pageOf(file) {
  const below = file.replace(/^docs\//, "");
  if (below === file)
    return posix.join(
      posix.dirname(file),
      posix
        .basename(file)
        .toLowerCase()
        .replace(/^readme\.md$/, "index.md"),
    );
  if (below === "README.md") return "contents.md";
  return below.replace(/(^|\/)README\.md$/, "$1index.md");
}

/** The URL of a Markdown file's page, from the site's root: "/codecs/" for "docs/codecs/README.md". */
export const linkOf = (file) =>
  `/${pageOf(file)
    .replace(/(^|\/)index\.md$/, "$1")
    .replace(/\.md$/, "")}`;

/** Files of the checkout that become pages with their text: "examples/s3.mjs" is source/examples/s3-mjs.md. */
const sourcePage = (file) => `source/${file.replace(/\/$/, "").replaceAll(".", "-")}.md`;

/** Calls `change` for every link and image outside code in a Markdown string. */
export function mapLinks(text, change) {
  const pieces = joined(text).split(/(^ *```[\s\S]*?^ *```$|`[^`\n]*`)/m);
  const changed = pieces.map((piece, i) =>
    i % 2 === 1
      ? piece
      : piece.replace(
          /(!?\[[^\]]*\]\()([^)\s]+)((?:\s+"[^"]*")?\))/g,
          (_, start, target, end) => start + change(target, start.startsWith("!")) + end,
        ),
  );
  return parted(changed.join(""));
}

/** Labels with code spans, `[the `text`](target)`, would be split at their backticks: this replaces them first. */
const joined = (text) => text.replace(/\[[^\]\n]*`[^\]\n]*\]\(/g, (label) => label.replaceAll("`", "\u0001"));
const parted = (text) => text.replaceAll("\u0001", "`");

/** The staged pages: their paths, and the files copied beside them. */
class Stage {
  #queue = [];
  #seen = new Set();

  /**
   * Adds a file or a folder of the checkout. @returns the path of its page, or of the file itself, from the site's
   * root.
   */
  add(file) {
    const isFolder = statSync(path.join(root, file)).isDirectory();
    const name = isFolder ? `${file.replace(/\/$/, "")}/` : file;
    if (!this.#seen.has(name)) {
      this.#seen.add(name);
      this.#queue.push(name);
    }
    if (isFolder) return { page: sourcePage(name) };
    if (file.endsWith(".md")) return { page: pageOf(file) };
    return isShown(file) ? { page: sourcePage(file) } : { asset: `files/${file}` };
  }

  run() {
    for (const file of this.#queue) this.#write(file);
  }

  #write(file) {
    if (file.endsWith("/")) return write(sourcePage(file), this.#folder(file));
    if (file.endsWith(".md")) return write(pageOf(file), this.#page(file));
    if (isShown(file)) return write(sourcePage(file), `# ${posix.basename(file)}\n\n${fence(file)}`);
    copy(file, `public/files/${file}`);
  }

  #page(file) {
    const from = pageOf(file);
    const change = (target, isImage) => {
      if (/^(\w+:|#|\/\/)/.test(target)) return target;
      const [place, anchor = ""] = target.split("#");
      const to = posix.normalize(posix.join(posix.dirname(file), decodeURI(place)));
      if (to.startsWith("..") || !existsSync(path.join(root, to))) return target; // VitePress reports the dead link
      if (isImage) {
        const image = posix.join(posix.dirname(from), "pictures", posix.basename(to));
        copy(to, image);
        return `./${posix.relative(posix.dirname(from), image)}`;
      }
      const { page, asset } = this.add(to);
      if (asset) return `/${asset}`;
      const link = posix.relative(posix.dirname(from), page);
      return anchor ? `${link}#${anchor}` : link;
    };
    return mapLinks(readFileSync(path.join(root, file), "utf8"), change);
  }

  #folder(folder) {
    const files = readdirSync(path.join(root, folder), { withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const parts = files
      .map(({ name }) => posix.join(folder, name))
      .filter(isShown)
      .map((file) => `## ${posix.basename(file)}\n\n${fence(file)}`);
    return `# ${folder}\n\n${parts.join("\n")}`;
  }
}

const languages = {
  mjs: "js",
  js: "js",
  jsx: "jsx",
  ts: "ts",
  tsx: "tsx",
  html: "html",
  vue: "vue",
  svelte: "svelte",
  py: "python",
  json: "json",
  sh: "sh",
  md: "md",
  yaml: "yaml",
  css: "css",
  cpp: "cpp",
  hpp: "cpp",
  inc: "cpp",
};

const languageOf = (file) => languages[posix.extname(file).slice(1)] ?? "txt";

/** Whether a file of the checkout becomes a page with its text. */
export function isShown(file) {
  const isText = posix.extname(file).slice(1) in languages || !posix.basename(file).includes(".");
  return isText && statSync(path.join(root, file)).size <= maxShown;
}

function fence(file) {
  return `\`\`\`\`${languageOf(file)}\n${readFileSync(path.join(root, file), "utf8").trimEnd()}\n\`\`\`\`\n`;
}

/** Writes a page if it differs: VitePress in dev mode reloads every changed file. */
function write(page, text) {
  const file = path.join(pagesDir, page);
  mkdirSync(path.dirname(file), { recursive: true });
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

function copy(from, to) {
  cpSync(path.join(root, from), path.join(pagesDir, to), { recursive: true });
}

/** Writes all pages except those of the API, which scripts/docs.mjs makes with TypeDoc. */
export function stagePages() {
  const stage = new Stage();
  for (const file of [...documents(), ...startPages.filter((name) => existsSync(path.join(root, name)))])
    stage.add(file);
  stage.run();
  copy("docs/site/pages", ".");
}

/** Copies other files that the site serves: the built library, sample stores, the viewer's icon. */
export function stageAssets() {
  if (!existsSync(path.join(distDir, "index.js"))) throw new SetupError("dist is not built: npm run build");
  const lib = path.join(pagesDir, "public/lib");
  rmSync(lib, { recursive: true, force: true });
  const isLeftOut = (name) => /^(cli|bundle|types)([\\/]|$)/.test(name) || /\.(map|d\.ts)$/.test(name);
  cpSync(distDir, lib, { recursive: true, filter: (file) => !isLeftOut(path.relative(distDir, file)) });
  cpSync(viewerDist, path.join(lib, "viewer"), { recursive: true });
  for (const name of ["field", "image", "volume"])
    copy(`examples/${name}.zarr`, `public/samples/${name}.zarr`);
  copy("web/viewer/page/icon.svg", "public/icon.svg");
  copy("docs/pictures/viewer.webp", "public/viewer.webp");
  write("public/llms.txt", llmsIndex());
}

/** The list of pages in docs/README.md: each heading with its links. It is also the site's sidebar. */
export function contents() {
  const text = readFileSync(path.join(root, "docs/README.md"), "utf8");
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const title = part.slice(0, part.indexOf("\n")).trim();
      const links = [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)];
      const items = links.map(([, label, target]) => ({
        text: label,
        file: posix.normalize(posix.join("docs", target)),
      }));
      return { title, items };
    })
    .filter(({ items }) => items.length > 0);
}

/** The index for language models (llmstxt.org): the pages of docs/README.md, each with its first sentence. */
export function llmsIndex(base = process.env.ZARR_WASM_SITE_BASE ?? "/") {
  const { description } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const sections = contents().map(({ title, items }) => {
    const lines = items.map(({ text, file }) => {
      const [page, anchor] = file.split("#");
      const link = linkOf(page).replace(/([^/])$/, "$1.html") + (anchor ? `#${anchor}` : "");
      const sentence = anchor ? undefined : firstSentence(page);
      return `- [${text}](${base.replace(/\/$/, "")}${link})${sentence ? `: ${sentence}` : ""}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `# zarr-wasm\n\n> ${description}\n\n${sections.join("\n")}`;
}

/** The first sentence of a page, without links; undefined if the page begins otherwise. */
function firstSentence(file) {
  const text = readFileSync(path.join(root, file), "utf8").replaceAll(/<!--[\s\S]*?-->/g, "");
  const paragraph = text.split(/\n{2,}/).find((part) => /^[A-Z`]/.test(part.trim()));
  const plain = paragraph?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/\s+/g, " ");
  return /^.*?[.:](?= |$)/.exec(plain?.trim() ?? "")?.[0].replace(/:$/, ".");
}
