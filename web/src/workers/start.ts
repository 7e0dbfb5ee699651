/** Ways to start a worker of the package, the usual one first. */

import { lazy } from "../util/lazy.js";
import { isMoved, packageFile } from "../util/package-files.js";
import {
  type AnyWorker,
  hasWebWorkers,
  startNodeWorker,
  startTextWorker,
  startWebWorker,
} from "../util/platform.js";

/** Starts a worker; what fails then or later, before the worker has said a word, is for the next way. */
export type StartWorker = () => AnyWorker | Promise<AnyWorker>;

export const packagedWorkers: readonly StartWorker[] = [beside, asChunk, asText];

/**
 * The script as it lies beside this file. The one expression is what bundlers look for. Whether a bundler has changed it
 * cannot be seen; where the code has been moved, the script as a part of the bundle is there in any case.
 */
function beside(): AnyWorker | Promise<AnyWorker> {
  const here = import.meta.url; // not within `new URL` again: bundlers would copy the script as it is
  if (!hasWebWorkers()) return startNodeWorker(packageFile("bundle/worker.js", here));
  if (here === undefined || isMoved(here)) throw leftBehind();
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}

const leftBehind = () => new Error("the bundler has moved the library without its script of workers");

const scriptChunk = lazy("workers", () => import("../wasm/worker-chunk.js"));
const scriptText = lazy("workers in one file", () => import("../wasm/worker-text.js"));

/** The script as a part that a bundler has made: it knows its own address, and a policy allows it. */
async function asChunk(): Promise<AnyWorker> {
  if (!hasWebWorkers()) throw leftBehind();
  const { url, name } = await scriptChunk();
  // In a bundle of one file it is the program's own address.
  if (url === undefined || url === import.meta.url) throw leftBehind();
  return startWebWorker(url, { type: "module", name });
}

/** The script as a text, which strict policies do not take for a script. */
async function asText(): Promise<AnyWorker> {
  const { default: text } = await scriptText();
  return startTextWorker(text);
}
