/** zarrita's `get`, `set`, `slice` and `select`, and the functions that `@zarrita/ndarray` uses. */

import type { ElementData } from "../../dtypes/elements.js";
import type { SetOptions as NativeSetOptions } from "../../edit/options.js";
import { type GetBytesOptions, get as getRegion } from "../../hierarchy/get.js";
import { checkObject } from "../../util/arguments.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import type { WorkerPool } from "../../workers/pool.js";
import { firstElement } from "./elements.js";
import { checkFunction, InvalidSelectionError, withZarritaErrors } from "./errors.js";
import { checkArray, currentPool, loadArray, ownChunks, toChunk, type ZarritaArray } from "./nodes.js";
import { zarritaPart } from "./registry.js";
import type {
  Chunk,
  DataType,
  Entry,
  Mutable,
  Readable,
  Scalar,
  Setter,
  Slice,
  StoreOptions,
} from "./types.js";

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

/** zarrita's options, and some of this library's. */
export interface GetOptions
  extends Concurrency,
    Pick<GetBytesOptions, "signal" | "useSharedArrayBuffer" | "onProgress" | "priority"> {
  /** Options for the store, such as headers. Programs for zarrita before 0.7 also pass the signal here. */
  opts?: StoreOptions | undefined;
  /** Workers that decode. Default: those of `setPool`. */
  pool?: WorkerPool | undefined;
}

type Result<D extends DataType, Sel extends Entry[], Made> = null extends Sel[number]
  ? Made
  : Slice extends Sel[number]
    ? Made
    : Scalar<D>;

/**
 * Reads a region in C order. With an index for every dimension, returns the element.
 * @throws InvalidSelectionError, CodecPipelineError, …; errors of the store; the signal's reason.
 */
export async function get<D extends DataType, S extends Readable, Sel extends Entry[]>(
  array: ZarritaArray<D, S>,
  selection: Sel | null = null,
  options: GetOptions = {},
): Promise<null extends Sel[number] ? Chunk<D> : Slice extends Sel[number] ? Chunk<D> : Scalar<D>> {
  checkArray(array);
  checkObject(options, "options of get");
  const { useSharedArrayBuffer, pool = currentPool(), onProgress, priority } = options;
  const { signal: _, ...storeOptions } = options.opts ?? {};
  const signal = combinedSignal(options);
  const entries = entriesIn(selection);
  const concurrency = chosenConcurrency(options);
  const readOptions = { signal, useSharedArrayBuffer, concurrency, pool, onProgress, priority };
  const region = await withZarritaErrors(array.path, async () => {
    if (!(ownChunks in array)) {
      const source = await loadArray(array, storeOptions);
      return getRegion<ElementData | readonly unknown[]>(source, entries, readOptions);
    }
    const readChunk = (at: number[]) =>
      array.getChunk(at, { ...storeOptions, signal, pool }, { useSharedArrayBuffer });
    return (await zarritaPart()).getChunkwise(await loadArray(array), entries, readChunk, readOptions);
  });
  const chunk = toChunk<D>(region);
  return (chunk.shape.length === 0 ? firstElement(chunk.data) : chunk) as Result<D, Sel, Chunk<D>>;
}

/** Like {@link get}, with the region in another package's form. */
export async function getPrepared<
  D extends DataType,
  Store extends Readable,
  Made extends Chunk<D>,
  Sel extends Entry[],
>(
  array: ZarritaArray<D, Store>,
  selection: Sel | null,
  options: GetOptions,
  setter: Setter<D, Made>,
): Promise<null extends Sel[number] ? Made : Slice extends Sel[number] ? Made : Scalar<D>> {
  const result: unknown = await get(array, selection, options);
  const isIndex = (entry: unknown) => typeof entry === "number";
  const isElement = selection?.length === array.shape.length && selection.every(isIndex);
  if (isElement || array.shape.length === 0) return result as Result<D, Sel, Made>;
  const { data, shape, stride } = result as Chunk<D>;
  return setter.prepare(data, shape, stride) as Result<D, Sel, Made>;
}

/** zarrita's options, and some of this library's. */
export interface SetOptions
  extends Concurrency,
    Pick<NativeSetOptions, "signal" | "onProgress" | "conflicts" | "writeEmptyChunks"> {
  /** Only the `signal` is used, as in zarrita. */
  opts?: StoreOptions | undefined;
  useSharedArrayBuffer?: boolean | undefined;
}

