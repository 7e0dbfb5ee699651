/** Opened arrays: metadata and access to chunks. */

import type { CodecMetadata } from "../chain/chain.js";
import type { DType } from "../dtypes/dtype.js";
import type { ElementData, Elements, ReadAs } from "../dtypes/elements.js";
import type { FillScalar } from "../dtypes/fill-value.js";
import { type DTypeMatching, type DTypeName, type DTypeQuery, matchesDType } from "../dtypes/names.js";
import { type Attributes, frozen } from "../metadata/document.js";
import type { ArraySpec } from "../metadata/spec.js";
import type { Selection, Slice } from "../plan/selection.js";
import { readChunkElements, readEncodedChunk } from "../read/read-region.js";
import { ArrayReader } from "../read/reader.js";
import type { Store } from "../store/store.js";
import { checkOptions, sharedOptions } from "../util/arguments.js";
import { describeValue, invalidSelection } from "../util/errors.js";
import type { PlainJson } from "../util/json.js";
import { lazy } from "../util/lazy.js";
import type { Limits } from "../util/limits.js";
import { stridesOf } from "../util/shapes.js";
import type { WorkerPool } from "../workers/pool.js";

/** Elements of an array with their layout. */
export interface Region<T extends Elements = ElementData> {
  /** The elements; docs/dtypes.md lists the form of each data type. */
  readonly data: T;
  /** Length of each dimension. */
  readonly shape: readonly number[];
  /** Distance between neighbours along each dimension, in elements (C order). */
  readonly stride: readonly number[];
  readonly dtype: DType;
}

export interface GetChunkOptions {
  /** Aborts the read: the request is cancelled and the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Workers that decode the chunk. Default: the calling thread decodes. */
  pool?: WorkerPool | undefined;
  /** Called if the chunk is not stored; the result is then filled with the fill value. */
  onMissing?: ((coordinates: readonly number[]) => void) | undefined;
}

export interface ChunksOptions extends GetChunkOptions {
  /** Maximum number of chunks requested or decoded ahead of the loop. Default: 4. */
  concurrency?: number | undefined;
}

/** A chunk of an array, clipped to the array, with its position. */
export interface ArrayChunk<T extends Elements = ElementData> extends Region<T> {
  /** Position in the grid of chunks, as for `getChunk`. */
  readonly coordinates: readonly number[];
  /** Index of the chunk's first element in the array. */
  readonly start: readonly number[];
  /** The elements of the array that the chunk covers, as a selection for `get` and `set`. */
  readonly selection: readonly Slice[];
}

/** Freezes the lists of an array, so that an assignment to them cannot be mistaken for a stored change. */
function unchangeable(spec: ArraySpec): ArraySpec {
  const { shape, chunkShape, shardShape = [], codecs, dimensionNames = [], fill } = spec;
  for (const list of [shape, chunkShape, shardShape, codecs, dimensionNames]) frozen(list as PlainJson);
  if (!ArrayBuffer.isView(fill.value)) frozen(fill.value as PlainJson);
  return spec;
}

const chunkOptions = { ...sharedOptions, onMissing: true };

const part = lazy("iteration over chunks", () => import("../read/part.js"));

/**
 * An opened Zarr array. `D` is the name of its data type: known from `create`, narrowed by
 * {@link ZarrArray.is}, any name otherwise. `if (array.is("float32")) (await get(array)).data` is a
 * `Float32Array`. `N` are the names of its dimensions: known from `create`, any otherwise.
 */
export class ZarrArray<D extends DTypeName = DTypeName, N extends string = string> {
  /** Exists in types only. @hidden */
  declare readonly "~dtype"?: D;
  /** Exists in types only. @hidden */
  declare readonly "~dimensions"?: N;

  /** The name that consoles show, even in minified programs. */
  static get name(): string {
    return "ZarrArray";
  }

  readonly kind = "array";
  #spec: ArraySpec;
  readonly #limits: Limits;
  #reader: ArrayReader;

  /** Not called directly; use `open`. */
  constructor(
    readonly store: Store,
    /** Path of the array in its store, without leading and trailing slashes; "" for the root. */
    readonly path: string,
    spec: ArraySpec,
    limits: Limits,
  ) {
    this.#spec = unchangeable(spec);
    this.#limits = limits;
    this.#reader = new ArrayReader(store, path, spec, limits);
  }

