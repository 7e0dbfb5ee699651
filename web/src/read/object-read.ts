/** Reading the chunks of one stored object: each whole or in part. */

import type { CoreChunkCodec } from "../chain/core-chunk.js";
import type { Leaf } from "../chain/layout.js";
import type { ChunkTask, Fetched } from "../plan/task.js";
import { readLeased } from "../store/buffer-lease.js";
import { cutRange, readRange, wantedBytes } from "../store/read.js";
import type { ObjectVersion, RangeQuery, Store } from "../store/store.js";
import type { Transport } from "../store/transport.js";
import { isZarrError, limitExceeded } from "../util/errors.js";
import type { Limiter } from "../util/limiter.js";
import type { Limits } from "../util/limits.js";
import { type PartialReader, type Subarray, subarrayOf } from "./partial-rules.js";
import { type Coalescing, readWithin, type StoredRange, wholeObject } from "./stored-range.js";

export interface FetchOptions {
  readonly signal: AbortSignal | undefined;
  /** Bounds what is in memory: one place holds one encoded chunk, or one merged range. */
  readonly limiter: Limiter;
  /** Bounds the requests at a time: a chunk that is read in parts takes several. */
  readonly requests: Limiter;
  readonly coalescing: Coalescing;
  /** What sends requests for whole objects, where the store is one over HTTP that does nothing else with them. */
  readonly transport?: Transport | undefined;
  /** The object, where its bytes have been read with those of others. */
  readonly loaded?: Uint8Array | undefined;
  /** Called with the size of everything that was read. */
  onBytes?(bytes: number): void;
  /** Called at the first failure, so that what is under way can be given up. */
  onFailure?(error: unknown): void;
}

/** Returns a reader of a subarray of a chunk; undefined if the chunk is read whole. */
export type MakePartial = (leaf: CoreChunkCodec, subarray: Subarray) => PartialReader | undefined;

/** Receives a chunk; called in any order. */
export type Visit<T> = (task: T, fetched: Fetched) => void | Promise<void>;

/** Whether an object turned out to have changed since something else of it was read. */
export const isChange = (error: unknown): boolean =>
  isZarrError(error, "Network") && error.code === "changed";

/** One pass over the chunks of one stored object. */
export class ObjectRead<T extends ChunkTask> {
  #hasVisited = false;

  constructor(
    private readonly store: Store,
    private readonly limits: Limits,
    readonly leaf: Leaf,
    readonly options: FetchOptions,
    private readonly visitor: Visit<T>,
    /** Makes readers of parts of chunks; undefined if chunks are read whole. */
    private readonly makePartial: MakePartial | undefined,
  ) {}

  /**
   * Reads a range of the object, or all of it, within the bounds of the options. May return less at its end.
   * @param maxBytes of the whole object
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

  /** Whether any chunk has been handed out. */
  get hasVisited(): boolean {
    return this.#hasVisited;
  }

  /** Hands out a chunk as it is stored; undefined for one that is not. */
  async visit(task: T, encoded: Uint8Array | undefined): Promise<void> {
    await this.#visit(task, { codec: this.leaf, encoded });
  }

  async #visit(task: T, fetched: Fetched): Promise<void> {
    this.#hasVisited = true;
    await this.visitor(task, fetched);
  }

  /** Returns a way to read less than a whole chunk, if that is worth it. */
  partial({ projections }: T): PartialReader | undefined {
    return projections && this.makePartial?.(this.leaf as CoreChunkCodec, subarrayOf(projections));
  }

  /** An object that is one chunk. */
  async plain(key: string, task: T): Promise<void> {
    const { limiter, signal } = this.options;
    await limiter.run(async () => {
      const partial = this.partial(task);
      // Parts of a chunk must come from one version of it.
      if (partial) return this.visitPart(task, partial, { key, offset: 0, length: undefined, version: {} });
      await this.visit(task, await this.read(key, undefined, undefined, signal, this.leaf.encodedBound));
    }, signal);
  }

  /** Reads what is wanted of a chunk, or all of it where that turns out better, and hands it out. */
  async visitPart(task: T, partial: PartialReader, at: StoredRange): Promise<void> {
    const fetched = await this.#readPart(partial, at);
    if (fetched !== "whole") return this.#visit(task, fetched ?? { codec: this.leaf, encoded: undefined });
    const { signal } = this.options;
    // What was seen of an object that may have changed says nothing of it as a whole.
    const encoded =
      at.length === undefined
        ? await this.read(at.key, undefined, undefined, signal, this.leaf.encodedBound)
        : await wholeObject(this, at, signal);
    await this.visit(task, encoded);
  }

  /** Hands out a chunk of an object that is in memory. */
  async visitLoaded(task: T, at: StoredRange): Promise<void> {
    await this.visit(task, await readWithin(this, at, 0, at.length!, this.options.signal));
  }

  /** A chunk that changes between two reads of it is read with one. */
  async #readPart(partial: PartialReader, part: StoredRange): ReturnType<PartialReader["read"]> {
    try {
      return await partial.read(this, part, this.options.signal);
    } catch (error) {
      if (part.length === undefined && isChange(error)) return "whole";
      throw error;
    }
  }
}
