/** Reads bytes of stored objects within the limits of a read. */
import { cutRange, readLeased, readRange, wantedBytes } from "../store/read.js";
import type { ObjectVersion, RangeQuery, Store } from "../store/store.js";
import type { Transport } from "../store/transport.js";
import type { Limiter } from "../util/async.js";
import { isZarrError, limitExceeded } from "../util/errors.js";
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
