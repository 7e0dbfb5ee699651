/** Arrays: metadata in hand, chunks within reach. */

import { invalidSelection, withDetails } from "../base/errors.js";
import { Limiter } from "../base/limiter.js";
import type { Limits } from "../base/limits.js";
import { countOf, stridesOf } from "../base/strides.js";
import { repeated } from "../base/subarray.js";
import type { CodecMetadata } from "../chain/chain.js";
import { type Leaf, storedOrder, type VlenLeaf } from "../chain/layout.js";
import type { ZarrVersion } from "../codecs/definition.js";
import type { DType } from "../dtypes/dtype.js";
import { type ElementData, toElements } from "../dtypes/elements.js";
import type { FillScalar } from "../dtypes/fill-source.js";
import { missingValue } from "../dtypes/fill-value.js";
import { packStrings } from "../dtypes/strings.js";
import { withDecoder } from "../engine/engine.js";
import type { ArraySpec, Attributes } from "../metadata/spec.js";
import { decodeVlen } from "../region/assemble/vlen.js";
import { ArrayReader, defaultCoalescing } from "../region/fetch/reader.js";
import type { GetOptions, Store } from "../store/store.js";
import type { WorkerPool } from "../workers/pool.js";

/** Elements of an array with their layout. */
export interface Region<D extends ElementData | readonly unknown[] = ElementData> {
  /** The elements; docs/dtypes.md says in what form those of each data type come. */
  readonly data: D;
  /** Length of each dimension. */
  readonly shape: readonly number[];
  /** Distance between neighbours along each dimension, in elements; C order. */
  readonly stride: readonly number[];
  readonly dtype: DType;
}

export interface ChunkOptions {
  /** Aborts the read: the request is cancelled and the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Workers that decode the chunk. Default: the calling thread does. */
  pool?: WorkerPool | undefined;
}

/** A Zarr array that has been opened. */
export class ZarrArray {
  /** What consoles show, also of minified programs. */
  static readonly name: string = "ZarrArray";

  readonly kind = "array";
  #spec: ArraySpec;
  readonly #limits: Limits;
  #reader: ArrayReader;

  /** Use `open`. */
  constructor(
    readonly store: Store,
    /** Path of the array in its store, without slashes at its ends; "" for the root. */
    readonly path: string,
    spec: ArraySpec,
    limits: Limits,
  ) {
    this.#spec = spec;
    this.#limits = limits;
    this.#reader = new ArrayReader(store, path, spec, limits);
  }

  get zarrFormat(): ZarrVersion {
    return this.#spec.zarrFormat;
  }
  /** Length of each dimension. */
  get shape(): readonly number[] {
    return this.#spec.shape;
  }
  /** Length of each dimension of the chunks that are decoded one at a time; of the first one in a rectilinear grid. */
  get chunkShape(): readonly number[] {
    return this.#spec.chunkShape;
  }
  /** Length of each dimension of a shard, where chunks are stored in shards; of the first one in a rectilinear grid. */
  get shardShape(): readonly number[] | undefined {
    return this.#spec.shardShape;
  }
  /** Number of chunks along each dimension. */
  get gridShape(): readonly number[] {
    return this.#reader.axes.map((axis) => axis.count);
  }
  get dtype(): DType {
    return this.#spec.dtype;
  }
  /** Value of elements that are not stored; null where the metadata leaves it undefined (they read as zeros). */
  get fillValue(): FillScalar {
    return this.#spec.fill.value;
  }
  get attributes(): Attributes {
    return this.#spec.attributes;
  }
  get dimensionNames(): readonly (string | null)[] | undefined {
    return this.#spec.dimensionNames;
  }
  /** The codec chain in Zarr v3 terms, in encoding order, whatever the version. */
  get codecs(): readonly CodecMetadata[] {
    return this.#spec.codecs;
  }
  /** @internal */
  get spec(): ArraySpec {
    return this.#spec;
  }
  /** @internal */
  get limits(): Limits {
    return this.#limits;
  }

