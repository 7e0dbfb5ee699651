/** How many chunks are under way at a time, and what ends that, by options of zarrita's. */
import { checkFunction } from "./arguments.js";
import type { StoreOptions } from "./options.js";

/** A queue such as p-queue's. Where it has a `concurrency`, so many chunks are fetched at a time. */
export interface ChunkQueue {
  add(work: () => Promise<void>): unknown;
  onIdle(): Promise<unknown>;
  concurrency?: number;
}

export interface Concurrency {
  createQueue?: (() => ChunkQueue) | undefined;
  /** Most chunks that are fetched or written at a time; else that of `createQueue`'s queue; else 16. */
  concurrency?: number | undefined;
}

export function concurrencyOf({ createQueue, concurrency }: Concurrency): number | undefined {
  if (concurrency !== undefined) return concurrency;
  if (createQueue === undefined) return undefined;
  checkFunction(createQueue, "createQueue");
  const ofQueue = (createQueue() as ChunkQueue | undefined)?.concurrency;
  return Number.isSafeInteger(ofQueue) && ofQueue! > 0 ? ofQueue : undefined;
}

interface Signals {
  signal?: AbortSignal | undefined;
  opts?: StoreOptions | undefined;
}

/** The signal of a call; of both where there are two. Some callers give a signal as the options. */
export function signalOf(options: Signals): AbortSignal | undefined {
  if (options instanceof AbortSignal) return options;
  const signals = [options.signal, options.opts?.signal].filter((signal) => signal !== undefined);
  return signals.length === 2 ? AbortSignal.any(signals) : signals[0];
}
