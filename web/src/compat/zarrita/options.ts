/** Translates the options of zarrita's calls. */

import { ZarrArray } from "../../hierarchy/array.js";
import type { GetOptions, RangeQuery, Store } from "../../store/store.js";
import type { WorkerPool } from "../../workers/pool.js";
import { checkFunction } from "./errors.js";
import type { Chunk, DataType, Prepare, SetFromChunk, SetScalar, Slice } from "./types.js";

/** An entry of a selection. */
export type Entry = null | Slice | number;

/** How another package holds regions: `prepare` makes what `get` returns. */
export interface Setter<D extends DataType, Made extends Chunk<D>> {
  prepare: Prepare<D, Made>;
  setScalar: SetScalar<D, Made>;
  setFromChunk: SetFromChunk<D, Made>;
}

let pool: WorkerPool | undefined;

/** Decodes all reads in a pool of workers; undefined turns that off. */
export function setPool(own: WorkerPool | undefined): void {
  pool = own;
}

export function currentPool(): WorkerPool | undefined {
  return pool;
}

/** A queue such as p-queue's. If it has a `concurrency`, as many chunks are fetched at a time. */
export interface ChunkQueue {
  add(work: () => Promise<void>): unknown;
  onIdle(): Promise<unknown>;
  concurrency?: number;
}

export interface Concurrency {
  createQueue?: (() => ChunkQueue) | undefined;
  /** Maximum number of chunks fetched or written at a time. Default: that of `createQueue`'s queue, else 16. */
  concurrency?: number | undefined;
}

export function chosenConcurrency({ createQueue, concurrency }: Concurrency): number | undefined {
  if (concurrency !== undefined) return concurrency;
  if (createQueue === undefined) return undefined;
  checkFunction(createQueue, "createQueue");
  const ofQueue = (createQueue() as ChunkQueue | undefined)?.concurrency;
  return Number.isSafeInteger(ofQueue) && ofQueue! > 0 ? ofQueue : undefined;
}

/** Options for a store's `get`: a RequestInit, or whatever the caller's own store understands. */
export interface StoreOptions {
  signal?: AbortSignal | undefined;
  readonly [option: string]: unknown;
}

interface Signals {
  signal?: AbortSignal | undefined;
  opts?: StoreOptions | undefined;
}

/** Returns the signal of a call, combined if it has two. Some callers pass a signal in place of the options. */
export function combinedSignal(options: Signals): AbortSignal | undefined {
  if (options instanceof AbortSignal) return options;
  const signals = [options.signal, options.opts?.signal].filter((signal) => signal !== undefined);
  return signals.length === 2 ? AbortSignal.any(signals) : signals[0];
}

type Extra = Readonly<Record<string, unknown>>;

/** An array whose store adds options to each request. */
export interface DerivedArray {
  readonly extra: Extra;
  readonly array: ZarrArray;
}

/** Sets of options remembered for an array. Arrays with different options do not share shard indices. */
const maxDerived = 4;

/** Returns the array with a store that adds these options to each request; the array itself if there are none. */
export function withStoreOptions(array: ZarrArray, extra: Extra, derived: DerivedArray[]): ZarrArray {
  if (Object.keys(extra).length === 0) return array;
  const found = derived.find((entry) => isSame(entry.extra, extra));
  if (found) return found.array;
  const store = withOptions(array.store, extra);
  const made = new ZarrArray(store, array.path, array.spec, array.limits);
  derived.push({ extra, array: made });
  if (derived.length > maxDerived) derived.shift();
  return made;
}

function withOptions(store: Store, extra: Extra): Store {
  const merged = (options: GetOptions | undefined) => ({ ...extra, ...options });
  const wrapped: Store = { get: (key, options) => store.get(key, merged(options)) };
  if (store.getRange)
    wrapped.getRange = (key: string, range: RangeQuery, options) =>
      store.getRange!(key, range, merged(options));
  if (store.locate) wrapped.locate = (key) => store.locate!(key);
  return wrapped;
}

/** Whether two sets of options have the same values. Plain objects, such as headers, are compared by content. */
export function isSame(a: Extra, b: Extra): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => {
      const [x, y] = [a[key], b[key]];
      return x === y || (isPlain(x) && isPlain(y) && isSame(x, y));
    })
  );
}

function isPlain(value: unknown): value is Extra {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