  /** @internal Makes the metadata that which has been written. */
  adopt(spec: ArraySpec): void {
    this.#spec = spec;
    this.#reader = new ArrayReader(this.store, this.path, spec, this.#limits);
  }

  /** @internal */
  get reader(): ArrayReader {
    return this.#reader;
  }

  /** Store key of the object that holds a chunk: of its shard, where there are shards. */
  chunkKey(coordinates: readonly number[]): string {
    this.#checkCoordinates(coordinates);
    return this.#reader.keyOf(coordinates);
  }

  /**
   * Fetches a chunk as it is stored; undefined where there is none.
   * @throws what the store throws; LimitExceeded for a chunk above `limits.encodedBytes`; CorruptChunk for
   *   a shard whose index is not right.
   */
  async fetchChunk(
    coordinates: readonly number[],
    { signal }: GetOptions = {},
  ): Promise<Uint8Array | undefined> {
    this.#checkCoordinates(coordinates);
    const options = {
      signal,
      limiter: new Limiter(1),
      requests: new Limiter(1),
      coalescing: defaultCoalescing,
    };
    return this.#reader.readChunk(coordinates, options);
  }

  /**
   * Reads one whole chunk: C order, of its full shape also where it overhangs the array (what lies outside
   * is as stored). A missing chunk is all fill value.
   * @param coordinates position in the grid of chunks (of inner chunks, where there are shards).
   * @throws InvalidSelection, Network, CorruptChunk, …, naming the chunk's key; the signal's reason.
   */
  async getChunk<D extends ElementData | readonly unknown[] = ElementData>(
    coordinates: readonly number[],
    options: ChunkOptions = {},
  ): Promise<Region<D>> {
    this.#checkCoordinates(coordinates);
    const { dtype } = this.#spec;
    try {
      const { signal } = options;
      const encoded = await this.fetchChunk(coordinates, { signal });
      const leaf = this.#reader.leafOf(coordinates);
      const data = await this.#decoded(leaf, encoded, options);
      return { data: data as D, shape: leaf.shape, stride: stridesOf(leaf.shape), dtype };
    } catch (error) {
      throw withDetails(error, { chunkKey: this.#reader.keyOf(coordinates) });
    }
  }

  async #decoded(
    leaf: Leaf,
    encoded: Uint8Array | undefined,
    { pool, signal }: ChunkOptions,
  ): Promise<ElementData | unknown[]> {
    if (leaf.type === "objects") {
      const values = await this.#decodedVlen(leaf, encoded);
      const { dtype } = this.#spec;
      return dtype.isVariable ? values : toElements(dtype, packStrings(dtype, values as string[]));
    }
    if (leaf.frame && encoded) return toElements(this.#spec.dtype, await leaf.frame.decode(encoded));
    const { plan } = leaf;
    if (encoded && pool?.takes(plan))
      return toElements(this.#spec.dtype, await pool.decode(plan, encoded, signal));
    const bytes = encoded
      ? await withDecoder(plan, (session) => session.decode(plan, encoded))
      : repeated(plan.array.fillItem, plan.decodedBytes);
    return toElements(this.#spec.dtype, bytes);
  }

  async #decodedVlen(leaf: VlenLeaf, encoded: Uint8Array | undefined): Promise<unknown[]> {
    const { dtype, fill } = this.#spec;
    const missing = dtype.isVariable ? missingValue(dtype, fill) : (fill.value ?? "");
    if (!encoded) return new Array<unknown>(countOf(leaf.shape)).fill(missing);
    const values = await decodeVlen(leaf, encoded, this.#limits.chunkBytes);
    return Array.from(storedOrder(leaf), (at) => values[at]);
  }

  #checkCoordinates(coordinates: readonly number[]): void {
    const grid = this.gridShape;
    const inside = (index: number, axis: number) =>
      Number.isSafeInteger(index) && index >= 0 && index < grid[axis]!;
    if (coordinates.length !== grid.length || !coordinates.every(inside)) {
      throw invalidSelection(
        `there is no chunk [${coordinates.join(", ")}] in a grid of [${grid.join(", ")}] chunks`,
      );
    }
  }
}
