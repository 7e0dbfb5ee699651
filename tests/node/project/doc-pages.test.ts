// The documentation apart from programs and commands: links, anchors, pages in HTML, documents in JSON.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { packages } from "../../../scripts/lib/packages.mjs";
import { isShown } from "../../../scripts/lib/site.mjs";
import { documents, isNotRun, root, samples, textOf } from "../support/doc-samples.js";

/** A document's text without code blocks and code spans. */
const proseOf = (file: string) =>
  textOf(file)
    .replaceAll(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, "")
    .replaceAll(/`[^`\n]+`/g, (span) => "x".repeat(span.length));

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const headings = [
    ...textOf(file)
      .replaceAll(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, "")
      .matchAll(/^#+ (.+)$/gm),
  ];
  const counts = new Map<string, number>();
  return headings.map(([, heading]) => {
    const plain = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
    const anchor = plain
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

const linksOf = (file: string) =>
  [...proseOf(file).matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map(([, link]) => link!);

describe("links", () => {
  it.each(documents)("of %s lead somewhere", (file) => {
    const wrong = linksOf(file).filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false;
      const [place, anchor] = link.split("#");
      const target = place ? path.posix.join(path.posix.dirname(file), place) : file;
      if (!existsSync(path.join(root, target))) return true;
      return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).includes(anchor);
    });
    expect(wrong).toEqual([]);
  });

  it("to files of the checkout have a page of the site, or a form that it serves", () => {
    const targets = documents.flatMap((file) =>
      linksOf(file)
        .filter((link) => !/^(\w+:|#)/.test(link))
        .map((link) => path.posix.join(path.posix.dirname(file), link.split("#")[0]!)),
    );
    const files = targets.filter((file) => statSync(path.join(root, file)).isFile() && !file.endsWith(".md"));
    expect(files.filter((file) => !isShown(file) && !/\.(json|png|svg|webp)$/.test(file))).toEqual([]);
  });

  it("of docs/README.md name every page of docs", () => {
    const linked = new Set(
      linksOf("docs/README.md").map((link) => path.posix.join("docs", link.split("#")[0]!)),
    );
    const pages = documents.filter((file) => /^docs\/[^/]+\.md$/.test(file) && file !== "docs/README.md");
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });
});

it("the README is about a screen", () => {
  const text = textOf("README.md");
  expect(text.split("\n").length).toBeLessThan(110);
  expect(text.match(/!\[/g)).toHaveLength(2);
  expect(readFileSync(path.join(root, "docs/pictures/viewer.webp")).length).toBeLessThan(150 * 1024);
});

it("docs/view.md and the notices list the viewer's colour maps", () => {
  const source = readFileSync(path.join(root, "web/viewer/base/colormaps.ts"), "utf8");
  const [, list] = /colormapKinds = \{\n([\s\S]*?)\n\} as const/.exec(source) ?? [];
  const names = [...list!.matchAll(/"(\w+)"/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(60);
  const [, section = ""] = textOf("docs/view.md").split("## Colour maps");
  const listed = [...section.split("\n\n")[2]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  const others = new Set(["center", "labels"]);
  expect(listed.filter((name) => !others.has(name)).sort()).toEqual([...names].sort());
  const notices = textOf("THIRD_PARTY_NOTICES.md");
  // A straight line from black to white has no author.
  for (const name of names)
    expect(name === "gray" || new RegExp(`\\b${name}\\b`).test(notices), name).toBe(true);
});

it("docs/bundlers.md lists the entries of the packages, with an import map of those for pages", () => {
  type Targets = { default?: string };
  const entries = ["package.json", "web/viewer/package.json"].flatMap((file) => {
    const { name, exports } = JSON.parse(textOf(file)) as { name: string; exports: Record<string, Targets> };
    return Object.entries(exports).map(
      ([subpath, target]) => [name, name + subpath.slice(1), target] as const,
    );
  });
  const [, section = ""] = textOf("docs/bundlers.md").split("## Package entries\n");
  const listed = [...section.split("```html")[0]!.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(entries.map(([, name]) => name));
  const [, map = ""] = /<script type="importmap">([\s\S]*?)<\/script>/.exec(section) ?? [];
  const ofPages = entries.filter(
    ([, name, target]) => target.default?.endsWith(".js") && name !== "zarr-wasm/node",
  );
  expect(JSON.parse(map)).toEqual({
    imports: Object.fromEntries(
      ofPages.map(([of, name, target]) => [name, `/node_modules/${of}${target.default!.slice(1)}`]),
    ),
  });
});

describe("samples", () => {
  const of = (language: string) =>
    samples
      .filter((sample) => sample.language === language && !isNotRun(sample))
      .map((sample) => [`${sample.file}:${sample.line}`, sample] as const);

  it.each(of("json"))("%s is JSON", (_place, { text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it.each(of("html"))(
    "%s loads files of the package, and sets attributes that the viewer has",
    (_place, { text }) => {
      const scripts = [
        ...text.matchAll(/src="https:\/\/cdn\.jsdelivr\.net\/npm\/(zarr-wasm(?:-viewer)?)\/([^"]+)"/g),
      ];
      expect(scripts.length).toBeGreaterThan(0);
      for (const [, name, file] of scripts)
        expect(existsSync(path.join(packages[name as keyof typeof packages], file!)), file).toBe(true);
      const guide = textOf("docs/viewer.md");
      for (const [, attributes] of text.matchAll(/<zarr-viewer([^>]*)>/g))
        for (const [, name] of attributes!.matchAll(/\s([a-z]+)=/g)) expect(guide).toContain(`\`${name}\``);
    },
  );

  it.each(of("css"))("%s names variables of the viewer's", (_place, { text }) => {
    const style = readFileSync(path.join(root, "web/viewer/dist/style.css"), "utf8");
    for (const [name] of text.matchAll(/--zw-[a-z-]+/g)) expect(style).toContain(name);
  });

  // `npm run test:compat -- cpp` covers the docs of the C++ library.
  const ofGuide = of("cpp").filter(([, { file }]) => file === "docs/adding-a-codec.md");
  it.each(ofGuide)("%s is in the sources", (_place, { text }) => {
    expect(readFileSync(path.join(root, "src/codecs/lz4.cpp"), "utf8")).toContain(text.trim());
  });
});
