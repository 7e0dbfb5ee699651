/** zarrita's `get`, `slice` and `select`, on this library's. */
import type { ElementData } from "../dtypes/elements.js";
import { get as getRegion, type ReadOptions } from "../hierarchy/get.js";
import type { WorkerPool } from "../workers/pool.js";
import type { ReadChunk } from "./chunkwise.js";
import { scalarOf } from "./elements.js";
import { InvalidSelectionError, likeZarrita } from "./errors.js";
import { chunkOf, innerOf, ownChunks, type ZarritaArray } from "./nodes.js";
import { type StoreOptions, withStoreOptions } from "./options.js";
import { currentPool } from "./pool.js";
import { ownCode } from "./registry.js";
import type { Chunk, DataType, Readable, Scalar, Slice } from "./types.js";

/** A queue such as p-queue's. Where it has a `concurrency`, so many chunks are fetched at a time. */
export interface ChunkQueue {
  add(work: () => Promise<void>): unknown;
  onIdle(): Promise<unknown>;
  concurrency?: number;
}

/** zarrita's options, and some of this library's. */
export interface GetOptions
  extends Pick<ReadOptions, "signal" | "useSharedArrayBuffer" | "onProgress" | "priority"> {
  /** Options for the store, as programs for zarrita before 0.7 give them: headers, say. Give `signal` itself. */
  opts?: StoreOptions | undefined;
  createQueue?: (() => ChunkQueue) | undefined;
  /** Most chunks that are fetched at a time; else that of `createQueue`'s queue; else 16. */
  concurrency?: number | undefined;
  /** Workers that decode, instead of those that `setPool` gave. */
  pool?: WorkerPool | undefined;
}

type Entry = null | Slice | number;

/**
 * Reads a region: C order, whatever the order of the chunks. With an index for every dimension, the element itself.
 * @throws InvalidSelectionError, CodecPipelineError, …; what the store throws; the signal's reason.
 */
export async function get<D extends DataType, S extends Readable, Sel extends Entry[]>(
  array: ZarritaArray<D, S>,
  selection: Sel | null = null,
  options: GetOptions = {},
): Promise<null extends Sel[number] ? Chunk<D> : Slice extends Sel[number] ? Chunk<D> : Scalar<D>> {
  const { useSharedArrayBuffer, pool = currentPool(), createQueue, onProgress, priority } = options;
  const { signal: _, ...storeOptions } = options.opts ?? {};
  const signal = signalOf(options);
  const concurrency = options.concurrency ?? concurrencyOf(createQueue?.());
  const wanted = selection?.map(entryOf) ?? null;
  const readOptions = { signal, useSharedArrayBuffer, concurrency, pool, onProgress, priority };
  const readChunk: ReadChunk = (at) =>
    array.getChunk(at, { ...storeOptions, signal, pool }, { useSharedArrayBuffer });
  const region = await likeZarrita(array.path, async () => {
    const source = await innerOf(array);
    if (ownChunks in array) return (await ownCode()).getChunkwise(source, wanted, readChunk, readOptions);
    const from = withStoreOptions(source, storeOptions);
    return getRegion<ElementData | readonly unknown[]>(from, wanted, readOptions);
  });
  const chunk = chunkOf<D>(region);
  return (chunk.shape.length === 0 ? scalarOf(chunk.data) : chunk) as never;
}

/** The signal of a read; of both where there are two. Some callers give a signal as the options. */
function signalOf(options: GetOptions): AbortSignal | undefined {
  if (options instanceof AbortSignal) return options;
  const signals = [options.signal, options.opts?.signal].filter((signal) => signal !== undefined);
  return signals.length === 2 ? AbortSignal.any(signals) : signals[0];
}

function concurrencyOf(queue: ChunkQueue | undefined): number | undefined {
  const concurrency = queue?.concurrency;
  return Number.isSafeInteger(concurrency) && concurrency! > 0 ? concurrency : undefined;
}

/** zarrita takes undefined for null, and cuts off fractions of indices. */
function entryOf(entry: Entry | undefined): Entry {
  return typeof entry === "number" ? Math.trunc(entry) : (entry ?? null);
}

type Position = bigint | number | null;

/** `slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`. */
export function slice(stop: Position): Slice;
export function slice(start: Position, stop?: Position, step?: Position): Slice;
export function slice(first: Position, second?: Position, step: Position = null): Slice {
  const [start, stop] = second === undefined ? [null, first] : [first, second];
  return { start: toNumber(start), stop: toNumber(stop), step: toNumber(step) };
}

function toNumber(position: Position): number | null {
  if (typeof position !== "bigint") return position;
  if (!Number.isSafeInteger(Number(position)))
    throw new InvalidSelectionError(`${position} exceeds Number.MAX_SAFE_INTEGER`);
  return Number(position);
}

/** A selection by the names of dimensions. */
export function select<D extends DataType, S extends Readable>(
  array: ZarritaArray<D, S>,
  selection: Record<string, Entry>,
): Entry[] {
  const names = array.dimensionNames;
  if (!names) throw new InvalidSelectionError("Array does not have dimension_names in its metadata.");
  const unknown = Object.keys(selection).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.map((name) => `"${name}"`).join(", ");
    throw new InvalidSelectionError(`Unknown dimension name: "${unknown}". Available dimensions: ${known}`);
  }
  return names.map((name) => selection[name] ?? null);
}
