/**
 * Reads stored objects within the limits of a read: their bytes, and their chunks, each whole or in part (partial.ts).
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import type { ChunkList, ChunkTask, FetchedChunk, Projection } from "../plan/projections.js";
import { readLeased, readRange, wantedBytes } from "../store/read.js";
import type { ObjectVersion, RangeQuery, Store } from "../store/store.js";
import type { Transport } from "../store/transport.js";
import { type Limiter, settleAll } from "../util/async.js";
import { limitExceeded } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { countOf } from "../util/shapes.js";

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
  /** Called with the size of each response. */
  onBytes?(bytes: number): void;
  /** Called at the first failure, to abort the other requests. */
  onFailure?(error: unknown): void;
  /** Called for each missing chunk of a batch. */
  onMissing?: ((coordinates: readonly number[]) => void) | undefined;
  /** Called for each chunk of a batch after it was placed. */
  onPlaced?(): void;
}

/** Receives the chunks of an object, in any order. */
export type Put<T extends ChunkTask> = (chunk: FetchedChunk<T>) => void | Promise<void>;

/** Reads stored objects whose chunks have one codec. */
export class ObjectReader {
  constructor(
    private readonly store: Store,
    private readonly limits: Limits,
    readonly leaf: LeafChunkCodec,
    readonly options: FetchOptions,
    /** Creates readers of parts of chunks; undefined if chunks are read whole. */
    private readonly makePartial: MakePartial | undefined,
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

  /** Returns a chunk as stored. @param encoded undefined for a missing one. */
  chunk<T extends ChunkTask>(task: T, encoded: Uint8Array | undefined): FetchedChunk<T> {
    return { task, codec: this.leaf, encoded };
  }

  /** Whether some chunks may be read in part. */
  get readsParts(): boolean {
    return this.makePartial !== undefined;
  }

  /** Returns a reader of the selected part of a chunk, if that is cheaper than reading the chunk. */
  partial({ projections }: ChunkTask): ReadPart | undefined {
    return projections && this.makePartial?.(this.leaf as CoreChunkCodec, subarrayOf(projections));
  }

  /** Reads an object that is one chunk. */
  async readPlain<T extends ChunkTask>(key: string, task: T): Promise<FetchedChunk<T>> {
    const partial = this.partial(task);
    // Parts of a chunk must come from one version of it.
    if (partial) return partial(this, task, { key, offset: 0, length: undefined, version: {} });
    return this.chunk(task, await this.readChunk(key));
  }

  /** Reads an object that is one chunk, as bytes. */
  readChunk(key: string): Promise<Uint8Array | undefined> {
    return this.read(key, undefined, undefined, this.options.signal, this.leaf.encodedBound);
  }
}

/**
 * Passes on chunks that are in memory, in parallel, so that decoding threads receive all of them. Chunks that are
 * decoded at once need no promises.
 * @throws the first error, once nothing is in flight.
 */
export async function putAll<T extends ChunkTask>(
  chunks: Iterable<FetchedChunk<T>>,
  put: Put<T>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const pending: Promise<void>[] = [];
  try {
    for (const chunk of chunks) {
      const done = put(chunk);
      if (done) pending.push(done);
    }
  } catch (error) {
    pending.push(Promise.reject(error));
  }
  if (pending.length > 0) await settleAll(pending, onFailure);
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

/** Uncompressed chunks smaller than this are read whole: one request costs more than their bytes. */
const minPlainBytes = 2 ** 16;
/** Blosc chunks smaller than this (decoded) are read whole: two requests cost more. */
const minBloscBytes = 2 ** 20;

/** A subarray of a chunk, along the array's axes. */
export interface Subarray {
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

/** Reads the selected part of a chunk, or all of it. */
export type ReadPart = <T extends ChunkTask>(
  object: ObjectReader,
  task: T,
  at: StoredRange,
) => Promise<FetchedChunk<T>>;

/** Returns a reader of a subarray of a chunk; undefined if the chunk is read whole. */
type MakePartial = (leaf: CoreChunkCodec, subarray: Subarray) => ReadPart | undefined;

/** Returns the smallest subarray that holds the projections of a chunk. */
function subarrayOf(projections: readonly Projection[]): Subarray {
  return {
    start: projections.map((projection) => projection.start),
    shape: projections.map((projection) => (projection.count - 1) * projection.step + 1),
  };
}

export type Kind = "plain" | "blosc";

/** Returns the kind of partial reads that chunks support, if any. */
export function kindOf({ chain, plan }: CoreChunkCodec): Kind | undefined {
  const { before, toBytes, after } = chain;
  const movesWholeElements =
    before.every((step) => step.core === "transpose") &&
    toBytes.type === "core" &&
    toBytes.step.core === "bytes";
  if (!movesWholeElements) return undefined;
  if (after.length === 0) return plan.decodedBytes >= minPlainBytes ? "plain" : undefined;
  const isBlosc = after.length === 1 && after[0]!.core === "blosc";
  return isBlosc && plan.decodedBytes >= minBloscBytes ? "blosc" : undefined;
}

/**
 * Whether some of these chunks may be read in part: their codecs support it, and at most half of a chunk is
 * selected.
 */
export function anyReadInPart(leaf: LeafChunkCodec, chunks: ChunkList<ChunkTask>): boolean {
  if (leaf.type !== "core" || kindOf(leaf) === undefined) return false;
  const maxCount = countOf(leaf.shape) / 2;
  for (let n = 0; n < chunks.count; n++) {
    const { projections } = chunks.task(n);
    if (projections && countOf(subarrayOf(projections).shape) <= maxCount) return true;
  }
  return false;
}
