/** Ways to start a worker of the package, the usual one first. */

import { lazy } from "../util/lazy.js";
import {
  type AnyWorker,
  hasWebWorkers,
  isMoved,
  packageFile,
  startNodeWorker,
  startTextWorker,
  startWebWorker,
} from "../util/platform.js";

/** Starts a worker. If that fails, or the worker fails before its first message, the next way is tried. */
export type StartWorker = () => AnyWorker | Promise<AnyWorker>;

export const packagedWorkers: readonly StartWorker[] = [startFromFile, startFromChunk, startFromText];

/**
 * Starts the script next to this file. Bundlers look for exactly this expression. Whether a bundler has
 * processed it cannot be detected; if the code was moved, the script exists at least as a chunk of the
 * bundle.
 */
function startFromFile(): AnyWorker | Promise<AnyWorker> {
  const here = import.meta.url; // a second `new URL` with it would make bundlers copy the script unprocessed
  if (!hasWebWorkers()) return startNodeWorker(packageFile("bundle/worker.node.js", here));
  if (here === undefined || isMoved(here)) throw scriptMissing();
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}

const scriptMissing = () => new Error("the bundler moved the library without its worker script");

const scriptChunk = lazy("workers", () => import("../wasm/worker-chunk.js"));
const scriptText = lazy("workers in one file", () => import("../wasm/worker-text.js"));

/** Starts the script as a chunk of the bundle, which knows its own URL and is allowed by policies. */
async function startFromChunk(): Promise<AnyWorker> {
  if (!hasWebWorkers()) throw scriptMissing();
  const { url, name } = await scriptChunk();
  // In a single-file bundle, it is the URL of the program itself.
  if (url === undefined || url === import.meta.url) throw scriptMissing();
  return startWebWorker(url, { type: "module", name });
}

/** Starts the script from a string, which strict policies forbid. */
async function startFromText(): Promise<AnyWorker> {
  const { default: text } = await scriptText();
  return startTextWorker(text);
}
