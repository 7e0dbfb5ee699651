// Keeps bench/history.jsonl, one line per landing with the ratios that matter to users, so that slow drifts show.
//   npm run bench -- --history   measures the rows below and appends their line
//   node bench/history.mjs       prints the drift of each row and, last, warnings for the newest line
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import os from "node:os";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("history.jsonl", import.meta.url));
/** Factor by which a row may be worse than on the line before without a warning. */
const tolerance = 1.05;

const chunks = "256 MiB uint16 in 64³ blosc lz4 shuffle chunks";
const copied = "disk to disk, 256 MiB uint16 in 64³ blosc lz4 chunks";
const levels = "viewer, 20,480² uint16 in levels and shards";
const mean = (codec, peer) => `in heap, ${codec}, mean of corpora 4 MiB: wasm over native ${peer}`;

/** Names of rows whose ratio should be high, by the names in the history. */
const high = {
  "native zstd": mean("decode zstd level 3", "libzstd"),
  "native gzip": mean("decode gzip level 5", "libdeflate"),
  "native lz4": mean("decode lz4", "liblz4"),
  "native blosc lz4": mean("decode blosc lz4 shuffle", "c-blosc"),
  "native blosc zstd": mean("decode blosc zstd shuffle", "c-blosc"),
  "native encode zstd": mean("encode zstd level 3", "libzstd"),
  "native encode blosc lz4": mean("encode blosc lz4 shuffle", "c-blosc"),
  "decode zstd": "decode zstd level 3, microscopy 4 MiB, fresh array: zarr-wasm over npm numcodecs",
  "decode gzip": "decode gzip level 5, microscopy 4 MiB, fresh array: zarr-wasm over node:zlib",
  "decode blosc lz4": "decode blosc lz4 shuffle, microscopy 4 MiB, fresh array: zarr-wasm over npm numcodecs",
  getChunk: "getChunk, big-endian, microscopy 4 MiB: zarr-wasm over zarrita",
  "get transposed": "get, transposed chunk, field 128³: zarr-wasm over zarrita",
  "get shards": "get, 32 MiB uint16 in shards of 128³, inner chunks 32³ zstd: zarr-wasm over zarrita",
  "get HTTP lz4": `get, ${chunks} over loopback HTTP: zarr-wasm over zarrita`,
  "get HTTP zstd": `get, ${chunks.replace("lz4", "zstd")} over loopback HTTP: zarr-wasm over zarrita`,
  "pool get": `pool, get, ${chunks} from memory: 2 workers over one thread`,
  "pool get shared": `pool, get, ${chunks} from memory: 2 workers, SharedArrayBuffer over one thread`,
  "pool get HTTP": `pool, get, ${chunks} over loopback HTTP: 2 workers over one thread`,
  "pool set": `pool, set, ${chunks}: 2 workers over one thread`,
  "pool set shards": `pool, set, ${chunks} in shards of 256³: 2 workers over one thread`,
  set: `set, ${chunks}: zarr-wasm over zarrita`,
  "set shards": `set, ${chunks} in shards of 256³: over chunks alone`,
  copy: `copy, ${copied}, as stored: zarr-wasm over zarr-python`,
  "copy rechunked": `copy, ${copied}, rechunked to [32, 256, 256]: zarr-wasm over zarr-python`,
  "copy re-encoded": `copy, ${copied}, re-encoded, blosc lz4 to blosc zstd 1: zarr-wasm over zarr-python`,
};

/** Names of rows whose ratio should be low. */
const low = {
  download: "download, gzip: all that open and get need over npm numcodecs' blosc, lz4 and zstd",
  startup: "startup, import to first decoded chunk of 512 KiB, Node: zarr-wasm over npm zarrita",
  "startup codecs":
    "startup, import to first decoded chunk of 512 KiB, Node: zarr-wasm/codecs over npm numcodecs",
  "viewer first picture": `${levels}, first picture after a cold start: over zarrita with Viv`,
  "viewer all in view": `${levels}, all in view after a cold start: time beside zarrita with Viv`,
  "viewer second visit": `${levels}, second visit with 50 ms latency, first picture: time beside the first visit`,
};

/** The recorded rows, at most 40: name in the history → name of the row. */
export const historyRows = { ...high, ...low };

/** @typedef {{commit: string, date: string, machine: string, ratios: Record<string, number>}} Line */

/** Appends a line with the ratios of a run. */
export function record(rows) {
  const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const found = new Map(rows.map(({ name, ratio }) => [name, ratio]));
  const ratios = Object.entries(historyRows).flatMap(([key, name]) =>
    found.has(name) ? [[key, found.get(name)]] : [],
  );
  const line = {
    commit: git("rev-parse", "--short=8", "HEAD") + (git("status", "--porcelain") === "" ? "" : "+"),
    date: new Date().toISOString().slice(0, 10),
    machine: `${os.availableParallelism()} × ${os.cpus()[0].model}`,
    ratios: Object.fromEntries(ratios),
  };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** @returns {Line[]} */
export function readHistory() {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(JSON.parse) : [];
}

/**
 * Compares the newest line with earlier ones of the same machine: ratios of machines differ.
 * @param {Line[]} history
 * @returns {{key: string, values: number[], worse: number}[]} values of each row, and the factor by which the newest
 *   is worse than the one before
 */
export function driftOf(history) {
  const newest = history.at(-1);
  const lines = history.filter(({ machine }) => machine === newest.machine);
  return Object.keys(newest?.ratios ?? {}).map((key) => {
    const values = lines.map(({ ratios }) => ratios[key]).filter((value) => value !== undefined);
    const [before, now] = [values.at(-2) ?? values.at(-1), values.at(-1)];
    return { key, values, worse: key in low ? now / before : before / now };
  });
}

/** Returns a warning for each row that is worse than before by more than the tolerance. */
export function warningsOf(history) {
  return driftOf(history)
    .filter(({ worse }) => worse > tolerance)
    .map(({ key, values, worse }) => {
      const [before, now] = values.slice(-2);
      return `warning: bench/history.jsonl: ${key}: ${now} after ${before}, ${Math.round(100 * (worse - 1))} % worse`;
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const history = readHistory();
  if (!process.argv.includes("--warnings"))
    for (const { key, values } of driftOf(history)) console.log(`${key.padEnd(24)} ${values.join(" → ")}`);
  for (const warning of warningsOf(history)) console.log(warning);
}
