// Reads whole arrays over HTTP from a server in a separate process: one thread over zarrita.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { get, open } from "zarr-wasm";
import * as zarrita from "zarrita";
import { codecOf } from "../codecs.mjs";
import { bestOfCalls, speedRow } from "../measure.mjs";
import { encodedChunks, metadataOf } from "../stores.mjs";

const serverScript = fileURLToPath(new URL("../array-server.mjs", import.meta.url));
const side = 512;
export const bytes = 2 * side ** 3;
export const distinctChunks = 16;

/** Starts the server for an array with its files in `dir`. */
export async function serve(dir) {
  const server = spawn(process.execPath, [serverScript, dir], { stdio: ["ignore", "pipe", "inherit"] });
  const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  if (!url) throw new Error("the server of arrays did not start");
  return { url, stop: () => server.kill() };
}

export const codecsOf = (codec) => [
  { name: "bytes", configuration: { endian: "little" } },
  { name: codec.name, configuration: codec.configuration(2) },
];
export const array = { shape: [side, side, side], chunks: [64, 64, 64], corpus: "microscopy" };

export async function writeArray(dir, codec) {
  const codecs = codecsOf(codec);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, "zarr.json"), metadataOf({ ...array, dataType: "uint16", codecs }));
  const encoded = await encodedChunks({ ...array, codecs }, distinctChunks);
  encoded.forEach((chunk, i) => {
    writeFileSync(path.join(dir, `${i}.chunk`), chunk);
  });
}

async function overHttp(name, { folder, label }) {
  await writeArray(folder, codecOf(label));
  const server = await serve(folder);
  try {
    const ours = await open(server.url, { kind: "array" });
    const theirs = await zarrita.open(new zarrita.FetchStore(server.url), { kind: "array" });
    const seconds = await bestOfCalls({ ours: () => get(ours), theirs: () => zarrita.get(theirs) });
    return [speedRow(name, bytes, seconds.ours, seconds.theirs)];
  } finally {
    server.stop();
  }
}

/**
 * @param {string} dir for the arrays
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function httpSuite(dir) {
  return ["blosc lz4 shuffle", "blosc zstd shuffle"].map((label) => {
    const name = `get, 256 MiB uint16 in 64³ ${label} chunks over loopback HTTP: zarr-wasm over zarrita`;
    return { rows: [name], measure: () => overHttp(name, { folder: path.join(dir, label), label }) };
  });
}
