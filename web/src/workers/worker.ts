/**
 * The script of a pool's workers. Bundlers find it through `WorkerPool`; where they do not, `createWorker` makes
 * workers of `zarr-wasm/worker`.
 * @packageDocumentation
 */

import { openWorkerPort, type WorkerPort } from "../base/platform.js";
import { sessionOf } from "../engine/engine.js";
import { configureWasm } from "../engine/module.js";
import { KnownPlans, packFailure, runSlab, type WorkAnswer, type WorkMessage } from "./slab-work.js";

const plans = new KnownPlans();

async function answer(port: WorkerPort, message: WorkMessage): Promise<void> {
  const { id, module, wasm, spare } = message;
  const say = (said: WorkAnswer, transfer: ArrayBuffer[]) => port.post(said, transfer);
  try {
    const work = plans.unpack(message); // first: later messages count on it
    if (wasm) configureWasm({ [module]: wasm });
    const bytes = runSlab(await sessionOf(module), work, spare);
    const { encoded } = message; // back for the next work: nothing here reads it any more
    say({ id, bytes, encoded }, bytes ? [bytes.buffer, encoded] : [encoded]);
  } catch (error) {
    say({ id, failure: packFailure(error) }, []);
  }
}

let isStarted = false;

/**
 * Answers to a pool from now on. The module does so by itself when it is a worker's script; in a worker of your
 * own, call it, so that bundlers see that the module is used.
 */
export function startWorker(): void {
  if (isStarted) return;
  isStarted = true;
  void openWorkerPort((port, message) => void answer(port, message as WorkMessage)).then((port) =>
    port?.post({ ready: true }, []),
  );
}

startWorker();
