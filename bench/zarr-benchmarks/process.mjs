// A process that runs one task of the benchmark:
//   node bench/zarr-benchmarks/process.mjs LIBRARY THREADS TASK FOLDER [OUTPUT]
// LIBRARY: zarr-wasm or zarrita. TASK: "read all", "read by chunk" or "round trip".
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [library, threads, task, folder, output] = process.argv.slice(2);

const side = 256;
const chunkShape = [side, side, side];

/** First indices of the chunks or shards, in C order. */
function* chunkStarts({ shape }) {
  for (let x = 0; x < shape[0]; x += side)
    for (let y = 0; y < shape[1]; y += side) for (let z = 0; z < shape[2]; z += side) yield [x, y, z];
}

/** Options of `create` for a copy of the array. */
function sameArray({ shape }) {
  const { codecs } = JSON.parse(readFileSync(path.join(folder, "zarr.json"), "utf8"));
  return { shape, chunkShape, dtype: "uint16", codecs, fillValue: 0 };
}

/**
 * Runs the task with functions that both libraries have.
 * @param chunk memory of one chunk, for libraries that read into memory of the caller. New memory for each chunk costs
 *   more than decoding where page faults are slow: NumPy asks the system for huge pages, which Node cannot.
 */
async function run({ create, get, set, slice }, array, target, options, chunk) {
  if (task === "read by chunk") {
    for (const start of chunkStarts(array)) {
      const selection = start.map((from) => slice(from, from + side));
      await get(array, selection, { ...options, ...(chunk && { out: chunk }) });
    }
    return;
  }
  const region = await get(array, null, options);
  if (task !== "round trip") return;
  const copy = await create(target, sameArray(array));
  await set(copy, null, library === "zarrita" ? region : region.data, options);
}

if (library === "zarrita") {
  const zarrita = await import("zarrita");
  const { default: FileSystemStore } = await import("@zarrita/storage/fs");
  const array = await zarrita.open(new FileSystemStore(folder), { kind: "array" });
  await run(zarrita, array, new FileSystemStore(output ?? ""));
} else {
  const ours = await import("zarr-wasm");
  const pool = threads === "1" ? undefined : new ours.WorkerPool({ size: Number(threads) });
  const array = await ours.open(pathToFileURL(folder), { kind: "array" });
  const chunk = task === "read by chunk" ? new Uint16Array(side ** 3) : undefined;
  await run(ours, array, output && pathToFileURL(output), { pool }, chunk);
  pool?.destroy();
}
