/** Locations, groups and arrays, as zarrita has them, over this library's. */

import type { ElementData } from "../../dtypes/elements.js";
import { type ChunkOptions, type Region, ZarrArray } from "../../hierarchy/array.js";
import { checkObject } from "../../util/arguments.js";
import { invalidArgument, shown } from "../../util/errors.js";
import type { WorkerPool } from "../../workers/pool.js";
import { checkStore, checkText } from "./arguments.js";
import { dataOf, dtypeName, fillOf } from "./elements.js";
import { likeZarrita } from "./errors.js";
import { type ArraySource, metadataSource } from "./from-metadata.js";
import { type StoreOptions, withStoreOptions } from "./options.js";
import { currentPool } from "./pool.js";
import type {
  AbsolutePath,
  ArrayMetadata,
  Attributes,
  Chunk,
  DataType,
  DataTypeQuery,
  GroupMetadata,
  NarrowDataType,
  Readable,
  Scalar,
} from "./types.js";

/** A place in a store. */
export class Location<Store> {
  static get name(): string {
    return "Location";
  }

  constructor(
    readonly store: Store,
    readonly path: AbsolutePath = "/",
  ) {}

  /** Another place, by a path relative to this one, or an absolute one. */
  resolve(path: string): Location<Store> {
    const base = new URL(`file://${this.path.endsWith("/") ? this.path : `${this.path}/`}`);
    return new Location(this.store, decodeURIComponent(new URL(String(path), base).pathname) as AbsolutePath);
  }
}

/** A location, or the root of a store. @throws InvalidArgument for what is neither. */
export function locationOf<S extends object>(given: Location<S> | S): Location<S> {
  checkObject(given, "a store, or a place in one,");
  const location = "store" in given ? (given as unknown as Location<S>) : new Location(given as S);
  checkStore(location.store);
  checkText(location.path, "the path of a location");
  return location;
}

/** The root of a store; of an empty Map without one. */
export function root<Store>(store: Store): Location<Store>;
export function root(): Location<Map<string, Uint8Array>>;
export function root<Store>(store?: Store): Location<Store | Map<string, Uint8Array>> {
  return new Location(store ?? new Map<string, Uint8Array>());
}

/** A group: `open` makes it, or the caller from its metadata. */
export class ZarritaGroup<Store extends Readable = Readable> extends Location<Store> {
  static override get name(): string {
    return "Group";
  }

  readonly kind = "group";
  readonly #attrs: Attributes;

  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata | { attributes: Attributes }) {
    super(store, path);
    checkObject(metadata, "the metadata of a group");
    this.#attrs = metadata.attributes;
  }
  get attrs(): Attributes {
    return this.#attrs;
  }
}

/** Finds what is behind an array, or behind a proxy of one. */
const inner: unique symbol = Symbol("zarr-wasm.array");
/** Says that an extension has its own `getChunk`, through which all chunks must come. */
export const ownChunks: unique symbol = Symbol("zarr-wasm.ownChunks");

/** Options of a chunk's read. What is not of ours goes to the store, as zarrita hands it on: headers, say. */
export interface GetChunkOptions extends StoreOptions {
  /** Workers that decode the chunk, instead of those that `setPool` gave. */
  pool?: WorkerPool | undefined;
}

/** An array: `open` makes it, or the caller from its metadata. */
export class ZarritaArray<D extends DataType, Store extends Readable = Readable> extends Location<Store> {
  static override get name(): string {
    return "Array";
  }

  readonly kind = "array";
  /** @internal */
  readonly [inner]: ArraySource;
  readonly shape: number[];
  /** Shape of the chunks that are decoded: of inner ones, where there are shards. */
  readonly chunks: number[];

  /** @throws InvalidMetadataError for metadata that lacks what zarrita reads at once; the rest is looked at when the array is read. */
  constructor(store: Store, path: AbsolutePath, metadata: ArrayMetadata<D>);
  /** @internal */
  constructor(store: Store, path: AbsolutePath, array: ZarrArray);
  constructor(store: Store, path: AbsolutePath, given: ArrayMetadata<D> | ZarrArray) {
    super(store, path);
    const source = given instanceof ZarrArray ? openedSource(given) : metadataSource(store, path, given);
    this[inner] = source;
    this.shape = [...source.shape];
    this.chunks = [...source.chunkShape];
  }

  get attrs(): Attributes {
    return this[inner].attributes;
  }
  get dimensionNames(): string[] | undefined {
    return this[inner].dimensionNames as string[] | undefined;
  }
  get fillValue(): Scalar<D> | null {
    return this[inner].fillValue as Scalar<D> | null;
  }
  get dtype(): D {
    return this[inner].dtype as D;
  }

  /** Reads one whole chunk: C order, of its full shape also where it overhangs the array. */
  async getChunk(
    chunkCoords: number[],
    options: GetChunkOptions = {},
    memory: { useSharedArrayBuffer?: boolean | undefined } = {},
  ): Promise<Chunk<D>> {
    checkObject(options, "options of getChunk");
    const { signal, pool = currentPool(), ...storeOptions } = options;
    return likeZarrita(this.path, async () => {
      const array = withStoreOptions(await this[inner].load(), storeOptions);
      const chunkOptions: ChunkOptions = { signal, pool };
      const chunk = await array.getChunk<ElementData | readonly unknown[]>(chunkCoords, chunkOptions);
      return chunkOf<D>(memory?.useSharedArrayBuffer ? shared(chunk) : chunk);
    });
  }

  /** Narrows the data type: to one, or to those whose elements are numbers, bigints, booleans, strings, objects. */
  is<Query extends DataTypeQuery>(query: Query): this is ZarritaArray<NarrowDataType<D, Query>, Store> {
    const dtype: string = this.dtype;
    return dtype === query || kindOf(dtype) === query;
  }
}

/** This library's array behind one of zarrita's. @throws InvalidArgument for what is none. */
export function innerOf(array: ZarritaArray<DataType, Readable>): Promise<ZarrArray> {
  return sourceOf(array).load();
}

function sourceOf(array: ZarritaArray<DataType, Readable>): ArraySource {
  const source = (array as ZarritaArray<DataType, Readable> | null | undefined)?.[inner];
  if (source) return source;
  throw invalidArgument(`${shown(array)} is no array that was opened or created`);
}

/** @throws InvalidArgument for what is no array. */
export function checkArray(array: ZarritaArray<DataType, Readable>): void {
  sourceOf(array);
}

function openedSource(array: ZarrArray): ArraySource {
  return {
    shape: array.shape,
    chunkShape: array.chunkShape,
    attributes: array.attributes,
    dimensionNames: array.dimensionNames,
    dtype: dtypeName(array),
    fillValue: fillOf(array.dtype, array.fillValue),
    load: async () => array,
  };
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
