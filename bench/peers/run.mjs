// Compares zarrita and zarr-wasm on stores that are easy to read incorrectly:
//   node bench/peers/run.mjs [TEXT]
// With --write, replaces the table in docs/peers.md.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { chainCases } from "./cases/chains.mjs";
import { hostileCases } from "./cases/hostile.mjs";
import { runCases } from "./cases/runs.mjs";
import { shardingCases } from "./cases/sharding.mjs";
import { fillCases, metadataCases, typeCases } from "./cases/types.mjs";
import { readers } from "./readers.mjs";

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {unknown[] | "error"} right the values in C order, or "error" if reading must fail.
 * @property {() => object | Promise<object>} [store] a store to read whole.
 * @property {(library: string) => Promise<unknown[]>} [run] or a custom read.
 * @property {(values: unknown[]) => boolean | undefined} [same] accepts another form of the values.
 * @property {() => boolean} [when] whether the case applies to this engine.
 */

/** @type {Record<string, Case[]>} */
const groups = {
  Shards: shardingCases,
  Codecs: chainCases,
  "Fill values": fillCases,
  "Data types": typeCases,
  Metadata: metadataCases,
  Reading: runCases,
  "Damaged and hostile": hostileCases,
};

const maxText = 46;
const libraries = Object.keys(readers);

const show = (value) => (value instanceof Uint8Array ? `[${value.join(" ")}]` : String(value));
const cut = (text) => {
  const line = text.replace(/\s+/g, " ").replaceAll("|", "\\|");
  return line.length > maxText ? `${line.slice(0, maxText - 1)}…` : line;
};
const list = (values) => cut(values.slice(0, 12).map(show).join(" ") + (values.length > 12 ? " …" : ""));

function isRight({ right, same }, values) {
  if (right === "error") return false;
  const equal =
    values.length === right.length && values.every((value, i) => Object.is(plain(value), plain(right[i])));
  return equal || same?.(values) === true;
}

const plain = (value) =>
  typeof value === "boolean" ? Number(value) : value instanceof Uint8Array ? value.join() : value;

/** Runs a case with a library: whether the result is right, and a cell of the table. */
async function attempt(entry, library) {
  try {
    const values = entry.run ? await entry.run(library) : await readers[library](await entry.store());
    if (isRight(entry, values)) return { verdict: "right", cell: "right" };
    return { verdict: "wrong", cell: `**wrong**: ${list(values)}` };
  } catch (error) {
    const { name, message } = rootOf(error);
    if (entry.right === "error") return { verdict: "right", cell: "right: error" };
    return { verdict: "error", cell: `error: ${cut(`${name}: ${message}`)}` };
  }
}

/** zarrita wraps codec errors. */
const rootOf = (error) =>
  error?.name === "CodecPipelineError" && error.cause instanceof Error ? error.cause : error;

function rowsOf(text) {
  const wanted = ([title, cases]) => cases.map((entry) => ({ ...entry, title }));
  return Object.entries(groups)
    .flatMap(wanted)
    .filter(({ name, when }) => name.includes(text) && when?.() !== false);
}

const version = (name) =>
  JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8"))
    .version;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false } },
});
const counts = Object.fromEntries(libraries.map((library) => [library, { right: 0, wrong: 0, error: 0 }]));
const lines = [];
const print = (line) => {
  lines.push(line);
  console.log(line);
};

print(`| case | right | zarrita ${version("zarrita")}, numcodecs ${version("numcodecs")} | zarr-wasm |`);
print("|---|---|---|---|");
for (const entry of rowsOf(positionals[0] ?? "")) {
  const results = [];
  for (const library of libraries) {
    const { verdict, cell } = await attempt(entry, library);
    counts[library][verdict]++;
    results.push(cell);
  }
  const right = entry.right === "error" ? "error" : list(entry.right);
  print(`| ${entry.name.replaceAll("|", "\\|")} | ${right} | ${results.join(" | ")} |`);
}
print("");
for (const [library, { right, wrong, error }] of Object.entries(counts)) {
  print(`- ${library}: ${right} right, ${wrong} wrong without an error, ${error} errors`);
}
if (flags.write) {
  const file = new URL("../../docs/peers.md", import.meta.url);
  const [introduction] = readFileSync(file, "utf8").split("| case |");
  writeFileSync(file, `${introduction}${lines.join("\n")}\n`);
}
