/** Reads regions of arrays. */

import type { DType } from "../dtypes/dtype.js";
import type { ElementData, Elements, ElementsLike, ReadAs } from "../dtypes/elements.js";
import type { DTypeName } from "../dtypes/names.js";
import type { Selection } from "../plan/selection.js";
import { checkPriority, type Priority } from "../plan/slabs.js";
import type { Progress } from "../read/assemble.js";
import { type RegionOptions, readBytesOf, readElementsOf, resolveWanted } from "../read/read-region.js";
import { type ArrayReader, defaultCoalescing } from "../read/reader.js";
import { checkOptions, type OptionNames, sharedOptions } from "../util/arguments.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { stridesOf } from "../util/shapes.js";
import type { WorkerPool } from "../workers/pool.js";
import { type GetChunkOptions, type Region, ZarrArray } from "./array.js";

export interface GetBytesOptions {
  /** Aborts the read: requests are cancelled and the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Maximum number of chunks (or merged ranges of shards) fetched in parallel. Default: 16. */
  concurrency?: number | undefined;
  /**
   * Order of the chunks: "centre" (or "center") reads those nearest to the centre of the selection first; a
   * function of the coordinates (as for `getChunk`) returns a number per chunk, and lower ones are read first.
   * With a priority, each chunk is copied to `out` as it arrives. Default: C order, copied in batches of the
   * most efficient size.
   */
  priority?: Priority | undefined;
  /** Called after every chunk. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Called for each chunk that is not stored and is read as the fill value, with its coordinates as for
   * `getChunk`.
   */
  onMissing?: ((coordinates: readonly number[]) => void) | undefined;
  /** Workers that decode the chunks. Default: the calling thread decodes. */
  pool?: WorkerPool | undefined;
  /** Backs the result with a SharedArrayBuffer. */
  useSharedArrayBuffer?: boolean | undefined;
  /** Inner chunks of a shard at most this many bytes apart are read with one request. Default: 1 MiB. */
  coalesceMaxGap?: number | undefined;
  /** Maximum bytes of such a merged request. Default: 16 MiB. */
  coalesceMaxBytes?: number | undefined;
  /**
   * A shard is read with one request, without requesting its index first, if all its chunks are selected and
   * together have at most this many decoded bytes. Default: 0.
   */
  wholeShardBytes?: number | undefined;
}

export interface GetOptions extends GetBytesOptions {
  /**
   * The caller's typed array (or list, for types of variable length) to fill, of the result's length.
   * Default: a new one.
   */
  out?: ElementData | unknown[] | undefined;
}

