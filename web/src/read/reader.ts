/**
 * Reads the encoded chunks of an array in as few requests as its layout allows: whole objects, merged ranges
 * of shards, parts of chunks.
 */

import type { ChunkLayout, LeafChunkCodec } from "../chain/layout.js";
import { type AxisGrid, regularGrid } from "../metadata/grid.js";
import type { ArraySpec } from "../metadata/spec.js";
import { type ChunkList, type ChunkTask, taskList } from "../plan/projections.js";
import { findSpan, joinKey, ownStore, type Store } from "../store/store.js";
import { lazy, preload } from "../util/lazy.js";
import type { Limits } from "../util/limits.js";
import type { Bundle, BundleJob, WantedObject } from "./bundles.js";
import {
  anyReadInPart,
  type Coalescing,
  type FetchOptions,
  ObjectReader,
  type Put,
} from "./object-reader.js";
import type { PutBatch } from "./shard-batch.js";
import type { ShardReader } from "./shard-read.js";

const part = lazy("shards and parts of chunks", () => import("./part.js"));

/** Default limits for merging reads within a shard. */
export const defaultCoalescing: Coalescing = { maxGap: 2 ** 20, maxBytes: 2 ** 24 };

export class ArrayReader {
  /** The grids of chunks and of stored objects: the same without shards. */
  readonly axes: readonly AxisGrid[];
  readonly objectAxes: readonly AxisGrid[];
  #shards: ShardReader | undefined;

  constructor(
    private readonly store: Store,
    private readonly path: string,
    readonly spec: ArraySpec,
    readonly limits: Limits,
  ) {
    this.objectAxes = spec.axes;
    const { isSharded, chunkShape } = spec;
    this.axes = isSharded ? regularGrid(spec.shape, chunkShape) : spec.axes;
    if (isSharded) preload(part);
  }

  /** The codec of the first chunk, whose data type and modules are the same for all chunks. */
  get firstCodec(): LeafChunkCodec {
    return this.spec.firstLayout.leaf;
  }

  /** Returns the store key of the object that holds a chunk. */
  keyOf(coordinates: readonly number[]): string {
    return this.objectKey(this.#objectOf(coordinates));
  }

  /** Records that a chunk failed to decode: the shard index that located it may be outdated, and cached bytes damaged. */
  distrust(coordinates: readonly number[]): void {
    const key = this.keyOf(coordinates);
    this.#shards?.forget(key);
    this.store.invalidate?.(key);
  }

  /**
   * Reads, and retries once if a cached shard index led to bytes that are not a chunk. In a store without
   * versions, this is how the replacement of a shard is detected.
   */
  again<T>(read: () => Promise<T>): Promise<T> {
    return read().catch((error) => {
      if (this.#shards?.wasOutdated(error)) return read();
      throw error;
    });
  }

  /** Reads one whole chunk. */
  async readChunk(coordinates: readonly number[], options: FetchOptions, put: Put<ChunkTask>): Promise<void> {
    await this.readObject(this.#objectOf(coordinates), taskList([{ coordinates }]), options, put);
  }

  /**
   * Reads chunks of one stored object and passes each to `put`.
   * @param putBatch receives several chunks of a shard instead.
   */
  async readObject<T extends ChunkTask>(
    object: readonly number[],
    chunks: ChunkList<T>,
    options: FetchOptions,
    put: Put<T>,
    putBatch?: PutBatch<T>,
  ): Promise<void> {
    const key = this.objectKey(object);
    const { levels, leaf } = this.layoutOf(object);
    const hasRanges = Boolean(this.store.getRange);
    const makePartial = hasRanges && anyReadInPart(leaf, chunks) ? (await part()).partialReader : undefined;
    const source = new ObjectReader(this.store, this.limits, leaf, options, makePartial);
    if (levels.length === 0)
      return options.limiter.run(
        async () => put(await source.readPlain(key, chunks.task(0))),
        options.signal,
      );
    const shards = this.#shards ?? (await this.#loadShards());
    const isAll = chunks.count === this.#countIn(object);
    const first = this.#firstIn(object);
    await shards.read(source, { levels, key, chunks, first, isAll, hasRanges }, { put, putBatch });
  }

  /**
   * Returns jobs in bundles of objects that are read with one request; undefined if the store does not know
   * which objects are close together. Shards, and chunks that may be read in part, are read alone.
   */
  async bundles<T extends ChunkTask>(
    jobs: Iterable<BundleJob<T>>,
    options: FetchOptions,
  ): Promise<AsyncGenerator<Bundle<T>> | undefined> {
    const packed = this.spec.isSharded ? undefined : ownStore(this.store, "get");
    if (!packed?.[findSpan]) return undefined;
    const { bundlesOf } = await part();
    return bundlesOf(packed, this.#wantedObjects(jobs), options);
  }

  *#wantedObjects<T extends ChunkTask>(jobs: Iterable<BundleJob<T>>): Generator<WantedObject<T>> {
    for (const job of jobs) {
      const { leaf } = this.layoutOf(job.object);
      const isBundled = !anyReadInPart(leaf, job);
      yield { job, leaf, key: isBundled ? this.objectKey(job.object) : undefined };
    }
  }

  /** Returns the number of chunks of a stored object that lie in the array. */
  #countIn(object: readonly number[]): number {
    return object.reduce((count, cell, axis) => {
      const [outer, own] = [this.objectAxes[axis]!, this.axes[axis]!];
      const start = outer.start(cell);
      const last = Math.min(start + outer.size(cell), outer.length) - 1;
      return count * (own.find(last) - own.find(start) + 1);
    }, 1);
  }

  async #loadShards(): Promise<ShardReader> {
    const { ShardReader } = await part();
    this.#shards ??= new ShardReader(this.limits, this.store);
    return this.#shards;
  }

  /** Returns the layout of a stored object. */
  layoutOf(object: readonly number[]): ChunkLayout {
    const { spec } = this;
    return spec.isRegular ? spec.firstLayout : spec.layouts.of(this.#objectShape(object));
  }

  /** Returns tasks with their positions in a shard, in inner chunks. */
  positionsOf<T extends ChunkTask>(object: readonly number[], tasks: readonly T[]) {
    const first = this.#firstIn(object);
    return tasks.map((task) => ({ task, position: task.coordinates.map((at, axis) => at - first[axis]!) }));
  }

  /** Returns the coordinates of the first chunk of a shard. */
  #firstIn(object: readonly number[]): number[] {
    return object.map((cell, axis) => this.axes[axis]!.find(this.objectAxes[axis]!.start(cell)));
  }

  #objectOf(coordinates: readonly number[]): number[] {
    if (!this.spec.isSharded) return [...coordinates];
    return coordinates.map((at, axis) => this.objectAxes[axis]!.find(this.axes[axis]!.start(at)));
  }

  #objectShape(object: readonly number[]): number[] {
    return object.map((cell, axis) => this.objectAxes[axis]!.size(cell));
  }

  /** Returns the store key of an object. */
  objectKey(object: readonly number[]): string {
    return joinKey(this.path, this.spec.chunkKey(object));
  }
}
