/** Checks the arguments of `set` and `setChunk` and runs the write. */

import { ZarrArray } from "../hierarchy/array.js";
import type { Selection } from "../plan/selection.js";
import type { ArrayReader } from "../read/reader.js";
import { inTurn } from "../store/concurrency.js";
import { requireWritable } from "../store/write.js";
import { checkOptions } from "../util/arguments.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import { poolEncoders } from "../workers/encode-work.js";
import {
  resolveRegion,
  resolveValues,
  type Values,
  type WrittenRegion,
  wholeChunk,
} from "../write/region.js";
import { type WriteRegionOptions as Writing, writeRegion } from "../write/write-region.js";
import { clearOutside } from "./clear-elements.js";
import { type SetOptions, setOptions } from "./options.js";
import { requireCurrent } from "./stored-array.js";

export async function set(
  array: ZarrArray,
  selection: Selection | undefined,
  values: unknown,
  options: SetOptions,
): Promise<void> {
  checkArray(array, "set");
  checkGiven(values, "set(array, selection, values)");
  await write(array, (reader) => resolveRegion(reader, selection), values, writingOptions(options));
}

export async function setChunk(
  array: ZarrArray,
  coordinates: readonly number[],
  values: unknown,
  options: SetOptions,
): Promise<void> {
  checkArray(array, "setChunk");
  checkGiven(values, "setChunk(array, coordinates, values)");
  const regionOf = (reader: ArrayReader) => {
    array.chunkKey(coordinates); // throws if there is no such chunk
    return wholeChunk(reader, coordinates);
  };
  await write(array, regionOf, values, writingOptions(options));
}

/** Turn key of the elements: writers share it, calls that make an array shorter hold it exclusively. */
export const elementsOf = (path: string): string => `${path} elements`;

/** Writes a region, which is resolved once no other call is making the array shorter. */
async function write(
  array: ZarrArray,
  regionOf: (reader: ArrayReader) => WrittenRegion,
  values: unknown,
  options: Writing,
): Promise<void> {
  const { store, path } = array;
  const work = async () => {
    await requireCurrent(array, options.signal);
    const { reader } = array;
    const region = regionOf(reader);
    await writeElements(array, reader, region, values, options);
    await clearOutside(array, reader, region, options.signal);
  };
  await inTurn(store, elementsOf(path), options.signal, work, true);
}

/** Writes a region of the array, with the shape of the given reader. */
export function writeIn(
  array: ZarrArray,
  reader: ArrayReader,
  region: WrittenRegion,
  values: unknown,
  options: Writing,
): Promise<void> {
  const work = () => writeElements(array, reader, region, values, options);
  return inTurn(array.store, elementsOf(array.path), options.signal, work, true);
}

async function writeElements(
  { dtype, store }: ZarrArray,
  reader: ArrayReader,
  region: WrittenRegion,
  given: unknown,
  options: Writing,
): Promise<void> {
  requireWritable(store);
  const values: Values = resolveValues(dtype, reader.firstCodec.type === "vlen", region, given);
  if (countOf(region.counts) > 0) await writeRegion(store, reader, region, values, options);
}

/** @throws InvalidArgument for values that do not fit a region of this shape. */
export function checkValues({ dtype, reader }: ZarrArray, shape: readonly number[], given: unknown): void {
  const region = { shape, counts: shape, parts: [], hasLists: false };
  resolveValues(dtype, reader.firstCodec.type === "vlen", region, given);
}

function checkArray(array: unknown, what: string): void {
  if (!(array instanceof ZarrArray))
    throw invalidArgument(`${what} expects an array returned by open() or create()`);
}

/** @throws InvalidArgument if an argument before the values may have been forgotten. */
function checkGiven(values: unknown, call: string): void {
  if (values === undefined) throw invalidArgument(`values is required: ${call}`);
}

/**
 * Default of `concurrency`, without a pool and per worker. Workers encode up to 4 MiB of neighbouring chunks together;
 * with fewer chunks, they would wait while the calling thread gathers the next ones.
 */
const defaultConcurrency = 16;

export function writingOptions(options: SetOptions): Writing {
  checkOptions(options, setOptions);
  const { signal, pool, conflicts = "retry", writeEmptyChunks = false, onProgress } = options;
  const most = defaultConcurrency * Math.max(1, pool?.size ?? 0);
  const { concurrency = most } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw invalidArgument(`concurrency must be an integer of at least 1, not ${describeValue(concurrency)}`);
  if (!["retry", "error", "ignore"].includes(conflicts))
    throw invalidArgument(`conflicts must be "retry", "error" or "ignore", not ${describeValue(conflicts)}`);
  if (typeof writeEmptyChunks !== "boolean")
    throw invalidArgument(`writeEmptyChunks must be true or false, not ${describeValue(writeEmptyChunks)}`);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalidArgument(`onProgress must be a function, not ${describeValue(onProgress)}`);
  const encoders = pool && poolEncoders(pool);
  return { signal, concurrency, conflicts, writeEmptyChunks, onProgress, encoders };
}
