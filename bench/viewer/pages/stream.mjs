// Reads whole arrays as fast as possible; the load of the main thread is measured from outside.
import { get, open, WorkerPool } from "zarr-wasm";
import * as zarrita from "zarrita";

const pool = new WorkerPool({ size: 2, createWorker: () => new Worker("./worker.js", { type: "module" }) });

/** Reads the array at a URL; returns the milliseconds, and a checksum as proof of reading. */
globalThis.stream = async (reader, url) => {
  const ours = reader === "zarr-wasm";
  const array = ours
    ? await open(url, { kind: "array", version: 3 })
    : await zarrita.open.v3(new zarrita.FetchStore(url), { kind: "array" });
  const start = performance.now();
  const { data } = ours ? await get(array, null, { pool }) : await zarrita.get(array);
  const seconds = (performance.now() - start) / 1000;
  let sum = 0;
  for (let i = 0; i < data.length; i += 9973) sum += data[i];
  return { seconds, sum };
};
