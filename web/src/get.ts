/** Reading regions of arrays. */
import { type Region, ZarrArray } from "./array.js";
import type { DType } from "./dtypes/dtype.js";
import { checkElements, type ElementData, toBytes, toElements, widensHalf } from "./dtypes/elements.js";
import { invalidArgument, limitExceeded } from "./errors.js";
import { assemble, type Progress } from "./region/assemble.js";
import { resolveSelection, type Selection } from "./region/selection.js";
import { countOf, stridesOf } from "./region/strides.js";

export interface ReadOptions {
  /** Aborts the read: requests are cancelled and the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Most chunks fetched at a time. Default 16. */
  concurrency?: number | undefined;
  /** Called after every chunk. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** The result is backed by a SharedArrayBuffer. */
  useSharedArrayBuffer?: boolean | undefined;
}

export interface ReadIntoOptions extends ReadOptions {
  /** The caller's typed array to fill instead of a new one: of the data type's kind and of the result's length. */
  out?: ElementData | undefined;
}

/** A region as raw element bytes: C order, little-endian, packed. */
export interface BytesRegion {
  readonly bytes: Uint8Array;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

const defaultConcurrency = 16;

/**
 * Reads a region.
 *
 * @param selection one entry per dimension: an index (which drops the dimension), a `slice`, or null for
 *   all of it; trailing entries may be left out, and null means everything.
 * @returns elements in C order; with indices only, the shape is [] and `data` has one element.
 * @throws InvalidSelection, InvalidArgument, LimitExceeded before anything is read; Network, CorruptChunk
 *   and others naming the chunk's key; the signal's reason when aborted. Nothing is returned then.
 */
export async function get(
  array: ZarrArray,
  selection?: Selection,
  options: ReadIntoOptions = {},
): Promise<Region> {
  const { shape, ranges } = resultOf(array, selection);
  const { dtype } = array;
  const { out } = options;
  if (out !== undefined) checkElements(dtype, out, countOf(shape), "out");
  // Where float16 is widened, elements are put together narrow first.
  const target =
    out !== undefined && !widensHalf(dtype) ? toBytes(dtype, out) : newBytes(array, shape, options);
  await assemble(sourceOf(array), ranges, target, assembleOptions(options));
  const data = out !== undefined && !widensHalf(dtype) ? out : toElements(dtype, target);
  if (out !== undefined && data !== out) (out as Float32Array).set(data as Float32Array);
  return { data: out ?? data, shape, stride: stridesOf(shape), dtype };
}

/** Like {@link get}, as raw element bytes: for data types that JavaScript has no numbers for, and for writing files. */
export async function getBytes(
  array: ZarrArray,
  selection?: Selection,
  options: ReadOptions = {},
): Promise<BytesRegion> {
  const { shape, ranges } = resultOf(array, selection);
  const bytes = newBytes(array, shape, options);
  await assemble(sourceOf(array), ranges, bytes, assembleOptions(options));
  return { bytes, shape, dtype: array.dtype };
}

function resultOf(array: ZarrArray, selection: Selection | undefined) {
  if (!(array instanceof ZarrArray)) throw invalidArgument("get needs an array that was opened with open()");
  const ranges = resolveSelection(selection, array.shape);
  const shape = ranges.filter((range) => !range.dropped).map((range) => range.count);
  return { shape, ranges };
}

function newBytes(
  array: ZarrArray,
  shape: readonly number[],
  { useSharedArrayBuffer }: ReadOptions,
): Uint8Array {
  const bytes = countOf(shape) * array.dtype.itemBytes;
  if (bytes > array.limits.resultBytes) {
    throw limitExceeded(
      `the selection has ${bytes} bytes, more than the limit of ${array.limits.resultBytes}`,
    );
  }
  try {
    return new Uint8Array(useSharedArrayBuffer ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  } catch (cause) {
    throw limitExceeded(`no memory for a result of ${bytes} bytes`, { code: "out-of-memory", cause });
  }
}

function sourceOf(array: ZarrArray) {
  const { plan, chunkShape } = array.spec;
  return {
    plan,
    chunkShape,
    fetchChunk: (coordinates: readonly number[], signal: AbortSignal) =>
      array.fetchChunk(coordinates, { signal }),
    chunkKey: (coordinates: readonly number[]) => array.chunkKey(coordinates),
  };
}

function assembleOptions({ signal, concurrency = defaultConcurrency, onProgress }: ReadOptions) {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw invalidArgument(`concurrency must be a positive integer, not ${concurrency}`);
  }
  return { signal, concurrency, onProgress };
}
