/**
 * Reading the encoded chunks of an array, in as few requests as its layout allows: whole objects, merged
 * ranges of shards, parts of chunks.
 */
import type { CoreLeaf, Leaf, ShardLevel } from "../codecs/layout.js";
import { isZarrError, limitExceeded } from "../errors.js";
import type { Limits } from "../limits.js";
import type { ArraySpec } from "../metadata/spec.js";
import type { Limiter } from "../store/limiter.js";
import { borrow } from "../store/loans.js";
import { readRange, wantedBytes } from "../store/ranges.js";
import { joinKey, type Store } from "../store/store.js";
import { allDone } from "./done.js";
import { type AxisGrid, regularGrid } from "./grid.js";
import { type BoxBytes, boxOf, type PartialReader, partialReader } from "./partial.js";
import {
  type Coalescing,
  exactly,
  type MergedParts,
  mergeParts,
  type ObjectPart,
  type ReadPart,
  readPart,
  wholeObject,
} from "./parts.js";
import type { Piece } from "./pieces.js";
import { ShardLocator } from "./shards.js";

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

/** Defaults of merging reads within a shard. */
export const defaultCoalescing: Coalescing = { maxGap: 2 ** 20, maxBytes: 2 ** 24 };

export class ArrayReader {
  /** The grid of the chunks that are decoded, and that of the stored objects: the same without shards. */
  readonly axes: readonly AxisGrid[];
  readonly objectAxes: readonly AxisGrid[];
  readonly #locator: ShardLocator;
  readonly #read: ReadPart;
  /** The leaf of every chunk, where all are alike. */
  readonly #onlyLeaf: Leaf | undefined;

  constructor(
    private readonly store: Store,
    private readonly path: string,
    private readonly spec: ArraySpec,
    private readonly limits: Limits,
  ) {
    this.#read = (key, range, version, signal) => this.#readStore(key, range, { version, signal });
    this.#locator = new ShardLocator(limits);
    this.objectAxes = spec.axes;
    const { isSharded, isRegular, chunkShape } = spec;
    this.axes = isSharded ? regularGrid(spec.shape, chunkShape) : spec.axes;
    this.#onlyLeaf = isRegular ? spec.firstLayout.leaf : undefined;
  }

  /** How a chunk is decoded. */
  leafOf(coordinates: readonly number[]): Leaf {
    if (this.#onlyLeaf) return this.#onlyLeaf;
    return this.spec.layouts.of(this.#objectShape(this.#objectOf(coordinates))).leaf;
  }

  /** Store key of the object that holds a chunk. */
  keyOf(coordinates: readonly number[]): string {
    return this.#objectKey(this.#objectOf(coordinates));
  }

  /** Says that a chunk does not decode: where it lies may have been read too long ago. */
  distrust(coordinates: readonly number[]): void {
    this.#locator.forget(this.keyOf(coordinates));
  }

  /** Reads one whole chunk; undefined where it is missing. */
  async readChunk(coordinates: readonly number[], options: FetchOptions): Promise<Uint8Array | undefined> {
    let bytes: Uint8Array | undefined;
    await this.readObject(this.#objectOf(coordinates), [{ coordinates }], options, (_, fetched) => {
      if (fetched && "encoded" in fetched) bytes = fetched.encoded;
    });
    return bytes;
  }

  /** Reads chunks of one stored object. */
  async readObject<T extends ChunkTask>(
    object: readonly number[],
    tasks: readonly T[],
    options: FetchOptions,
    visit: Visit<T>,
  ): Promise<void> {
    const key = this.#objectKey(object);
    const { levels, leaf } = this.spec.isRegular
      ? this.spec.firstLayout
      : this.spec.layouts.of(this.#objectShape(object));
    const work = new ObjectRead(this.#read, leaf, options, visit, this.limits);
    const hasRanges = Boolean(this.store.getRange);
    if (levels.length === 0) return work.plain(key, tasks[0]!, hasRanges);
    const read = () => work.shard(levels, this.#locator, key, this.#positions(object, tasks), hasRanges);
    try {
      await read();
    } catch (error) {
      // Where a store tells no versions, an index that has become outdated shows in chunks that do not decode.
      if (isChange(error) || isZarrError(error, "CorruptChunk")) this.#locator.forget(key);
      // The index may have been kept from long ago: what has changed since is read afresh, once.
      if (!isChange(error) || work.hasVisited) throw error;
      await read();
    }
  }

  /** Tasks with their positions in a shard, in its inner chunks. */
  #positions<T extends ChunkTask>(object: readonly number[], tasks: readonly T[]): Located<T>[] {
    const first = object.map((cell, axis) => {
      const start = this.objectAxes[axis]!.start(cell);
      return this.axes[axis]!.find(start);
    });
    return tasks.map((task) => ({ task, position: task.coordinates.map((at, axis) => at - first[axis]!) }));
  }

  #objectOf(coordinates: readonly number[]): number[] {
    if (!this.spec.isSharded) return [...coordinates];
    return coordinates.map((at, axis) => this.objectAxes[axis]!.find(this.axes[axis]!.start(at)));
  }

  #objectShape(object: readonly number[]): number[] {
    return object.map((cell, axis) => this.objectAxes[axis]!.size(cell));
  }

  #objectKey(object: readonly number[]): string {
    return joinKey(this.path, this.spec.chunkKey(object));
  }

  async #readStore(
    key: string,
    range: Parameters<ReadPart>[1],
    options: { version: Parameters<ReadPart>[2]; signal: AbortSignal | undefined },
  ): Promise<Uint8Array | undefined> {
    const bytes = range
      ? await readRange(this.store, key, range, options)
      : await borrow(this.store, key, options);
    const { encodedBytes } = this.limits;
    if (bytes && bytes.byteLength > encodedBytes)
      throw limitExceeded(`the chunk has ${bytes.byteLength} bytes, more than the limit of ${encodedBytes}`);
    return bytes;
  }
}

