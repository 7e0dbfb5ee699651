// Reads whole arrays, over HTTP from a server in a separate process and from memory: one thread over zarrita,
// workers over one thread.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { get, open, WorkerPool } from "zarr-wasm";
import * as zarrita from "zarrita";
import { codecOf } from "../codecs.mjs";
import { bestOfCalls, speedRow } from "../measure.mjs";
import { encodedChunks, metadataOf, repeatingStore } from "../stores.mjs";

const serverScript = fileURLToPath(new URL("../array-server.mjs", import.meta.url));
const side = 512;
const bytes = 2 * side ** 3;
const distinctChunks = 16;

/** Starts the server for an array with its files in `dir`. */
async function serve(dir) {
  const server = spawn(process.execPath, [serverScript, dir], { stdio: ["ignore", "pipe", "inherit"] });
  const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  if (!url) throw new Error("the server of arrays did not start");
  return { url, stop: () => server.kill() };
}

const codecsOf = (codec) => [
  { name: "bytes", configuration: { endian: "little" } },
  { name: codec.name, configuration: codec.configuration(2) },
];
const array = { shape: [side, side, side], chunks: [64, 64, 64], corpus: "microscopy" };

async function writeArray(dir, codec) {
  const codecs = codecsOf(codec);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, "zarr.json"), metadataOf({ ...array, dataType: "uint16", codecs }));
  const encoded = await encodedChunks({ ...array, codecs }, distinctChunks);
  encoded.forEach((chunk, i) => {
    writeFileSync(path.join(dir, `${i}.chunk`), chunk);
  });
}

/** Ratios: one thread to zarrita, if it is measured; workers to one thread. */
async function compare(rows, arrays, wants) {
  const pool = new WorkerPool({ size: 2 });
  const { ours, theirs } = arrays;
  const candidates = {
    alone: () => get(ours),
    ...(theirs && wants(rows.one) && { zarrita: () => zarrita.get(theirs) }),
    ...(wants(rows.two) && { two: () => get(ours, null, { pool }) }),
    ...(wants(rows.shared) && { shared: () => get(ours, null, { pool, useSharedArrayBuffer: true }) }),
  };
  try {
    const seconds = await bestOfCalls(candidates);
    const row = (name, value, baseline) =>
      seconds[value] && seconds[baseline] ? [speedRow(name, bytes, seconds[value], seconds[baseline])] : [];
    return [
      ...row(rows.one, "alone", "zarrita"),
      ...row(rows.two, "two", "alone"),
      ...row(rows.shared, "shared", "alone"),
    ];
  } finally {
    pool.destroy();
  }
}

async function overHttp(rows, wants, { folder, label }) {
  await writeArray(folder, codecOf(label));
  const server = await serve(folder);
  try {
    const ours = await open(server.url, { kind: "array" });
    const theirs = await zarrita.open(new zarrita.FetchStore(server.url), { kind: "array" });
    return await compare(rows, { ours, theirs }, wants);
  } finally {
    server.stop();
  }
}

/** Without a server and a network, which use the same cores. */
async function fromMemory(rows, wants, { label }) {
  const codecs = codecsOf(codecOf(label));
  const store = await repeatingStore({ ...array, codecs }, distinctChunks);
  return compare(rows, { ours: await open(store, { kind: "array" }) }, wants);
}

/**
 * @param {string} dir for the arrays
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function httpSuite(dir) {
  return ["blosc lz4 shuffle", "blosc zstd shuffle"].flatMap((label) => {
    const what = `get, 256 MiB uint16 in 64³ ${label} chunks`;
    const workers = (where) => ({
      two: `${what} ${where}: 2 workers over one thread`,
      shared: `${what} ${where}: 2 workers, SharedArrayBuffer over one thread`,
    });
    const http = {
      one: `${what} over loopback HTTP: zarr-wasm over zarrita`,
      ...workers("over loopback HTTP"),
    };
    const memory = workers("from memory");
    const place = { folder: path.join(dir, label), label };
    return [
      { rows: Object.values(http), measure: (wants) => overHttp(http, wants, place) },
      { rows: Object.values(memory), measure: (wants) => fromMemory(memory, wants, place) },
    ];
  });
}
