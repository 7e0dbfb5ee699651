/** Writing regions of arrays. What does it is loaded when it is first called. */

import type { ElementData } from "../dtypes/elements.js";
import type { FillScalar } from "../dtypes/fill-source.js";
import type { Region, ZarrArray } from "../hierarchy/array.js";
import type { Selection } from "../plan/selection.js";
import type { Progress } from "../read/assemble.js";
import type { WorkerPool } from "../workers/pool.js";
import { writing } from "./create.js";

/** Elements in C order, alone or with their shape. */
type ManyValues =
  | ElementData
  | readonly unknown[]
  | Pick<Region<ElementData | readonly unknown[]>, "data" | "shape">;

/**
 * What is written to a selection: elements in C order as `get` gives them, alone or with their shape; strings for
 * strings of fixed length; or one element for all of it.
 */
export type SetValues = ManyValues | FillScalar | bigint;

export interface WriteChunkOptions {
  /** Ends the write between two chunks; the signal's reason is thrown. What is written is whole. */
  signal?: AbortSignal | undefined;
  /**
   * What to do where another program has written a chunk (or shard) since it was read to be changed in part, as far as
   * the store can tell: "retry" (default) reads and changes it again, ten times at most; "error" throws Conflict;
   * "ignore" writes over it.
   */
  conflicts?: "retry" | "error" | "ignore" | undefined;
  /** Stores chunks that are all fill value. Default: false, they are deleted. */
  writeEmptyChunks?: boolean | undefined;
  /**
   * Workers that encode, reading the values where they are if these lie in a SharedArrayBuffer. What is written does not
   * depend on it. Whatever goes wrong with them, the calling thread encodes instead.
   */
  pool?: WorkerPool | undefined;
}

export interface WriteRegionOptions extends WriteChunkOptions {
  /**
   * Most chunks that are in memory at a time. Default 16. Of shards that are larger than all these together two are
   * written at a time.
   */
  concurrency?: number | undefined;
  /**
   * Called after every chunk or shard; `bytes` are those that were written. What it throws ends the write; so does what
   * a promise that it returns rejects with, which is waited for.
   */
  onProgress?: ((progress: Progress) => unknown) | undefined;
}

/**
 * Writes a region. Chunks that it covers (as far as they lie in the array) are written as they are; of others what is
 * stored is read, changed and written again. Writes of this program to one chunk or shard wait for each other.
 *
 * @param selection as `get` takes it. Of an index that is listed twice the last value counts.
 * @param values which must not change until it is done.
 * @throws InvalidSelection, InvalidArgument, ReadOnly, LimitExceeded before anything is written; CorruptChunk for a
 *   chunk that is to be changed in part, EncodeFailed, Conflict, what the store throws, naming the chunk's key and with
 *   `written`: chunks that were not written are then as they were. The signal's reason.
 */
export async function set(
  array: ZarrArray,
  selection: Selection | undefined,
  values: SetValues,
  options: WriteRegionOptions = {},
): Promise<void> {
  return (await writing()).set(array, selection, values, options);
}

/**
 * Writes one whole chunk: C order, of its full shape also where it overhangs the array, as `getChunk` gives it; inside
 * a shard, too. @throws as {@link set} does.
 */
export async function setChunk(
  array: ZarrArray,
  coordinates: readonly number[],
  values: SetValues,
  options: WriteChunkOptions = {},
): Promise<void> {
  return (await writing()).setChunk(array, coordinates, values, options);
}

/**
 * Makes an array longer along an axis and writes values there. Calls in one program take turns; the array's length is
 * read again before. In stores with conditional writes other programs may append at the same time.
 * @param values with their shape, or elements for whole hyperplanes.
 * @throws Conflict if other programs change the shape every time; as `resize` and {@link set} do: nothing was appended
 *   then. Network ("unknown-outcome") if elements may have been appended; the message names missing ones.
 */
export async function append(
  array: ZarrArray,
  values: ManyValues,
  axis = 0,
  options: WriteRegionOptions = {},
): Promise<void> {
  return (await writing()).append(array, values, axis, options);
}
