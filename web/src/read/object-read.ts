/** Reads the chunks of one stored object, each whole or in part, and passes them to a visitor. */
import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import type { ChunkTask, Fetched } from "../plan/projections.js";
import { settleAll } from "../util/async.js";
import {
  type FetchOptions,
  isChange,
  type ObjectBytes,
  type StoredRange,
  wholeObject,
} from "./object-bytes.js";
import { type PartialReader, type Subarray, subarrayOf } from "./partial-rules.js";

/** Returns a reader of a subarray of a chunk; undefined if the chunk is read whole. */
export type MakePartial = (leaf: CoreChunkCodec, subarray: Subarray) => PartialReader | undefined;

/** Receives the chunks, in any order. */
export type Visit<T> = (task: T, fetched: Fetched) => void | Promise<void>;

/** One pass over the chunks of one stored object. */
export class ObjectRead<T extends ChunkTask> {
  #hasVisited = false;

  constructor(
    readonly bytes: ObjectBytes,
    readonly leaf: LeafChunkCodec,
    private readonly visitor: Visit<T>,
    /** Creates readers of parts of chunks; undefined if chunks are read whole. */
    private readonly makePartial: MakePartial | undefined,
  ) {}

  get options(): FetchOptions {
    return this.bytes.options;
  }

  /** Whether any chunk was passed to the visitor. */
  get hasVisited(): boolean {
    return this.#hasVisited;
  }

  /** Passes on a chunk as stored; undefined for a missing one. */
  visit(task: T, encoded: Uint8Array | undefined): void | Promise<void> {
    return this.#visit(task, { codec: this.leaf, encoded });
  }

  #visit(task: T, fetched: Fetched): void | Promise<void> {
    this.#hasVisited = true;
    return this.visitor(task, fetched);
  }

  /** Returns a reader of the selected part of a chunk, if that is cheaper than reading the chunk. */
  partial({ projections }: T): PartialReader | undefined {
    return projections && this.makePartial?.(this.leaf as CoreChunkCodec, subarrayOf(projections));
  }

  /** Reads an object that is one chunk. */
  async plain(key: string, task: T): Promise<void> {
    const { limiter, signal } = this.options;
    await limiter.run(async () => {
      const partial = this.partial(task);
      // Parts of a chunk must come from one version of it.
      if (partial) return this.visitPart(task, partial, { key, offset: 0, length: undefined, version: {} });
      await this.visit(
        task,
        await this.bytes.read(key, undefined, undefined, signal, this.leaf.encodedBound),
      );
    }, signal);
  }

  /** Reads the selected part of a chunk, or all of it if the reader prefers that. */
  async visitPart(task: T, partial: PartialReader, at: StoredRange): Promise<void> {
    const fetched = await this.#readPart(partial, at);
    if (fetched !== "whole") return this.#visit(task, fetched ?? { codec: this.leaf, encoded: undefined });
    const { signal } = this.options;
    // Omits the version of the parts read so far, because the object may have changed since.
    const encoded =
      at.length === undefined
        ? await this.bytes.read(at.key, undefined, undefined, signal, this.leaf.encodedBound)
        : await wholeObject(this.bytes, at, signal);
    await this.visit(task, encoded);
  }

  /**
   * Passes on chunks that are in memory, in parallel, so that decoding threads receive all of them. Chunks that are
   * decoded at once need no promises.
   * @param bytesOf returns the bytes of a chunk, or throws.
   * @throws the first error, once nothing is in flight.
   */
  async visitAll<P extends readonly [T, StoredRange]>(
    members: readonly P[],
    bytesOf: (part: StoredRange) => Uint8Array | undefined,
  ): Promise<void> {
    const visits: Promise<void>[] = [];
    const onFailure = (error: unknown) => isChange(error) || this.options.onFailure?.(error);
    try {
      for (const [task, part] of members) {
        const done = this.visit(task, bytesOf(part));
        if (done) visits.push(done);
      }
    } catch (error) {
      onFailure(error);
      await Promise.allSettled(visits);
      throw error;
    }
    if (visits.length > 0) await settleAll(visits, onFailure);
  }

  /** If the chunk changes between two reads of its parts, it is read whole. */
  async #readPart(partial: PartialReader, part: StoredRange): ReturnType<PartialReader["read"]> {
    try {
      return await partial.read(this.bytes, part, this.options.signal);
    } catch (error) {
      if (part.length === undefined && isChange(error)) return "whole";
      throw error;
    }
  }
}
