/** Arrays: metadata in hand, chunks within reach. */
import type { CodecMetadata } from "./codecs/chain.js";
import type { ZarrVersion } from "./codecs/definition.js";
import type { DType } from "./dtypes/dtype.js";
import { type ElementData, toElements } from "./dtypes/elements.js";
import type { FillScalar } from "./dtypes/fill.js";
import { withDecoder } from "./engine/engine.js";
import { invalidSelection, limitExceeded, withDetails } from "./errors.js";
import type { Limits } from "./limits.js";
import type { ArraySpec, Attributes } from "./metadata/spec.js";
import { stridesOf } from "./region/strides.js";
import { type GetOptions, joinKey, type Store } from "./store/store.js";

/** Elements of an array with their layout. */
export interface Region {
  /** The elements; see the README for the typed array of each data type. */
  readonly data: ElementData;
  /** Length of each dimension. */
  readonly shape: readonly number[];
  /** Distance between neighbours along each dimension, in elements; C order. */
  readonly stride: readonly number[];
  readonly dtype: DType;
}

/** A Zarr array that has been opened. */
export class ZarrArray {
  readonly kind = "array";
  readonly #spec: ArraySpec;
  readonly #limits: Limits;

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
  }

  get zarrFormat(): ZarrVersion {
    return this.#spec.zarrFormat;
  }
  /** Length of each dimension. */
  get shape(): readonly number[] {
    return this.#spec.shape;
  }
  /** Length of each dimension of the chunks that are decoded one at a time. */
  get chunkShape(): readonly number[] {
    return this.#spec.chunkShape;
  }
  /** Length of each dimension of a shard, where chunks are stored in shards. */
  get shardShape(): readonly number[] | undefined {
    return undefined;
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

  /** Store key of a chunk. */
  chunkKey(coordinates: readonly number[]): string {
    return joinKey(this.path, this.#spec.chunkKey(coordinates));
  }

  /**
   * Fetches a chunk as it is stored; undefined where there is none.
   * @throws what the store throws; LimitExceeded for a chunk above `limits.encodedBytes`.
   */
  async fetchChunk(
    coordinates: readonly number[],
    options: GetOptions = {},
  ): Promise<Uint8Array | undefined> {
    const encoded = await this.store.get(this.chunkKey(coordinates), options);
    if (encoded && encoded.byteLength > this.#limits.encodedBytes) {
      throw limitExceeded(
        `the chunk has ${encoded.byteLength} bytes, more than the limit of ${this.#limits.encodedBytes}`,
      );
    }
    return encoded;
  }

  /**
   * Reads one whole chunk: C order, `chunkShape` in shape also where it overhangs the array (what lies
   * outside is as stored). A missing chunk is all fill value.
   * @param coordinates position in the grid of chunks.
   * @throws InvalidSelection, Network, CorruptChunk, …, naming the chunk's key; the signal's reason.
   */
  async getChunk(coordinates: readonly number[], options: GetOptions = {}): Promise<Region> {
    this.#checkCoordinates(coordinates);
    try {
      const encoded = await this.fetchChunk(coordinates, options);
      const { plan, dtype, chunkShape } = this.#spec;
      const bytes = encoded
        ? await withDecoder(plan, (session) => session.decode(plan, encoded))
        : this.#filledChunk();
      return { data: toElements(dtype, bytes), shape: chunkShape, stride: stridesOf(chunkShape), dtype };
    } catch (error) {
      throw withDetails(error, { chunkKey: this.chunkKey(coordinates) });
    }
  }

  #filledChunk(): Uint8Array {
    const { plan, fill } = this.#spec;
    const bytes = new Uint8Array(plan.decodedBytes);
    if (fill.item.every((byte) => byte === 0)) return bytes;
    // Doubling copies: as fast as a fill, for items of any width.
    bytes.set(fill.item);
    for (let filled = fill.item.byteLength; filled < bytes.byteLength; filled *= 2)
      bytes.copyWithin(filled, 0, filled);
    return bytes;
  }

  #checkCoordinates(coordinates: readonly number[]): void {
    const { shape, chunkShape } = this.#spec;
    const inside = (index: number, axis: number) =>
      Number.isSafeInteger(index) && index >= 0 && index < Math.ceil(shape[axis]! / chunkShape[axis]!);
    if (coordinates.length !== shape.length || !coordinates.every(inside)) {
      throw invalidSelection(
        `there is no chunk [${coordinates.join(", ")}] in an array of shape [${shape.join(", ")}] with chunks of [${chunkShape.join(", ")}]`,
      );
    }
  }
}
