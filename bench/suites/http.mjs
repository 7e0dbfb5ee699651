// Whole arrays over HTTP from a server in a process of its own: one thread over zarrita, workers over one thread.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { get, open, WorkerPool } from "zarr-wasm";
import * as zarrita from "zarrita";
import { codecOf } from "../codecs.mjs";
import { bestOfCalls, speedRow } from "../measure.mjs";
import { encodedChunks, metadataOf } from "../stores.mjs";

const serverScript = fileURLToPath(new URL("../array-server.mjs", import.meta.url));
const side = 512;
const bytes = 2 * side ** 3;
const distinctChunks = 16;

/** Starts the server on an array whose files it reads from `dir`. */
async function serve(dir) {
  const server = spawn(process.execPath, [serverScript, dir], { stdio: ["ignore", "pipe", "inherit"] });
  const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  if (!url) throw new Error("the server of arrays did not start");
  return { url, stop: () => server.kill() };
}

async function writeArray(dir, codec) {
  const codecs = [
    { name: "bytes", configuration: { endian: "little" } },
    { name: codec.name, configuration: codec.configuration(2) },
  ];
  const chunks = [64, 64, 64];
  mkdirSync(dir, { recursive: true });
  const metadata = metadataOf({ shape: [side, side, side], chunks, dataType: "uint16", codecs });
  writeFileSync(path.join(dir, "zarr.json"), metadata);
  const encoded = await encodedChunks({ chunks, corpus: "microscopy", codecs }, distinctChunks);
  encoded.forEach((chunk, i) => {
    writeFileSync(path.join(dir, `${i}.chunk`), chunk);
  });
}

/**
 * @param {string} dir for the arrays
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function httpSuite(dir) {
  return ["blosc lz4 shuffle", "blosc zstd shuffle"].map((label) => {
    const what = `get, 256 MiB uint16 in 64³ ${label} chunks over loopback HTTP`;
    const rows = {
      one: `${what}: zarr-wasm over zarrita`,
      two: `${what}: 2 workers over one thread`,
      shared: `${what}: 2 workers, SharedArrayBuffer over one thread`,
    };
    return {
      rows: Object.values(rows),
      measure: async (wants) => {
        const folder = path.join(dir, label);
        await writeArray(folder, codecOf(label));
        const server = await serve(folder);
        const pool = new WorkerPool({ size: 2 });
        try {
          const ours = await open(server.url, { kind: "array" });
          const theirs = await zarrita.open(new zarrita.FetchStore(server.url), { kind: "array" });
          const candidates = {
            alone: () => get(ours),
            ...(wants(rows.one) && { zarrita: () => zarrita.get(theirs) }),
            ...(wants(rows.two) && { two: () => get(ours, null, { pool }) }),
            ...(wants(rows.shared) && {
              shared: () => get(ours, null, { pool, useSharedArrayBuffer: true }),
            }),
          };
          const seconds = await bestOfCalls(candidates);
          const row = (name, value, baseline) =>
            seconds[value] && seconds[baseline]
              ? [speedRow(name, bytes, seconds[value], seconds[baseline])]
              : [];
          return [
            ...row(rows.one, "alone", "zarrita"),
            ...row(rows.two, "two", "alone"),
            ...row(rows.shared, "shared", "alone"),
          ];
        } finally {
          pool.destroy();
          server.stop();
        }
      },
    };
  });
}
