/** Writing elements: arguments checked, then region/write. */
import { invalidArgument, shown } from "../../base/errors.js";
import { countOf } from "../../base/strides.js";
import type { ArrayReader } from "../../region/fetch/reader.js";
import type { Selection } from "../../region/selection/selection.js";
import { resolveRegion, type WrittenRegion, wholeChunk } from "../../region/write/parts.js";
import { type Values, valuesOf } from "../../region/write/values.js";
import { type WriteRegionOptions as Writing, writeRegion } from "../../region/write/write.js";
import { requireWritable } from "../../store/write.js";
import { encodersOf } from "../../workers/encode-work.js";
import { checkOptions } from "../arguments.js";
import { ZarrArray } from "../array.js";
import type { WriteChunkOptions, WriteRegionOptions } from "../set.js";

export async function set(
  array: ZarrArray,
  selection: Selection | undefined,
  values: unknown,
  options: WriteRegionOptions,
): Promise<void> {
  const reader = readerOf(array, "set");
  const checked = writingOptions(options);
  await write(array, reader, resolveRegion(reader, selection), values, checked);
}

/** As {@link set}, to an array as `reader` has it. */
export function setIn(
  array: ZarrArray,
  reader: ArrayReader,
  selection: Selection,
  values: unknown,
  options: Writing,
): Promise<void> {
  return write(array, reader, resolveRegion(reader, selection), values, options);
}

export async function setChunk(
  array: ZarrArray,
  coordinates: readonly number[],
  values: unknown,
  options: WriteChunkOptions,
): Promise<void> {
  const reader = readerOf(array, "setChunk");
  const checked = writingOptions(options);
  array.chunkKey(coordinates); // there is such a chunk
  await write(array, reader, wholeChunk(reader, coordinates), values, checked);
}

async function write(
  array: ZarrArray,
  reader: ArrayReader,
  region: WrittenRegion,
  given: unknown,
  options: Writing,
): Promise<void> {
  const { dtype, store } = array;
  requireWritable(store);
  const values: Values = valuesOf(dtype, reader.firstCodec.type === "vlen", region, given);
  if (countOf(region.counts) > 0) await writeRegion(store, reader, region, values, options);
}

/** @throws InvalidArgument for values that are not those of a region of this shape. */
export function checkValues({ dtype, reader }: ZarrArray, shape: readonly number[], given: unknown): void {
  const region = { shape, counts: shape, parts: [], hasLists: false };
  valuesOf(dtype, reader.firstCodec.type === "vlen", region, given);
}

function readerOf(array: unknown, what: string): ArrayReader {
  if (array instanceof ZarrArray) return array.reader;
  throw invalidArgument(`${what} needs an array that was opened or created`);
}

const defaultConcurrency = 16;

export function writingOptions(options: WriteRegionOptions): Writing {
  checkOptions(options);
  const { signal, concurrency = defaultConcurrency, conflicts = "retry" } = options;
  const { writeEmptyChunks = false, onProgress, pool } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw invalidArgument(`concurrency must be an integer of at least 1, not ${shown(concurrency)}`);
  if (!["retry", "error", "ignore"].includes(conflicts))
    throw invalidArgument(`conflicts must be "retry", "error" or "ignore", not ${shown(conflicts)}`);
  if (typeof writeEmptyChunks !== "boolean")
    throw invalidArgument(`writeEmptyChunks must be true or false, not ${shown(writeEmptyChunks)}`);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalidArgument(`onProgress must be a function, not ${shown(onProgress)}`);
  const encoders = pool && encodersOf(pool);
  return { signal, concurrency, conflicts, writeEmptyChunks, onProgress, encoders };
}
