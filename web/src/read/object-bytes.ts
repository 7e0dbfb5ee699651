/**
 * Reads bytes of stored objects within the limits of a read: whole objects, and ranges that hold encoded chunks.
 */

import { cutRange, readLeased, readRange, wantedBytes } from "../store/read.js";
import { changedError, type ObjectVersion, type RangeQuery, type Store } from "../store/store.js";
import type { Transport } from "../store/transport.js";
import type { Limiter } from "../util/async.js";
import { corruptChunk, isZarrError, limitExceeded } from "../util/errors.js";
import type { Limits } from "../util/limits.js";

/** Limits within which parts of an object are read with one request, in bytes. */
export interface Coalescing {
  /** Maximum gap between two parts. */
  readonly maxGap: number;
  /** Maximum size of a request. */
  readonly maxBytes: number;
  /** A shard is read whole if all its chunks are selected and decode to at most this size. Default: 0. */
  readonly wholeBytes?: number;
}

export interface FetchOptions {
  readonly signal: AbortSignal | undefined;
  /** Bounds memory: each slot holds one encoded chunk or one merged range. */
  readonly limiter: Limiter;
  /** Bounds concurrent requests: a chunk that is read in parts needs several. */
  readonly requests: Limiter;
  readonly coalescing: Coalescing;
  /** Sends requests for whole objects instead of the store, if it is a plain HTTP store. */
  readonly transport?: Transport | undefined;
  /** The object, if it was read together with others. */
  readonly loaded?: Uint8Array | undefined;
  /** Called with the size of each response. */
  onBytes?(bytes: number): void;
  /** Called at the first failure, to abort the other requests. */
  onFailure?(error: unknown): void;
}

/** Whether an error means that an object has changed since other parts of it were read. */
export const isChange = (error: unknown): boolean =>
  isZarrError(error, "Network") && error.code === "changed";

export class ObjectBytes {
  constructor(
    private readonly store: Store,
    private readonly limits: Limits,
    readonly options: FetchOptions,
  ) {}

  /**
   * Reads a range of an object, or all of it. May return fewer bytes at the end of the object.
   * @param maxBytes limit for the whole object.
   * @returns undefined if the object is missing.
   * @throws LimitExceeded; errors of the store.
   */
  async read(
    key: string,
    range: RangeQuery | undefined,
    version: ObjectVersion | undefined,
    signal: AbortSignal | undefined,
    maxBytes = this.limits.encodedBytes,
  ): Promise<Uint8Array | undefined> {
    const wanted = range ? wantedBytes(range) : maxBytes;
    if (wanted === 0) return new Uint8Array(0);
    const { store, limits, options } = this;
    if (options.loaded) return range ? cutRange(options.loaded, range) : options.loaded;
    const get = { signal, version, maxBytes: Math.min(wanted, limits.encodedBytes) };
    const bytes = await options.requests.run(
      () => (range ? readRange(store, key, range, get) : readLeased(store, key, get, options.transport)),
      signal,
    );
    const size = bytes?.byteLength ?? 0;
    if (size > limits.encodedBytes)
      throw limitExceeded(`the chunk has ${size} bytes, more than the limit of ${limits.encodedBytes}`);
    options.onBytes?.(size);
    return bytes;
  }
}

/** Consecutive bytes of a larger sequence. */
export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
}

/** A byte range of an object. */
export interface StoredRange {
  /** Store key of the object. */
  readonly key: string;
  /** Offset in the object, or in `bytes` if given. */
  readonly offset: number;
  /** Undefined for a range to the end of the object. */
  readonly length: number | undefined;
  /** The object or a decoded shard in memory, which `offset` refers to. */
  readonly bytes?: Uint8Array | undefined;
  /** Ensures that all reads are of one version of the object; see `GetOptions.version`. */
  readonly version?: ObjectVersion | undefined;
}

/**
 * Reads `length` bytes at an offset within a part, or fewer if the object or the part ends before.
 * @returns undefined if the object is missing.
 * @throws Network ("changed") if the object is missing although the index that located the part existed:
 *   chunks listed in an index must not be read as never stored.
 */
export async function readWithin(
  object: ObjectBytes,
  part: StoredRange,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const available = Math.max(0, Math.min(length, (part.length ?? Number.MAX_SAFE_INTEGER) - offset));
  const start = part.offset + offset;
  if (part.bytes) return part.bytes.subarray(start, start + available);
  const bytes = await object.read(part.key, { offset: start, length: available }, part.version, signal);
  if (!bytes && part.length !== undefined) throw changedError(part.key);
  return bytes;
}

/** Reads all of a part. */
export async function wholeObject(
  object: ObjectBytes,
  part: StoredRange,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (part.length === undefined) return object.read(part.key, undefined, part.version, signal);
  return exactly(await readWithin(object, part, 0, part.length, signal), part.length);
}

/** Checks that a read returned all requested bytes. @throws CorruptChunk ("truncated") */
export function exactly(bytes: Uint8Array | undefined, length: number): Uint8Array | undefined {
  if (bytes && bytes.byteLength !== length) {
    throw corruptChunk(`the object ends after ${bytes.byteLength} of the chunk's ${length} bytes`, {
      code: "truncated",
    });
  }
  return bytes;
}
