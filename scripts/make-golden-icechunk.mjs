// Makes tests/golden/icechunk.jsonl from a folder of fixtures that Icechunk's own implementation wrote:
//   node scripts/make-golden-icechunk.mjs ../shared/fixtures/icechunk
// One line per small repository: every key with its bytes in base64 (except keys that readers do not need), the files
// of virtual chunks, and for each array how to open it and the SHA-256 of its elements, or that it must be refused.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./lib/paths.mjs";

const maxBytes = 10_000;
/** Large repositories that are needed, because no smaller one covers the same feature. */
const kept = "zstd-dictionary";
const [fixtures] = process.argv.slice(2);
if (!fixtures) throw new Error("usage: make-golden-icechunk.mjs FIXTURES");

/** Files below a folder, by their key. */
function filesIn(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return {};
  }
  const files = entries.filter((entry) => entry.isFile());
  const keyed = files.map((entry) => {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    return [
      `/${path.relative(folder, file).split(path.sep).join("/")}`,
      readFileSync(file).toString("base64"),
    ];
  });
  return Object.fromEntries(keyed.filter(([key]) => !/^\/(transactions|overwritten)\//.test(key)).sort());
}

const lines = readdirSync(fixtures).flatMap((name) => {
  // Upstream's own test data are not copied; checks of files elsewhere need a server.
  if (name.startsWith("upstream") || !/^v[12]-/.test(name)) return [];
  const expected = JSON.parse(readFileSync(path.join(fixtures, name, "expected.json"), "utf8"));
  if (expected.serve) return [];
  const arrays = expected.arrays.filter(({ args = [] }) => !args.includes("--select"));
  const line = JSON.stringify({
    name,
    writer: expected.writer,
    repo: filesIn(path.join(fixtures, name, expected.store)),
    source: filesIn(path.join(fixtures, name, "source")),
    arrays: arrays.map(({ path, args, sha256, must }) => ({ path, args, sha256, must })),
  });
  return line.length > maxBytes * (4 / 3) && !expected.features.includes(kept) ? [] : [line];
});
writeFileSync(path.join(root, "tests/golden/icechunk.jsonl"), `${lines.join("\n")}\n`);
console.log(`${lines.length} repositories`);
