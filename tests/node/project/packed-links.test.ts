// Markdown in the packed archive has no dead links: scripts/pack.mjs rewrites them.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withPackedLinks } from "../../../scripts/lib/packed-links.mjs";
import { root, textOf } from "../support/doc-samples.js";

const { repository } = JSON.parse(textOf("package.json")) as { repository?: unknown };

mkdirSync(path.join(root, "build/tmp"), { recursive: true });
const folder = mkdtempSync(path.join(root, "build/tmp/packed-"));
const unpacked = path.join(folder, "package");

beforeAll(() => {
  const archive = execFileSync(process.execPath, ["scripts/pack.mjs", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  execFileSync("tar", ["-xzf", archive.trim(), "-C", folder]);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)/g)].map(([, link]) => link!);

describe.each(["README.md", "CHANGELOG.md", "SECURITY.md", "THIRD_PARTY_NOTICES.md"])(
  "the packed %s",
  (file) => {
    it("links to addresses and to files of the package", () => {
      const links = linksIn(readFileSync(path.join(unpacked, file), "utf8"));
      const relative = links.filter((link) => !/^(https?:|mailto:|#)/.test(link));
      expect(relative.filter((link) => !existsSync(path.join(unpacked, link.split("#")[0]!)))).toEqual([]);
      if (repository) expect(relative).toEqual([]);
    });
  },
);

describe("relative links of Markdown in the package", () => {
  const text = "![a chart](docs/a.svg)\n\nSee [the `guide`](docs/start.md#write) and [the licence](LICENSE).";
  const files = ["LICENSE"];

  it("become absolute with the repository of package.json", () => {
    const address = "https://example.org/owner/name";
    expect(withPackedLinks("README.md", text, { repository: { url: `git+${address}.git` }, files })).toBe(
      `![a chart](${address}/raw/HEAD/docs/a.svg)\n\nSee [the \`guide\`](${address}/blob/HEAD/docs/start.md#write) and [the licence](${address}/blob/HEAD/LICENSE).`,
    );
  });

  it("without it lead to files of the package, or become text", () => {
    expect(withPackedLinks("README.md", text, { files })).toBe("See the `guide` and [the licence](LICENSE).");
  });
});
