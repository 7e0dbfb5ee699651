/**
 * Main program of a pool's workers. The build makes self-contained files of it: `worker.js` next to this one,
 * which is `zarr-wasm/worker`, and the fallbacks of start.ts.
 * @packageDocumentation
 */

import { configureWasm, getSession } from "../engine/engine.js";
import type { CodecSession } from "../engine/session.js";
import { openWorkerPort, type WorkerPort } from "../util/platform.js";
import { runSlab, unpackSlab } from "./decode-work.js";
import { encodeBatch, unpackBatch } from "./encode-work.js";
import { Fetching, isFetchRequest } from "./fetching.js";
import {
  isWorkMessage,
  KnownPlans,
  packFailure,
  type WorkKind,
  type WorkMessage,
  type WorkResult,
} from "./messages.js";
import { recodeBox, unpackRecode } from "./recode-work.js";
import { runReduce, unpackReduce } from "./reduce-work.js";

const plans = new KnownPlans();
let fetching: Fetching | undefined;

/** Handles messages of a pool. Other messages, which programs may send to their own workers, are ignored. */
function receive(port: WorkerPort, message: unknown): void {
  if (typeof message !== "object" || message === null) return;
  if (isWorkMessage(message)) return void runTask(port, message);
  if (!isFetchRequest(message)) return;
  fetching ??= new Fetching(port);
  fetching.receive(message);
}

async function runTask(port: WorkerPort, message: WorkMessage): Promise<void> {
  const { id, input, kind, module, wasm } = message;
  const send = (said: WorkResult, transfer: ArrayBuffer[]) => port.post(said, transfer);
  try {
    plans.store(message); // first, because later messages rely on them
    const run = await tasks[kind](message, plans);
    if (wasm instanceof WebAssembly.Module) configureWasm({ [module]: wasm });
    const outcome = run(await getSession(module));
    const made = [outcome.bytes, ...(outcome.chunks ?? []).map((chunk) => chunk.bytes)];
    // The input is no longer needed here and is returned for reuse; it may contain encoded chunks.
    const buffers = new Set([...made.flatMap((bytes) => bytes?.buffer ?? []), input]);
    send({ id, ...outcome, input }, [...buffers]);
  } catch (error) {
    send({ id, failure: packFailure(error) }, []);
  }
}

type Work = (session: CodecSession) => Pick<WorkResult, "bytes" | "chunks" | "files">;

function decodeTask(message: WorkMessage): Work {
  const slab = unpackSlab(plans, message);
  return (session) => ({ bytes: runSlab(session, slab, message.spare) });
}

function encodeTask(message: WorkMessage): Work {
  const batch = unpackBatch(plans, message);
  return (session) => ({ chunks: encodeBatch(session, batch, message.input) });
}

function recodeTask(message: WorkMessage): Work {
  const work = unpackRecode(plans, message);
  return (session) => ({ chunks: recodeBox(session, work, message.input) });
}

function reduceTask(message: WorkMessage): Work {
  const work = unpackReduce(plans, message);
  return (session) => ({ bytes: runReduce(session, work) });
}

/** Prepares a task of a kind. */
type Prepare = (message: WorkMessage, plans: KnownPlans) => Work | Promise<Work>;

const tasks: Record<WorkKind, Prepare> = {
  decode: decodeTask,
  encode: encodeTask,
  recode: recodeTask,
  reduce: reduceTask,
  files: () => () => ({}), // failed, so that the caller sends chunks instead; worker-node.ts replaces it
};

/** @internal */
export function addTask(kind: WorkKind, prepare: Prepare): void {
  tasks[kind] = prepare;
}

let isStarted = false;

/**
 * Starts answering a pool's messages. A worker script calls it automatically; in a custom worker, call it
 * explicitly, so that bundlers keep the module.
 */
export function startWorker(): void {
  if (isStarted) return;
  isStarted = true;
  void openWorkerPort(receive).then((port) => port?.post({ ready: true }, []));
}