/**
 * Writes a region: one element for all of it, or a chunk of its shape, with any strides.
 * @param selection as in {@link get}.
 * @throws InvalidSelectionError; ZarrError for values of another type or shape, and for a store that cannot write
 *   (InvalidArgument, ReadOnly), before anything is written. CodecPipelineError; ZarrError (Conflict, Network); errors
 *   of the store; the signal's reason: chunks that were not written are unchanged.
 */
export async function set<D extends DataType>(
  array: ZarritaArray<D, Mutable>,
  selection: (null | Slice | number)[] | null,
  value: Scalar<D> | Chunk<D>,
  options: SetOptions = {},
): Promise<void> {
  const inner = await loadArray(array);
  const { setRegion } = await zarritaPart();
  await withZarritaErrors(array.path, async () => {
    const entries = entriesIn(selection);
    checkObject(options, "options of set");
    // zarrita stores chunks that contain only the fill value, because its stores may not support deletion.
    const { onProgress, conflicts, writeEmptyChunks = true } = options;
    const [signal, concurrency] = [combinedSignal(options), chosenConcurrency(options)];
    const own = { signal, concurrency, onProgress, conflicts, writeEmptyChunks };
    await setRegion(inner, entries, value, own);
  });
}

/** Like {@link set}, with a region in another package's form, whose strides describe it. */
export async function setPrepared<D extends DataType, Made extends Chunk<D>>(
  array: ZarritaArray<D, Mutable>,
  selection: (number | Slice | null)[] | null,
  value: Scalar<D> | Made,
  options: SetOptions,
  _setter: Setter<D, Made>,
): Promise<void> {
  await set(array, selection, value, options);
}

/**
 * Returns a selection in this library's form. zarrita takes undefined for null, and truncates indices.
 * @throws InvalidSelectionError for a value that is not a list.
 */
function entriesIn(selection: readonly Entry[] | null | undefined): Entry[] | null {
  if (selection === null || selection === undefined) return null;
  if (!Array.isArray(selection))
    throw new InvalidSelectionError(`a selection must be a list or null, got ${describeValue(selection)}`);
  return selection.map((entry) => (typeof entry === "number" ? Math.trunc(entry) : (entry ?? null)));
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

/** Makes a selection by the names of dimensions. */
export function select<D extends DataType, S extends Readable>(
  array: ZarritaArray<D, S>,
  selection: Record<string, Entry>,
): Entry[] {
  checkArray(array);
  checkObject(selection, "a selection by names");
  const names = array.dimensionNames;
  if (!names) throw new InvalidSelectionError("Array does not have dimension_names in its metadata.");
  const unknown = Object.keys(selection).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.map((name) => `"${name}"`).join(", ");
    throw new InvalidSelectionError(`Unknown dimension name: "${unknown}". Available dimensions: ${known}`);
  }
  return names.map((name) => selection[name] ?? null);
}

/** Strides of a shape, in elements. @param order the axes, slowest first. */
export function stridesIn(shape: readonly number[], order: "C" | "F" | readonly number[]): number[] {
  const axes = typeof order === "string" ? [...shape.keys()] : [...order];
  if (order === "F") axes.reverse();
  if (axes.length !== shape.length)
    throw invalidArgument("Order length must match the number of dimensions.");
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (const axis of axes.reverse()) {
    strides[axis] = step;
    step *= shape[axis]!;
  }
  return strides;
}

/** Returns the start, stop and step of a slice in a dimension, like Python's `slice.indices`. */
export function sliceIndices(slice: Slice, length: number): [number, number, number] {
  const { start, stop, step } = slice;
  const by = step ?? 1;
  if (by === 0) throw new InvalidSelectionError("slice step cannot be zero");
  const [low, high] = by < 0 ? [-1, length - 1] : [0, length];
  const clamped = (position: number) =>
    Math.min(high, Math.max(low, position < 0 ? position + length : position));
  const from = start === null ? (by < 0 ? high : low) : clamped(start);
  const to = stop === null ? (by < 0 ? low : high) : clamped(stop);
  return [from, to, by];
}
