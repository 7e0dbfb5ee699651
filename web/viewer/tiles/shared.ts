/** What all viewers of a page share: workers, memory for what has been read, and who is read next. */
import { WorkerPool, type WorkerPoolOptions } from "zarr-wasm";
import { mostRequests } from "../base/requests.js";
import { Cache } from "./cache.js";
import { Scheduler } from "./scheduler.js";
import type { Block } from "./tile.js";

export interface Shared {
  readonly pool: WorkerPool;
  readonly scheduler: Scheduler<Block>;
  /** Calls back for every block that is given up. @returns what ends it. */
  onDrop(listener: (blockKey: string) => void): () => void;
}

/**
 * What is read at a time: enough to keep connections busy, little enough to change one's mind. Of small chunks over a
 * slow line many are on their way.
 */
const limits = { first: 8, reads: mostRequests, bytes: 24 * 2 ** 20, least: 6 };

/** How workers are made, where it is not the library's way. To be said before the first viewer is made. */
let poolOptions: WorkerPoolOptions = {};

export function configurePool(options: WorkerPoolOptions): void {
  poolOptions = options;
}

let shared: (Shared & { users: number }) | undefined;

/** MiB of memory, where the browser tells: it says at most 8 GiB. */
function defaultBudget(): number {
  const { deviceMemory = 4 } = globalThis.navigator as { deviceMemory?: number };
  return Math.max(128, Math.min(512, 96 * deviceMemory)) * 2 ** 20;
}

/** For somebody who gives it back by `release`. */
export function acquire(): Shared {
  shared ??= make();
  shared.users++;
  return shared;
}

/** The last one to leave stops the workers and frees the memory. */
export function release(): void {
  if (!shared || --shared.users > 0) return;
  shared.pool.destroy();
  shared.scheduler.cache.clear();
  shared = undefined;
}

function make(): Shared & { users: number } {
  const listeners = new Set<(blockKey: string) => void>();
  const cache = new Cache<Block>(defaultBudget(), ({ key }) => {
    for (const listener of listeners) listener(key);
  });
  return {
    users: 0,
    pool: new WorkerPool(poolOptions),
    scheduler: new Scheduler(cache, limits),
    onDrop: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