/** A region as raw element bytes: C order, little-endian, packed. */
export interface BytesRegion<B extends ArrayBufferLike = ArrayBufferLike> {
  readonly bytes: Uint8Array<B>;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** Buffer of a result, by the option `useSharedArrayBuffer`. */
export type ResultBuffer<S extends boolean | undefined> = S extends true ? SharedArrayBuffer : ArrayBuffer;

/** Options of `getBytes`. */
export const bytesOptions: OptionNames<GetBytesOptions> = {
  ...sharedOptions,
  priority: true,
  onMissing: true,
  useSharedArrayBuffer: true,
  coalesceMaxGap: true,
  coalesceMaxBytes: true,
  wholeShardBytes: true,
};
const getOptions: OptionNames<GetOptions> = { ...bytesOptions, out: true };

const defaultConcurrency = 16;

/**
 * Reads a region.
 *
 * @param selection one entry per dimension: an index (which drops the dimension), a `slice`, a list of
 *   indices or booleans, or null for the whole dimension; "..." stands for as many nulls as fit, and trailing
 *   entries may be omitted. Or an object with entries by dimension name, or null for the whole array.
 * @returns elements in C order; with indices only, the shape is [] and `data` has one element. Elements of
 *   variable length are returned as a list: `get<string[]>(…)`.
 * @throws InvalidSelection, InvalidArgument, LimitExceeded before anything is read; Network, CorruptChunk and
 *   others naming the chunk's key; the signal's reason if aborted. No partial result is returned.
 */
export async function get<D extends DTypeName, T extends ElementsLike<D>>(
  array: ZarrArray<D>,
  selection: Selection | undefined,
  options: GetOptions & { out: T },
): Promise<Region<T>>;
export async function get<D extends DTypeName, S extends boolean | undefined = false>(
  array: ZarrArray<D>,
  selection?: Selection,
  options?: GetOptions & { out?: undefined; useSharedArrayBuffer?: S },
): Promise<Region<ReadAs<D, ResultBuffer<S>>>>;
export async function get<D extends DTypeName>(
  array: ZarrArray<D>,
  selection?: Selection,
  options?: GetOptions & { out?: ElementsLike<D> | undefined },
): Promise<Region<ReadAs<D, ArrayBufferLike>>>;
/** Reads a region as elements of a type that the caller knows: `get<string[]>(…)`. */
export async function get<T extends Elements = never>(
  array: [T] extends [never] ? never : ZarrArray,
  selection?: Selection,
  options?: GetOptions,
): Promise<Region<T>>;
export async function get(
  array: ZarrArray,
  selection?: Selection,
  options: GetOptions = {},
): Promise<Region<Elements>> {
  const reader = readerOf(array);
  checkOptions(options, getOptions);
  const wanted = resolveWanted(reader, selection);
  const data = await readElementsOf(reader, wanted, regionOptions(options), options);
  const { shape } = wanted;
  return { data, shape, stride: stridesOf(shape), dtype: array.dtype };
}

/**
 * Like {@link get}, as raw element bytes: for data types without a JavaScript number type, and for writing
 * files.
 */
export async function getBytes<S extends boolean | undefined = false>(
  array: ZarrArray,
  selection?: Selection,
  options: GetBytesOptions & { useSharedArrayBuffer?: S } = {},
): Promise<BytesRegion<ResultBuffer<S>>> {
  const reader = readerOf(array);
  checkOptions(options, bytesOptions);
  const wanted = resolveWanted(reader, selection);
  const { dtype } = array;
  if (dtype.isVariable) throw invalidArgument(`elements of data type ${dtype} have no fixed size; use get`);
  const bytes = await readBytesOf(reader, wanted, regionOptions(options), options);
  return { bytes: bytes as Uint8Array<ResultBuffer<S>>, shape: wanted.shape, dtype };
}

/** Reads one whole chunk: {@link ZarrArray.getChunk} as a function, beside `setChunk`. */
export async function getChunk<D extends DTypeName>(
  array: ZarrArray<D>,
  coordinates: readonly number[],
  options?: GetChunkOptions,
): Promise<Region<ReadAs<D>>> {
  readerOf(array, "getChunk");
  return array.getChunk(coordinates, options);
}

function readerOf(array: ZarrArray, what = "get"): ArrayReader {
  if (array instanceof ZarrArray) return array.reader;
  throw invalidArgument(`${what} expects an array returned by open() or create()`);
}

function regionOptions(options: GetBytesOptions): RegionOptions {
  const { signal, pool, concurrency = defaultConcurrency, onProgress, onMissing, priority } = options;
  checkPriority(priority);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalidArgument(`onProgress must be a function, not ${describeValue(onProgress)}`);
  const { coalesceMaxGap: maxGap = defaultCoalescing.maxGap } = options;
  const { coalesceMaxBytes: maxBytes = defaultCoalescing.maxBytes } = options;
  const { wholeShardBytes: wholeBytes = 0 } = options;
  for (const [name, value, least] of [
    ["concurrency", concurrency, 1],
    ["coalesceMaxGap", maxGap, 0],
    ["coalesceMaxBytes", maxBytes, 1],
    ["wholeShardBytes", wholeBytes, 0],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < least)
      throw invalidArgument(`${name} must be an integer of at least ${least}, not ${describeValue(value)}`);
  }
  const coalescing = { maxGap, maxBytes, wholeBytes };
  return { signal, pool, concurrency, coalescing, onProgress, onMissing, priority };
}
