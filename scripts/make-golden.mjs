// Makes tests/golden/<group>.jsonl from a folder of fixtures that other implementations wrote:
//   node scripts/make-golden.mjs ../shared/fixtures v1
//   node scripts/make-golden.mjs ../shared/fixtures v3 distinct     only the smallest store per codec chain
//   node scripts/make-golden.mjs ../shared/fixtures pcodec distinct     also one per encoding inside pcodec's chunks
// One line per store: its name, writer, every key with its bytes (text if it is valid text), and the SHA-256 of the
// expected elements (C order, little-endian); for data of variable length the values. Large stores are skipped.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./lib/paths.mjs";

/** Folders of files that other projects publish, under their own terms. */
const published = "public";
const [fixtures, group, choice] = process.argv.slice(2);
/** pcodec has many encodings, which small stores cover as well. */
const maxStoreBytes = group === "pcodec" ? 7_000 : 24_000;
if (!fixtures || !group) throw new Error("usage: make-golden.mjs FIXTURES GROUP [distinct]");

function casesIn(dir) {
  if (existsSync(path.join(dir, "expected.json"))) return [dir];
  const folders = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map((entry) => entry.name)
    .filter((name) => name !== published)
    .sort()
    .flatMap((name) => casesIn(path.join(dir, name)));
}

function keysOf(store) {
  const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
  return Object.fromEntries(
    paths.map((file) => [path.relative(store, file).split(path.sep).join("/"), contentOf(file)]),
  );
}

/** Text if it round-trips as UTF-8, else base64. */
function contentOf(file) {
  const bytes = readFileSync(file);
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text).equals(bytes) && !/[^\t\n\r\x20-\uffff]/.test(text);
  return isText ? text : { b64: bytes.toString("base64") };
}

/** One JSON value per line. */
function valuesIn(file) {
  const texts = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return texts.map((text) => JSON.parse(text));
}

const lines = casesIn(path.join(fixtures, group)).flatMap((dir) => {
  const expected = JSON.parse(readFileSync(path.join(dir, "expected.json"), "utf8"));
  const store = path.join(dir, expected.store ?? "store.zarr");
  if (expected.arrays || !existsSync(store) || store.endsWith(".zip")) return [];
  const { sha256, alt_sha256_if_meta_order_F_trusted: spec, shape, dtype, writer } = expected;
  const line = { name: path.relative(fixtures, dir), writer, shape, dtype, store: keysOf(store) };
  if (expected.path) line.path = expected.path;
  // Zarr v1, order F, not blosc: expected elements by the specification, and as zarr-python 1.x wrote them.
  if (spec) Object.assign(line, { sha256: spec, writerOrderSha256: sha256 });
  else if (expected.expected?.endsWith(".jsonl")) line.values = valuesIn(path.join(dir, expected.expected));
  else line.sha256 = sha256;
  const text = JSON.stringify(line);
  return text.length > 1.4 * maxStoreBytes ? [] : [{ text, encoding: encodingOf(expected) }];
});

/** Encodings of numbers inside the chunks of pcodec, which its configuration does not name. */
function encodingOf({ features = [] }) {
  return features.filter((feature) => /^(mode\+delta|number|standalone):/.test(feature)).join(" ");
}

/** Key that distinguishes chains: the codecs, and the options that change the structure of their bytes. */
function chainOf({ text, encoding }) {
  const { store } = JSON.parse(text);
  const document = store["zarr.json"] ?? store[".zarray"] ?? "{}";
  const { codecs, compressor, filters } = JSON.parse(
    document.replace(/(?<=[\s:[])-?(NaN|Infinity)(?=[\s,\]}])/g, "null"),
  );
  const telling = new Set([
    ...["name", "id", "codecs", "index_codecs", "index_location"],
    ...(encoding ? [] : ["configuration", "cname", "shuffle", "checksum", "format", "check", "mode"]),
  ]);
  return JSON.stringify([encoding, codecs, compressor, filters], (key, value) =>
    key === "" || /^\d+$/.test(key) || telling.has(key) ? value : undefined,
  );
}

function smallestOfEach(all) {
  const smallest = new Map();
  for (const line of all) {
    const chain = chainOf(line);
    if (line.text.length < (smallest.get(chain)?.text.length ?? Number.POSITIVE_INFINITY))
      smallest.set(chain, line);
  }
  return [...smallest.values()];
}

const chosen = choice === "distinct" ? smallestOfEach(lines) : lines;
writeFileSync(
  path.join(root, "tests/golden", `${group}.jsonl`),
  `${chosen.map(({ text }) => text).join("\n")}\n`,
);
console.log(`${chosen.length} stores`);
