// Reads regions for components of any framework: with a shared pool, progress and aborts.
import { get, open, WorkerPool } from "zarr-wasm";

let pool;
const arrays = new Map();

/** Returns the page's only pool. It is created on first use, so that servers can import this file. */
function sharedPool() {
  pool ??= new WorkerPool();
  return pool;
}

/** Opens an array once for all components. A failure is not kept, so that the next call retries. */
function openOnce(url) {
  if (!arrays.has(url)) {
    const opening = open(url, { kind: "array" });
    opening.catch(() => arrays.delete(url));
    arrays.set(url, opening);
  }
  return arrays.get(url);
}

/** The state before a read. */
export const waiting = { state: "reading", progress: 0 };

/**
 * Reads a region of an array and reports `{ state, progress, region, error }`. `state` is "reading", then "ready" or
 * "error".
 * @returns a function that aborts the read. Nothing is reported after it has been called.
 */
export function readRegion(url, selection, report) {
  const { signal, abort } = abortable();
  const tell = (result) => {
    if (!signal.aborted) report(result);
  };
  const onProgress = ({ chunks, totalChunks }) =>
    tell({ state: "reading", progress: chunks / totalChunks });
  const read = async () => {
    const array = await openOnce(url);
    const region = await get(array, selection, { signal, onProgress, pool: sharedPool() });
    tell({ state: "ready", progress: 1, region });
  };
  tell(waiting);
  read().catch((error) => tell({ state: "error", progress: 0, error }));
  return abort;
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
