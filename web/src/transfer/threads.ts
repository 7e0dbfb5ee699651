/**
 * Threads that copy boxes between folders, each with its own core: nothing but positions passes between threads. Boxes
 * that a thread cannot copy are copied by this one.
 */

import type { Worker } from "node:worker_threads";
import { compiledModule } from "../engine/engine.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { ArrayMetadata } from "../metadata/model.js";
import type { AxisRange } from "../plan/selection.js";
import { FileSystemStore, type FolderLocation } from "../store/file/store.js";
import { innermostStore } from "../store/handle.js";
import type { Store } from "../store/store.js";
import { preload } from "../util/lazy.js";
import type { Limits } from "../util/limits.js";
import { packageFile, type WasmModule } from "../util/platform.js";
import { type Box, positionsIn } from "../util/shapes.js";
import {
  type FailureMessage,
  isFailure,
  isWorkerFault,
  packFailure,
  unpackFailure,
} from "../workers/messages.js";
import type { ArrayCopy, BoxRunner, BoxThreads } from "./array-copy.js";
import { cellBox } from "./boxes.js";
import type { LockLiveness } from "./heartbeat.js";
import { exitHooks, node } from "./host.js";
import type { GatedWrites } from "./lock.js";
import { documentsText } from "./nodes.js";

/** An array as another thread opens it. */
export interface ArrayPlace {
  readonly folder: FolderLocation;
  readonly path: string;
  /** Its documents. A thread that finds other ones does not copy. */
  readonly documents: string;
}

/** The source and target of a copy for other threads. */
export interface ThreadedArray {
  readonly source: ArrayPlace;
  readonly target: ArrayPlace;
}

/** How an array is copied. */
export interface CopySetup extends ThreadedArray {
  readonly ranges: readonly AxisRange[];
  readonly limits: Limits;
  readonly memory: number;
  readonly verify: boolean;
  readonly mayHoldMore: boolean;
  /** Of the destination's lock. */
  readonly liveness: LockLiveness | undefined;
}

/** Input of a thread. */
export interface ThreadData {
  /** Shared memory; 1 once nothing more may be written. */
  readonly control: Int32Array;
}

export type ThreadOrder =
  | { readonly setup: CopySetup; readonly array: number; readonly wasm: WasmModule | undefined }
  | { readonly box: Box; readonly id: number; readonly array: number; readonly kept: readonly string[] }
  | { readonly confirmed: number; readonly failure?: FailureMessage };

/** Result of a thread that copied a box. */
export interface BoxReport {
  readonly id: number;
  readonly written?: readonly string[];
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  readonly failure?: FailureMessage;
}

export type ThreadReport = BoxReport | { readonly confirm: number };

/** Returns an array as another thread can open it; undefined if only this thread can. */
export async function arrayPlace(
  store: Store,
  path: string,
  metadata: ArrayMetadata,
): Promise<ArrayPlace | undefined> {
  // A document of v1 does not determine how its chunks are read.
  if (!(store instanceof FileSystemStore) || metadata.zarrFormat === 1) return undefined;
  const folder = await (innermostStore(store) as FileSystemStore).location();
  return folder && { folder, path, documents: documentsText(metadata) };
}

/** Sent to a thread before its first box, and to it only once. */
interface Prepared {
  readonly array: number;
  readonly setup: CopySetup;
}

export class CopyThreads {
  /** Set before the first box is copied, if the destination has a lock. */
  liveness: LockLiveness | undefined;
  readonly #control = new Int32Array(new SharedArrayBuffer(4));
  readonly #threads: readonly CopyThread[];
  readonly #release = exitHooks.add(() => void Atomics.store(this.#control, 0, 1));
  #arrays = 0;

  /** @param count number of threads, without this one. */
  constructor(
    readonly count: number,
    gate: GatedWrites,
  ) {
    this.#threads = Array.from({ length: count }, () => new CopyThread({ control: this.#control }, gate));
  }

