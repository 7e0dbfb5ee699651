/** zarrita's `get`, `slice` and `select`, on this library's. */

import type { ElementData } from "../../dtypes/elements.js";
import { get as getRegion, type ReadOptions } from "../../hierarchy/get.js";
import { checkObject } from "../../util/arguments.js";
import { shown } from "../../util/errors.js";
import type { WorkerPool } from "../../workers/pool.js";
import type { ReadChunk } from "./chunkwise.js";
import { type Concurrency, concurrencyOf, signalOf } from "./concurrency.js";
import { scalarOf } from "./elements.js";
import { InvalidSelectionError, likeZarrita } from "./errors.js";
import { checkArray, chunkOf, innerOf, ownChunks, type ZarritaArray } from "./nodes.js";
import { type StoreOptions, withStoreOptions } from "./options.js";
import { currentPool } from "./pool.js";
import { ownCode } from "./registry.js";
import type { Chunk, DataType, Readable, Scalar, Slice } from "./types.js";

/** zarrita's options, and some of this library's. */
export interface GetOptions
  extends Concurrency,
    Pick<ReadOptions, "signal" | "useSharedArrayBuffer" | "onProgress" | "priority"> {
  /** Options for the store, as programs for zarrita before 0.7 give them: headers, say. Give `signal` itself. */
  opts?: StoreOptions | undefined;
  /** Workers that decode, instead of those that `setPool` gave. */
  pool?: WorkerPool | undefined;
}

export type Entry = null | Slice | number;

/**
 * Reads a region: C order, whatever the order of the chunks. With an index for every dimension, the element itself.
 * @throws InvalidSelectionError, CodecPipelineError, …; what the store throws; the signal's reason.
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
  const signal = signalOf(options);
  const concurrency = concurrencyOf(options);
  const wanted = entriesOf(selection);
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

/** A selection as this library has it. @throws InvalidSelectionError for what is no list. */
export function entriesOf(selection: readonly Entry[] | null | undefined): Entry[] | null {
  if (selection === null || selection === undefined) return null;
  if (Array.isArray(selection)) return selection.map(entryOf);
  throw new InvalidSelectionError(`a selection must be a list or null, and cannot be ${shown(selection)}`);
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