  get zarrFormat(): 1 | 2 | 3 {
    return this.#spec.zarrFormat;
  }
  /** Length of each dimension. */
  get shape(): readonly number[] {
    return this.#spec.shape;
  }
  /**
   * Length of each dimension of a chunk, or of an inner chunk of a shard; in a rectilinear grid, of the first
   * chunk.
   */
  get chunkShape(): readonly number[] {
    return this.#spec.chunkShape;
  }
  /**
   * Length of each dimension of a shard, if the array has shards; in a rectilinear grid, of the first shard.
   */
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
  /**
   * Whether the data type has one of these Zarr v3 names, or elements of one of these kinds: "number" (up to 32
   * bits if an integer), "bigint" (int64 and uint64), "boolean" or "string". If so, TypeScript narrows the type
   * of the elements that `get` returns and `set` takes.
   */
  is<Q extends DTypeQuery>(...queries: Q[]): this is ZarrArray<DTypeMatching<Q>, N> {
    return queries.some((query) => matchesDType(this.#spec.dtype, query));
  }
  /** Value of elements that are not stored; null if the metadata leaves it undefined (they read as zeros). */
  get fillValue(): FillScalar {
    const { value } = this.#spec.fill;
    return value instanceof Uint8Array ? value.slice() : value;
  }
  get attributes(): Attributes {
    return this.#spec.attributes;
  }
  get dimensionNames(): readonly (string | null)[] | undefined {
    return this.#spec.dimensionNames;
  }
  /** Codec chain in Zarr v3 terms, in encoding order, for all versions. */
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

  /** @internal Replaces the metadata after it was written. */
  adopt(spec: ArraySpec): void {
    this.#spec = unchangeable(spec);
    this.#reader = new ArrayReader(this.store, this.path, spec, this.#limits);
  }

  /** @internal */
  get reader(): ArrayReader {
    return this.#reader;
  }

  /** Returns the store key of the object that holds a chunk: of its shard, if the array has shards. */
  chunkKey(coordinates: readonly number[]): string {
    this.#checkCoordinates(coordinates);
    return this.#reader.keyOf(coordinates);
  }

  /** Drops cached bytes of the object that holds a chunk, after another program has written it. */
  invalidate(coordinates: readonly number[]): void {
    this.#checkCoordinates(coordinates);
    this.#reader.distrust(coordinates);
  }

  /**
   * Fetches a chunk as stored; undefined if it is missing.
   * @throws InvalidSelection for invalid coordinates; errors of the store; LimitExceeded for a chunk above
   *   `limits.encodedBytes`; CorruptChunk for a shard with a damaged index; the signal's reason. Errors name
   *   the chunk's key.
   */
  async fetchChunk(
    coordinates: readonly number[],
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<Uint8Array | undefined> {
    this.#checkCoordinates(coordinates);
    checkOptions(options);
    return readEncodedChunk(this.#reader, coordinates, options.signal);
  }

  /**
   * Reads one whole chunk in C order. A chunk that overhangs the array has its full shape too; elements
   * outside the array are as stored. A missing chunk is read as the fill value.
   * @param coordinates position in the grid of chunks (of inner chunks, if the array has shards).
   * @throws InvalidSelection for invalid coordinates; InvalidArgument; Network, CorruptChunk, …, naming the
   *   chunk's key; the signal's reason.
   */
  async getChunk<T extends Elements = ReadAs<D>>(
    coordinates: readonly number[],
    options: GetChunkOptions = {},
  ): Promise<Region<T>> {
    this.#checkCoordinates(coordinates);
    checkOptions(options, chunkOptions);
    const { data, shape } = await readChunkElements(this.#reader, coordinates, options);
    return { data: data as T, shape, stride: stridesOf(shape), dtype: this.#spec.dtype };
  }

  /**
   * Reads chunk after chunk, in C order: all chunks that a selection touches, each of them whole, but without
   * elements outside the array. In an array with shards, these are the inner chunks. Missing chunks are read
   * as the fill value.
   *
   * Up to `concurrency` chunks are read ahead, and no more until the loop takes one. Leaving the loop cancels
   * their requests.
   * @param selection in the same form as for `get`. Default: the whole array.
   * @throws InvalidSelection, InvalidArgument at the first step; Network, CorruptChunk, … with the chunk's
   *   key at the step of the failing chunk; the signal's reason.
   */
  async *chunks<T extends Elements = ReadAs<D>>(
    selection?: Selection,
    options: ChunksOptions = {},
  ): AsyncGenerator<ArrayChunk<T>, void, undefined> {
    checkOptions(options, chunkOptions);
    const { readChunks } = await part();
    const reader = this.#reader;
    const { axes, spec } = reader;
    const read = (coordinates: readonly number[], signal: AbortSignal) =>
      readChunkElements(reader, coordinates, { ...options, signal });
    const found = readChunks({ axes, spec, read }, selection, options);
    yield* found as AsyncGenerator<ArrayChunk<T>, void, undefined>;
  }

  /** What consoles of Node, Deno and Bun print. @hidden */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const { path, shape, dtype, chunkShape, shardShape, codecs } = this;
    const list = (lengths: readonly number[]) => `[${lengths.join(", ")}]`;
    const shards = shardShape ? `, shards: ${list(shardShape)}` : "";
    const names = codecs.map(({ name }) => name).join(", ");
    return `ZarrArray { path: "/${path}", shape: ${list(shape)}, dtype: "${dtype}", chunks: ${list(chunkShape)}${shards}, codecs: "${names}" }`;
  }

  #checkCoordinates(coordinates: readonly number[]): void {
    const grid = this.gridShape;
    const inside = (index: unknown, axis: number) =>
      Number.isSafeInteger(index) && (index as number) >= 0 && (index as number) < grid[axis]!;
    // Turns holes, which `every` skips, into undefined.
    const list: unknown[] | undefined = Array.isArray(coordinates) ? Array.from(coordinates) : undefined;
    if (list?.length === grid.length && list.every(inside)) return;
    const given = list ? `[${list.map(describeValue).join(", ")}]` : describeValue(coordinates);
    throw invalidSelection(`chunk ${given} lies outside the grid of [${grid.join(", ")}] chunks`);
  }
}
