/** Reading the chunks of one stored object: each whole or in part. */
import type { CoreLeaf, Leaf } from "../../chain/layout.js";
import { isZarrError } from "../../base/errors.js";
import { part } from "../../base/lazy.js";
import type { Limiter } from "../../base/limiter.js";
import { wantedBytes } from "../../store/ranges.js";
import type { partialReader as PartialReaderOf } from "./partial.js";
import { type BoxBytes, boxOf, mayReadInPart, type PartialReader } from "./partial-rules.js";
import { type Coalescing, type ObjectPart, type ReadPart, readPart, wholeObject } from "./stored-range.js";
import type { Piece } from "../selection/projections.js";

const partialReading = part("partial reading", () => import("../../lazy/partial-reading.js"));

/** One chunk to read. */
export interface ChunkTask {
  /** Position in the grid of the chunks that are decoded (of the inner chunks, where there are shards). */
  readonly coordinates: readonly number[];
  /** The part of it that is wanted, per axis; without them all of it. */
  readonly pieces?: readonly Piece[];
  /** Chunks of one object with lower ranks are read first; all have one, or none. */
  readonly rank?: number | undefined;
}

/** What was read of a chunk: all of it encoded, or a box of its elements. */
export type Fetched = { readonly encoded: Uint8Array } | BoxBytes;

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

/** One run over the chunks of one stored object. */
export class ObjectRead<T extends ChunkTask> {
  /** Reads within the bounds of the options. */
  readonly read: ReadPart;
  #hasVisited = false;
  #partialReader: typeof PartialReaderOf | undefined;

  constructor(
    read: ReadPart,
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
    return leaf.type === "core" && tasks.some(({ pieces }) => pieces && mayReadInPart(leaf, boxOf(pieces)));
  }

  async loadPartial(): Promise<void> {
    this.#partialReader = (await partialReading()).partialReader;
  }

  /** A way to read less than a whole chunk, where that is worth it. To be loaded before. */
  partial({ pieces }: T): PartialReader | undefined {
    if (!pieces || !this.#partialReader) return undefined;
    return this.#partialReader(this.leaf as CoreLeaf, boxOf(pieces));
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
  async visitPart(task: T, partial: PartialReader | undefined, at: ObjectPart): Promise<void> {
    await this.visit(task, await this.#readPartOrAll(partial, at));
  }

  /** A chunk that changes between two reads of it is read with one. */
  async #readPart(partial: PartialReader, part: ObjectPart): ReturnType<PartialReader["read"]> {
    try {
      return await partial.read(this.read, part, this.options.signal);
    } catch (error) {
      if (part.length === undefined && isChange(error)) return "whole";
      throw error;
    }
  }

  async #readPartOrAll(partial: PartialReader | undefined, part: ObjectPart): Promise<Fetched | undefined> {
    const { signal } = this.options;
    const box = partial ? await this.#readPart(partial, part) : "whole";
    if (box !== "whole") return box;
    const encoded = part.bytes
      ? await readPart(this.read, part, 0, part.length!, signal)
      : await wholeObject(
          this.read,
          { ...part, version: part.length === undefined ? undefined : part.version },
          signal,
        );
    return encoded && { encoded };
  }
}