  /** Starts the threads, and compiles the module that they share. */
  start(): void {
    preload(() => compiledModule("full"));
    for (const thread of this.#threads) thread.start();
  }

  /** Returns the threads for an array. They start with their first box, unless they have started before. */
  forArray(array: ThreadedArray): BoxThreads {
    const runners: BoxThreads["runners"] = (...args) => this.#runners(array, ...args);
    return { count: this.count, runners };
  }

  #runners(array: ThreadedArray, work: ArrayCopy, memory: number, here: () => BoxRunner): BoxRunner[] {
    const { limits } = work.view.array;
    const { ranges } = work.view;
    const { resume: mayHoldMore, verify } = work;
    const { liveness } = this;
    const prepared = {
      array: this.#arrays++,
      setup: { ...array, ranges, limits, memory, verify, mayHoldMore, liveness },
    };
    return this.#threads.map((thread) => ({
      box: (box) => copyRemotely(thread, prepared, work, box, here),
    }));
  }

  /** Stops the threads, which have no work any more. */
  async end(): Promise<void> {
    this.#release();
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

async function copyRemotely(
  thread: CopyThread,
  prepared: Prepared,
  work: ArrayCopy,
  box: Box,
  here: () => BoxRunner,
): Promise<void> {
  const { signal, store, tally, target } = work;
  const kept = store.kept.size === 0 ? [] : keysIn(target, box).filter((key) => store.kept.has(key));
  const report = await thread.copy(prepared, box, kept, signal);
  signal?.throwIfAborted();
  const { failure, written = [], bytesRead = 0, bytesWritten = 0 } = report ?? {};
  if (failure && !isWorkerFault(failure)) throw unpackFailure(failure);
  if (!report || failure) return here().box(box);
  for (const key of written) store.written.add(key);
  tally.bytesRead += bytesRead;
  tally.bytesWritten += bytesWritten;
}

/** Keys of the objects in a box. */
export const keysIn = ({ reader }: ZarrArray, box: Box): string[] =>
  [...positionsIn(cellBox(box, reader.objectAxes))].map((object) => reader.objectKey(object));

class CopyThread {
  #worker: Worker | undefined;
  #hasEnded = false;
  readonly #arrays = new Set<number>();
  readonly #waiting = new Map<number, (report: BoxReport | undefined) => void>();
  #next = 0;

  constructor(
    private readonly data: ThreadData,
    private readonly gate: GatedWrites,
  ) {}

  start(): void {
    if (!this.#hasEnded) this.#worker ??= this.#startWorker();
  }

  /** @returns undefined if the thread has failed. */
  copy(
    { array, setup }: Prepared,
    box: Box,
    kept: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<BoxReport | undefined> {
    return this.gate.run(async () => {
      this.start();
      const worker = this.#worker;
      // Compiling the module again would take as long as copying many chunks.
      const wasm = await compiledModule("full").catch(() => undefined);
      if (!worker || this.#hasEnded) return undefined;
      if (!this.#arrays.has(array)) this.#post({ setup, array, wasm });
      this.#arrays.add(array);
      const id = this.#next++;
      const abort = () => void Atomics.store(this.data.control, 0, 1);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
      worker.ref();
      try {
        return await new Promise<BoxReport | undefined>((resolve) => {
          this.#waiting.set(id, resolve);
          this.#post({ box, id, array, kept });
        });
      } finally {
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) worker.unref();
        signal?.removeEventListener("abort", abort);
      }
    });
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker?.terminate();
  }

  #post(order: ThreadOrder): void {
    this.#worker!.postMessage(order);
  }

  /** Undefined if threads cannot be started. */
  #startWorker(): Worker | undefined {
    try {
      const script = packageFile("bundle/copy-thread.js", import.meta.url);
      const options = { workerData: this.data, execArgv: [], stdin: false };
      const worker = new (node().threads.Worker)(script, options);
      worker.unref(); // until it has work
      worker.on("message", (report: ThreadReport) => void this.#receive(report));
      // The script is missing if a bundler has moved this code.
      worker.on("error", () => this.#fail());
      worker.on("exit", () => this.#fail());
      return worker;
    } catch {
      this.#fail();
      return undefined;
    }
  }

  async #receive(report: ThreadReport): Promise<void> {
    if ("id" in report) {
      const { failure } = report;
      this.#waiting.get(report.id)?.(failure === undefined || isFailure(failure) ? report : undefined);
      return;
    }
    const failure = await this.gate.checkLock().then(
      () => undefined,
      (error) => packFailure(error),
    );
    if (!this.#hasEnded) this.#post({ confirmed: report.confirm, ...(failure && { failure }) });
  }

  #fail(): void {
    this.#hasEnded = true;
    for (const settle of this.#waiting.values()) settle(undefined);
  }
}
