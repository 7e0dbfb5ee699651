/** `worker-chunk.js`: the script as a part of a bundle, which pages load to learn its address. */
import { startWorker } from "./worker-main.js";

/** Name of the workers that this script is for; others, which only use the library, load it as pages do. */
export const name = "zarr-wasm";

/** The script's address; undefined where the bundler's format has none. */
export const url: string | undefined = start();

function start(): string | undefined {
  type Scope = { WorkerGlobalScope?: unknown; name?: unknown };
  const scope = globalThis as Scope;
  if (scope.WorkerGlobalScope && scope.name === name) startWorker();
  return import.meta.url;
}
