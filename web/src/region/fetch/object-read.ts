/** Reading the chunks of one stored object: each whole or in part. */

import { isZarrError } from "../../base/errors.js";
import { lazy } from "../../base/lazy.js";
import type { Limiter } from "../../base/limiter.js";
import type { CoreLeaf, Leaf } from "../../chain/layout.js";
import { wantedBytes } from "../../store/ranges.js";
import type { Projection } from "../selection/projections.js";
import type { partialReader as PartialReaderOf } from "./partial.js";
import { mayReadInPart, type PartialReader, type SubarrayBytes, subarrayOf } from "./partial-rules.js";
import {
  type Coalescing,
  type ReadRange,
  readWithin,
  type StoredRange,
  wholeObject,
} from "./stored-range.js";

const partialReading = lazy("partial reading", () => import("../../lazy/partial-reading.js"));

/** One chunk to read. */
export interface ChunkTask {
  /** Position in the grid of the chunks that are decoded (of the inner chunks, where there are shards). */
  readonly coordinates: readonly number[];
  /** The part of it that is wanted, per axis; without them all of it. */
  readonly projections?: readonly Projection[];
  /** Chunks of one object with lower ranks are read first; all have one, or none. */
  readonly rank?: number | undefined;
}

/** What was read of a chunk: all of it encoded, or a subarray of its elements. */
export type Fetched = { readonly encoded: Uint8Array } | SubarrayBytes;

export interface FetchOptions {
  readonly signal: AbortSignal | undefined;
  /** Bounds what is in memory: one place holds one encoded chunk, or one merged range. */
  readonly limiter: Limiter;
  /** Bounds the requests at a time: a chunk that is read in parts takes several. */
  readonly requests: Limiter;
  readonly coalescing: Coalescing;
  /** Called with the size of everything that was read. */
  onBytes?(bytes: number): void;
  /** Called at the first failure, so that what is under way can be given up. */
  onFailure?(error: unknown): void;
}

/** Receives a chunk, undefined for a missing one; called in any order. Encoded bytes may be given back after use. */
export type Visit<T> = (task: T, fetched: Fetched | undefined) => void | Promise<void>;

/** Whether an object turned out to have changed since something else of it was read. */
export const isChange = (error: unknown): boolean =>
  isZarrError(error, "Network") && error.code === "changed";

/** One pass over the chunks of one stored object. */
export class ObjectRead<T extends ChunkTask> {
  /** Reads within the bounds of the options. */
  readonly read: ReadRange;
  #hasVisited = false;
  #partialReader: typeof PartialReaderOf | undefined;

  constructor(
    read: ReadRange,
    private readonly leaf: Leaf,
    readonly options: FetchOptions,
    private readonly visitor: Visit<T>,
  ) {
    this.read = async (key, range, version, signal) => {
      if (range && wantedBytes(range) === 0) return new Uint8Array(0);
      const bytes = await options.requests.run(() => read(key, range, version, signal), signal);
      options.onBytes?.(bytes?.byteLength ?? 0);
      return bytes;
    };
  }

  /** Whether any chunk has been handed out. */
  get hasVisited(): boolean {
    return this.#hasVisited;
  }

  /** Hands out a chunk. */
  async visit(task: T, fetched: Fetched | undefined): Promise<void> {
    this.#hasVisited = true;
    await this.visitor(task, fetched);
  }

  /** Whether some of these chunks may be read in part: what that takes is loaded then. */
  mayReadInPart(tasks: readonly T[]): boolean {
    const { leaf } = this;
    return (
      leaf.type === "core" &&
      tasks.some(({ projections }) => projections && mayReadInPart(leaf, subarrayOf(projections)))
    );
  }

  async loadPartial(): Promise<void> {
    this.#partialReader = (await partialReading()).partialReader;
  }

  /** A way to read less than a whole chunk, where that is worth it. To be loaded before. */
  partial({ projections }: T): PartialReader | undefined {
    if (!projections || !this.#partialReader) return undefined;
    return this.#partialReader(this.leaf as CoreLeaf, subarrayOf(projections));
  }

  /** An object that is one chunk. */
  async plain(key: string, task: T): Promise<void> {
    const { limiter, signal } = this.options;
    await limiter.run(async () => {
      const partial = this.partial(task);
      // Parts of a chunk must come from one version of it.
      const part = { key, offset: 0, length: undefined, ...(partial && { version: {} }) };
      await this.visitPart(task, partial, part);
    }, signal);
  }

  /** Reads a chunk, or what is wanted of it, and hands it out. */
  async visitPart(task: T, partial: PartialReader | undefined, at: StoredRange): Promise<void> {
    await this.visit(task, await this.#readPartOrAll(partial, at));
  }

  /** A chunk that changes between two reads of it is read with one. */
  async #readWithin(partial: PartialReader, part: StoredRange): ReturnType<PartialReader["read"]> {
    try {
      return await partial.read(this.read, part, this.options.signal);
    } catch (error) {
      if (part.length === undefined && isChange(error)) return "whole";
      throw error;
    }
  }

  async #readPartOrAll(partial: PartialReader | undefined, part: StoredRange): Promise<Fetched | undefined> {
    const { signal } = this.options;
    const subarray = partial ? await this.#readWithin(partial, part) : "whole";
    if (subarray !== "whole") return subarray;
    const encoded = part.bytes
      ? await readWithin(this.read, part, 0, part.length!, signal)
      : await wholeObject(
          this.read,
          { ...part, version: part.length === undefined ? undefined : part.version },
          signal,
        );
    return encoded && { encoded };
  }
}
