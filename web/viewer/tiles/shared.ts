/** Resources shared by all viewers of a page: workers, cache, scheduler. */
import { WorkerPool } from "zarr-wasm";
import { LruCache } from "#internal";
import { maxRequests } from "../source/nodes.js";
import { poolOptions } from "./pool-options.js";
import { Scheduler } from "./scheduler.js";
import type { Block } from "./tile.js";

export interface Shared {
  readonly pool: WorkerPool;
  readonly scheduler: Scheduler<Block>;
  /** Calls a listener for every evicted block. @returns a function that ends the subscription. */
  onDrop(listener: (blockKey: string) => void): () => void;
}

/**
 * Limits on concurrent reads: high enough to keep connections busy, low enough to react to changes. Small
 * chunks over a slow connection need many requests in flight.
 */
const limits = { first: 8, reads: maxRequests, bytes: 24 * 2 ** 20, least: 6 };

let shared: (Shared & { users: number }) | undefined;

/**
 * Default memory budget in bytes, from the device memory in GiB, which browsers round and report as at most
 * 8.
 */
function defaultBudget(): number {
  const { deviceMemory = 4 } = globalThis.navigator as { deviceMemory?: number };
  return Math.max(128, Math.min(512, 96 * deviceMemory)) * 2 ** 20;
}

/** The worker pool of all viewers of the page. */
export const sharedPool = (): WorkerPool => {
  shared ??= make();
  return shared.pool;
};

/** Acquires the shared resources; call `release` after use. */
export function acquire(): Shared {
  shared ??= make();
  shared.users++;
  return shared;
}

/** The last release stops the workers and frees the memory. */
export function release(): void {
  if (!shared || --shared.users > 0) return;
  shared.pool.destroy();
  shared.scheduler.cache.clear();
  shared = undefined;
}

function make(): Shared & { users: number } {
  const listeners = new Set<(blockKey: string) => void>();
  const cache = new LruCache<Block>(defaultBudget(), ({ key }) => {
    for (const listener of listeners) listener(key);
  });
  return {
    users: 0,
    pool: new WorkerPool(poolOptions()),
    scheduler: new Scheduler(cache, limits),
    onDrop: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