/** The first of what is read with one request. */
function firstRank<T extends ChunkTask>({ members }: MergedParts<T>): number | undefined {
  if (members[0]![0].rank === undefined) return undefined;
  return members.reduce((least, [{ rank }]) => Math.min(least, rank!), Number.POSITIVE_INFINITY);
}

/** Sorted by rank where there are ranks. */
function byRank<T>(items: readonly T[], rankOf: (item: T) => number | undefined): readonly T[] {
  if (items.length < 2 || rankOf(items[0]!) === undefined) return items;
  return [...items].sort((a, b) => rankOf(a)! - rankOf(b)!);
}

const isChange = (error: unknown): boolean => isZarrError(error, "Network") && error.code === "changed";

interface Located<T> {
  readonly task: T;
  readonly position: readonly number[];
}

/** One run over the chunks of one stored object. */
class ObjectRead<T extends ChunkTask> {
  readonly #read: ReadPart;
  #hasVisited = false;

  constructor(
    read: ReadPart,
    private readonly leaf: Leaf,
    private readonly options: FetchOptions,
    private readonly visitor: Visit<T>,
    private readonly limits: Limits,
  ) {
    this.#read = async (key, range, version, signal) => {
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

  async #visit(task: T, fetched: Fetched | undefined): Promise<void> {
    this.#hasVisited = true;
    await this.visitor(task, fetched);
  }

  /** An object that is one chunk. */
  async plain(key: string, task: T, hasRanges: boolean): Promise<void> {
    const { limiter, signal } = this.options;
    await limiter.run(async () => {
      const partial = hasRanges ? this.#partial(task) : undefined;
      // Parts of a chunk must come from one version of it.
      const part = { key, offset: 0, length: undefined, ...(partial && { version: {} }) };
      await this.#visit(task, await this.#readPartOrAll(partial, part));
    }, signal);
  }

  /** A shard; read at once from stores that serve no ranges. */
  async #shardPart(key: string, hasRanges: boolean): Promise<ObjectPart | undefined> {
    if (hasRanges) return { key, offset: 0, length: undefined };
    const bytes = await this.#read(key, undefined, undefined, this.options.signal);
    return bytes && { key, bytes, offset: 0, length: bytes.byteLength };
  }

  /** Chunks of a shard: each whole or in part, neighbours together. */
  async shard(
    levels: readonly ShardLevel[],
    locator: ShardLocator,
    key: string,
    wanted: readonly Located<T>[],
    hasRanges: boolean,
  ): Promise<void> {
    const { limiter, signal } = this.options;
    const found = await limiter.run(async () => {
      const part = await this.#shardPart(key, hasRanges);
      return part
        ? locator.locate(levels, part, wanted, this.#read, signal)
        : new Map<Located<T>, ObjectPart>();
    }, signal);
    const whole: (readonly [T, ObjectPart])[] = [];
    const absent: T[] = [];
    const work: Promise<void>[] = [];
    for (const located of byRank(wanted, ({ task }) => task.rank)) {
      const { task } = located;
      const at = found.get(located);
      const partial = at && !at.bytes ? this.#partial(task) : undefined;
      if (!at) absent.push(task);
      else if (at.bytes) work.push(this.#visitPart(task, undefined, at));
      else if (partial) work.push(limiter.run(() => this.#visitPart(task, partial, at), signal));
      else whole.push([task, at]);
    }
    const { maxGap, maxBytes } = this.options.coalescing;
    const coalescing = { maxGap, maxBytes: Math.min(maxBytes, this.limits.encodedBytes) };
    for (const merged of byRank(mergeParts(whole, coalescing), firstRank)) {
      work.push(limiter.run(() => this.#readMerged(merged), signal));
    }
    await allDone(work, (error) => isChange(error) || this.options.onFailure?.(error));
    // Last, for an index that turns out to be outdated says nothing of them.
    for (const task of absent) await this.#visit(task, undefined);
  }

  async #visitPart(task: T, partial: PartialReader | undefined, at: ObjectPart): Promise<void> {
    await this.#visit(task, await this.#readPartOrAll(partial, at));
  }

  async #readMerged({ offset, length, members }: MergedParts<T>): Promise<void> {
    const { key, version } = members[0]![1];
    const bytes = await readPart(
      this.#read,
      { key, offset, length, version },
      0,
      length,
      this.options.signal,
    );
    // Not one after another: whoever decodes them in other threads is to have all of them.
    const visits = members.map(async ([task, part]) => {
      const start = part.offset - offset;
      const encoded = bytes && exactly(bytes.subarray(start, start + part.length!), part.length!);
      await this.#visit(task, encoded && { encoded });
    });
    await allDone(visits, (error) => isChange(error) || this.options.onFailure?.(error));
  }

  #partial(task: T): PartialReader | undefined {
    if (!task.pieces || this.leaf.type !== "core") return undefined;
    return partialReader(this.leaf as CoreLeaf, boxOf(task.pieces));
  }

  /** A chunk that changes between two reads of it is read with one. */
  async #readPart(partial: PartialReader, part: ObjectPart): ReturnType<PartialReader["read"]> {
    try {
      return await partial.read(this.#read, part, this.options.signal);
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
      ? await readPart(this.#read, part, 0, part.length!, signal)
      : await wholeObject(
          this.#read,
          { ...part, version: part.length === undefined ? undefined : part.version },
          signal,
        );
    return encoded && { encoded };
  }
}
