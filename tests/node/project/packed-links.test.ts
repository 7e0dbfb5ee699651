// Markdown in the packed archive has no dead links: scripts/pack.mjs rewrites them.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installArchives } from "../../../scripts/lib/packages.mjs";
import { deadLinks, withPackedLinks } from "../../../scripts/lib/packed-links.mjs";
import { moveBundled } from "../../../scripts/lib/viewer.mjs";
import { root, textOf } from "../support/doc-samples.js";

const { repository } = JSON.parse(textOf("package.json")) as { repository?: unknown };

mkdirSync(path.join(root, "build/tmp"), { recursive: true });
const folder = mkdtempSync(path.join(root, "build/tmp/packed-"));
const unpacked = path.join(folder, "package");

beforeAll(() => {
  const archives = execFileSync(process.execPath, ["scripts/pack.mjs", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [library, viewer] = archives.trim().split("\n");
  installArchives(folder, { package: library!, viewer: viewer! });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)/g)].map(([, link]) => link!);

describe.each(["README.md", "CHANGELOG.md", "SECURITY.md", "THIRD_PARTY_NOTICES.md", "../viewer/README.md"])(
  "the packed %s",
  (file) => {
    it("links to addresses and to files of the package", () => {
      const links = linksIn(readFileSync(path.join(unpacked, file), "utf8"));
      const relative = links.filter((link) => !/^(https?:|mailto:|#)/.test(link));
      const place = path.dirname(path.join(unpacked, file));
      expect(relative.filter((link) => !existsSync(path.join(place, link.split("#")[0]!)))).toEqual([]);
      if (repository) expect(relative).toEqual([]);
    });
  },
);

it("npm pack finds no dead link in README.md and its like, and ships docs with pictures of at most 100 KB", () => {
  execFileSync(process.execPath, ["scripts/pack.mjs", "--check"], { cwd: root, stdio: "ignore" });
  const docs = path.join(unpacked, "docs");
  expect(existsSync(path.join(docs, "reading.md"))).toBe(true);
  for (const file of readdirSync(docs, { recursive: true, encoding: "utf8" }))
    if (!file.endsWith(".md")) expect(statSync(path.join(docs, file)).size).toBeLessThanOrEqual(100 * 1024);
});

describe("relative links of Markdown in the package", () => {
  const text = "![a chart](docs/a.svg)\n\nSee [the `guide`](docs/start.md#write) and [the licence](LICENSE).";
  const files = ["LICENSE"];

  it("become absolute with the repository of package.json", () => {
    const address = "https://example.org/owner/name";
    expect(withPackedLinks("README.md", text, { repository: { url: `git+${address}.git` }, files })).toBe(
      `![a chart](${address}/raw/HEAD/docs/a.svg)\n\nSee [the \`guide\`](${address}/blob/HEAD/docs/start.md#write) and [the licence](${address}/blob/HEAD/LICENSE).`,
    );
  });

  it("that lead outside the package are dead", () => {
    expect(deadLinks("README.md", text, files)).toEqual(["docs/a.svg", "docs/start.md#write"]);
    expect(deadLinks("docs/start.md", "[a](../LICENSE#b) [c](#d) [e](https://example.org)", files)).toEqual(
      [],
    );
  });

  it("without it lead to files of the package, or become text", () => {
    expect(withPackedLinks("README.md", text, { files })).toBe("See the `guide` and [the licence](LICENSE).");
  });
});

it("a second build of npm start leaves no file of the first in the package", () => {
  const [out, before] = [path.join(folder, "built"), path.join(folder, "before")];
  mkdirSync(out);
  for (const name of ["open-AbC123xy.js", "page.min.js", "viewer.js"])
    writeFileSync(path.join(out, name), "");
  moveBundled(out, before);
  expect(readdirSync(out).sort()).toEqual(["page.min.js", "viewer.js"]);
  expect(readdirSync(before)).toEqual(["open-AbC123xy.js"]);
});
