/** `--threads N`. */
import { WorkerPool } from "zarr-wasm";

/** Workers for so many threads, the caller's to destroy; undefined where the main thread does it all. */
export const poolOf = (threads: number | undefined): WorkerPool | undefined =>
  threads !== undefined && threads > 1 ? new WorkerPool({ size: threads }) : undefined;
