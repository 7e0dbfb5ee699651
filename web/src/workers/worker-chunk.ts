/** `worker-chunk.js`: the worker script as a chunk of a bundle, which pages load to learn its address. */
import { startWorker } from "./worker-main.js";

export { startWorker } from "./worker-main.js";

/** Name of the workers that run this script; others, which only use the library, load it as pages do. */
export const name = "zarr-wasm";

/** Address of the script; undefined if the bundler's output format has none. */
export const url: string | undefined = start();

function start(): string | undefined {
  type Scope = { WorkerGlobalScope?: unknown; name?: unknown };
  const scope = globalThis as Scope;
  if (scope.WorkerGlobalScope && scope.name === name) startWorker();
  return import.meta.url;
}
