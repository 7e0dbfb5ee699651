/** Locations, groups and arrays, as zarrita has them, over this library's. */

import type { ElementData } from "../dtypes/elements.js";
import type { ChunkOptions, Region, ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import type { WorkerPool } from "../workers/pool.js";
import { dataOf, dtypeName, fillOf } from "./elements.js";
import { likeZarrita } from "./errors.js";
import { currentPool } from "./pool.js";
import type {
  AbsolutePath,
  Attributes,
  Chunk,
  DataType,
  DataTypeQuery,
  NarrowDataType,
  Readable,
  Scalar,
} from "./types.js";

/** A place in a store. */
export class Location<Store> {
  constructor(
    readonly store: Store,
    readonly path: AbsolutePath = "/",
  ) {}

  /** Another place, by a path relative to this one, or an absolute one. */
  resolve(path: string): Location<Store> {
    const base = new URL(`file://${this.path.endsWith("/") ? this.path : `${this.path}/`}`);
    return new Location(this.store, decodeURIComponent(new URL(path, base).pathname) as AbsolutePath);
  }
}

/** The root of a store; of an empty Map without one. */
export function root<Store>(store: Store): Location<Store>;
export function root(): Location<Map<string, Uint8Array>>;
export function root<Store>(store?: Store): Location<Store | Map<string, Uint8Array>> {
  return new Location(store ?? new Map<string, Uint8Array>());
}

/** A group. `open` makes it. */
export class ZarritaGroup<Store extends Readable = Readable> extends Location<Store> {
  readonly kind = "group";
  readonly #attrs: Attributes;

  constructor(store: Store, path: AbsolutePath, group: ZarrGroup) {
    super(store, path);
    this.#attrs = group.attributes;
  }
  get attrs(): Attributes {
    return this.#attrs;
  }
}

/** Finds this library's array behind one of these, or behind a proxy of one. */
const inner: unique symbol = Symbol("zarr-wasm.array");
/** Says that an extension has its own `getChunk`, through which all chunks must come. */
export const ownChunks: unique symbol = Symbol("zarr-wasm.ownChunks");

export interface GetChunkOptions {
  signal?: AbortSignal | undefined;
  /** Workers that decode the chunk, instead of those that `setPool` gave. */
  pool?: WorkerPool | undefined;
}

/** An array. `open` makes it. */
export class ZarritaArray<D extends DataType, Store extends Readable = Readable> extends Location<Store> {
  readonly kind = "array";
  /** @internal */
  readonly [inner]: ZarrArray;
  readonly shape: number[];
  /** Shape of the chunks that are decoded: of inner ones, where there are shards. */
  readonly chunks: number[];

  constructor(store: Store, path: AbsolutePath, array: ZarrArray) {
    super(store, path);
    this[inner] = array;
    this.shape = [...array.shape];
    this.chunks = [...array.chunkShape];
  }

  get attrs(): Attributes {
    return this[inner].attributes;
  }
  get dimensionNames(): string[] | undefined {
    return this[inner].dimensionNames as string[] | undefined;
  }
  get fillValue(): Scalar<D> | null {
    return fillOf(this[inner].dtype, this[inner].fillValue) as Scalar<D> | null;
  }
  get dtype(): D {
    return dtypeName(this[inner]) as D;
  }

  /** Reads one whole chunk: C order, of its full shape also where it overhangs the array. */
  async getChunk(
    chunkCoords: number[],
    options: GetChunkOptions = {},
    { useSharedArrayBuffer = false }: { useSharedArrayBuffer?: boolean | undefined } = {},
  ): Promise<Chunk<D>> {
    return likeZarrita(this.path, async () => {
      const chunkOptions: ChunkOptions = { signal: options.signal, pool: options.pool ?? currentPool() };
      const chunk = await this[inner].getChunk<ElementData | readonly unknown[]>(chunkCoords, chunkOptions);
      return chunkOf<D>(useSharedArrayBuffer ? shared(chunk) : chunk);
    });
  }

  /** Narrows the data type: to one, or to those whose elements are numbers, bigints, booleans, strings, objects. */
  is<Query extends DataTypeQuery>(query: Query): this is ZarritaArray<NarrowDataType<D, Query>, Store> {
    const dtype: string = this.dtype;
    return dtype === query || kindOf(dtype) === query;
  }
}

/** This library's array behind one of zarrita's. */
export function innerOf(array: ZarritaArray<DataType, Readable>): ZarrArray {
  return array[inner];
}

export type AnyRegion = Region<ElementData | readonly unknown[]>;

/** A copy whose memory threads can share; lists, which have none, stay as they are. */
function shared(region: AnyRegion): AnyRegion {
  const { data } = region;
  if (!ArrayBuffer.isView(data)) return region;
  const bytes = new Uint8Array(new SharedArrayBuffer(data.byteLength));
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  const Kind = data.constructor as new (buffer: ArrayBufferLike) => ElementData;
  return { ...region, data: new Kind(bytes.buffer) };
}

/** A region as zarrita gives it. */
export function chunkOf<D extends DataType>({ data, shape, stride, dtype }: AnyRegion): Chunk<D> {
  return { data: dataOf(dtype, data), shape: [...shape], stride: [...stride] } as Chunk<D>;
}

function kindOf(dtype: string): string {
  if (dtype === "bool") return "boolean";
  if (dtype === "v2:object") return "object";
  if (dtype === "string" || /^v2:[US]/.test(dtype)) return "string";
  if (/^u?int64$/.test(dtype)) return "bigint";
  return /^(u?int|float)\d+$/.test(dtype) ? "number" : "other";
}
