/** zarrita's locations, groups and arrays, over this library's. */

import type { ElementData } from "../../dtypes/elements.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { normalizePath } from "../../store/path.js";
import type { RangeQuery, Store, StoreGetOptions } from "../../store/store.js";
import { checkObject } from "../../util/arguments.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import { cachedFor } from "../../util/platform.js";
import type { WorkerPool } from "../../workers/pool.js";
import { type AnyRegion, dtypeName, wrapElements, wrapFill } from "./elements.js";
import { ByOptions, checkStore, checkText, InvalidMetadataError, withZarritaErrors } from "./errors.js";
import { zarritaPart } from "./registry.js";
import type {
  AbsolutePath,
  ArrayMetadata,
  Attributes,
  Chunk,
  CodecMetadata,
  DataType,
  DataTypeQuery,
  GroupMetadata,
  NarrowDataType,
  Readable,
  Scalar,
  StoreOptions,
} from "./types.js";

/** A path in a store. */
export class Location<Store> {
  static get name(): string {
    return "Location";
  }

  constructor(
    readonly store: Store,
    readonly path: AbsolutePath = "/",
  ) {}

  /** Returns the location of a path, absolute or relative to this one. */
  resolve(path: string): Location<Store> {
    const base = new URL(`file://${this.path.endsWith("/") ? this.path : `${this.path}/`}`);
    return new Location(this.store, decodeURIComponent(new URL(String(path), base).pathname) as AbsolutePath);
  }
}

/** Returns a location, for a store its root. @throws InvalidArgument for other values. */
export function toLocation<S extends object>(given: Location<S> | S): Location<S> {
  checkObject(given, "a store, or a place in one,");
  const location = "store" in given ? (given as unknown as Location<S>) : new Location(given as S);
  checkStore(location.store);
  checkText(location.path, "the path of a location");
  return location;
}

/** The root of a store. Default: an empty Map. */
export function root<Store>(store: Store): Location<Store>;
export function root(): Location<Map<string, Uint8Array>>;
export function root<Store>(store?: Store): Location<Store | Map<string, Uint8Array>> {
  return new Location(store ?? new Map<string, Uint8Array>());
}

/** A group, made by `open`, or by the caller from its metadata. */
export class ZarritaGroup<Store extends Readable = Readable> extends Location<Store> {
  static override get name(): string {
    return "Group";
  }

  readonly kind = "group";
  readonly attrs: Attributes;

  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata | { attributes: Attributes }) {
    super(store, path);
    checkObject(metadata, "the metadata of a group");
    this.attrs = metadata.attributes;
  }
}

let pool: WorkerPool | undefined;

/** Decodes all reads in a pool of workers; undefined turns that off. */
export function setPool(own: WorkerPool | undefined): void {
  pool = own;
}

export function currentPool(): WorkerPool | undefined {
  return pool;
}

/** A store that adds options to each request. */
function withOptions(store: Store, extra: StoreOptions): Store {
  const merged = (options: StoreGetOptions | undefined) => ({ ...extra, ...options });
  const wrapped: Store = { get: (key, options) => store.get(key, merged(options)) };
  if (store.getRange)
    wrapped.getRange = (key: string, range: RangeQuery, options) =>
      store.getRange!(key, range, merged(options));
  if (store.locate) wrapped.locate = (key) => store.locate!(key);
  return wrapped;
}

/** Key of the function that loads this library's array; proxies of the array have it, too. */
const inner: unique symbol = Symbol("zarr-wasm.array");
/** Marks arrays whose `getChunk` an extension replaces: all chunks must come through it. */
export const ownChunks: unique symbol = Symbol("zarr-wasm.ownChunks");

/** Options of reading a chunk. Others go to the store, as in zarrita: headers, for example. */
export interface GetChunkOptions extends StoreOptions {
  /** Workers that decode the chunk. Default: those of `setPool`. */
  pool?: WorkerPool | undefined;
}

/** An array, made by `open`, or by the caller from its metadata. */
export class ZarritaArray<D extends DataType, Store extends Readable = Readable> extends Location<Store> {
  static override get name(): string {
    return "Array";
  }

  readonly kind = "array";
  /** @internal */
  declare readonly [inner]: () => Promise<ZarrArray>;
  declare readonly shape: number[];
  /** Shape of the chunks; with sharding, of the inner chunks. */
  declare readonly chunks: number[];
  declare readonly attrs: Attributes;
  declare readonly dimensionNames: string[] | undefined;
  declare readonly fillValue: Scalar<D> | null;
  declare readonly dtype: D;

  /** @throws InvalidMetadataError for metadata without shapes; the first read checks the rest. */
  constructor(store: Store, path: AbsolutePath, metadata: ArrayMetadata<D>);
  /** @internal */
  constructor(store: Store, path: AbsolutePath, array: ZarrArray);
  constructor(store: Store, path: AbsolutePath, given: ArrayMetadata<D> | ZarrArray) {
    super(store, path);
    Object.assign(
      this,
      given instanceof ZarrArray ? openedFields(given) : metadataFields(store, path, given),
    );
  }

  /** Reads a chunk in C order. Chunks at the edges have their full shape. */
  async getChunk(
    chunkCoords: number[],
    options: GetChunkOptions = {},
    memory: { useSharedArrayBuffer?: boolean | undefined } = {},
  ): Promise<Chunk<D>> {
    checkObject(options, "options of getChunk");
    const { signal, pool = currentPool(), ...storeOptions } = options;
    return withZarritaErrors(this.path, async () => {
      const array = await loadArray(this, storeOptions);
      const chunkOptions: GetChunkOptions = { signal, pool };
      const chunk = await array.getChunk<ElementData | readonly unknown[]>(chunkCoords, chunkOptions);
      return toChunk<D>(memory?.useSharedArrayBuffer ? shared(chunk) : chunk);
    });
  }

  /** Narrows the data type: to one, or to those whose elements are numbers, bigints, booleans, strings, objects. */
  is<Query extends DataTypeQuery>(query: Query): this is ZarritaArray<NarrowDataType<D, Query>, Store> {
    const dtype: string = this.dtype;
    return dtype === query || dataKind(dtype) === query;
  }
}

export type AnyArray = ZarritaArray<DataType, Readable>;

/** Arrays whose stores add options to each request. */
const derivedOf = cachedFor((_: ZarrArray) => new ByOptions<ZarrArray>());

/** This library's array behind one of zarrita's, with options for its store. @throws InvalidArgument for other values. */
export async function loadArray(given: AnyArray, options: StoreOptions = {}): Promise<ZarrArray> {
  checkArray(given);
  const array = await given[inner]();
  if (Object.keys(options).length === 0) return array;
  const { store, path, spec, limits } = array;
  return derivedOf(array).get(options, () => new ZarrArray(withOptions(store, options), path, spec, limits));
}

/** @throws InvalidArgument for a value that is not an array of zarrita's. */
export function checkArray(array: AnyArray | null | undefined): void {
  if (!array?.[inner])
    throw invalidArgument(`expected an array returned by open() or create(), got ${describeValue(array)}`);
}

function openedFields(array: ZarrArray) {
  const { shape, chunkShape, attributes, dimensionNames } = array;
  return {
    [inner]: async () => array,
    shape: [...shape],
    chunks: [...chunkShape],
    attrs: attributes,
    dimensionNames,
    fillValue: wrapFill(array.dtype, array.fillValue),
    dtype: dtypeName(array),
  };
}

/** An array described by given metadata; the store is not consulted. @throws InvalidMetadataError. */
function metadataFields(store: Readable, path: AbsolutePath, metadata: ArrayMetadata<DataType>) {
  if (typeof metadata !== "object" || metadata === null || !Array.isArray(metadata.shape))
    throw new InvalidMetadataError("the metadata of an array must be an object with a shape");
  let loading: Promise<ZarrArray> | undefined;
  const make = async () =>
    (await zarritaPart()).arrayFromMetadata(store as Store, normalizePath(path), metadata);
  return {
    [inner]() {
      loading ??= make().catch((error: unknown) => {
        loading = undefined; // so that the next call retries
        throw error;
      });
      return loading;
    },
    shape: [...metadata.shape],
    chunks: readChunkShape(metadata),
    attrs: metadata.attributes,
    dimensionNames: metadata.dimension_names,
    fillValue: readFillValue(metadata),
    dtype: metadata.data_type,
  };
}

/** Shape of the chunks; with sharding, of the inner chunks. */
function readChunkShape({ codecs, chunk_grid: grid }: ArrayMetadata<DataType>): number[] {
  const list: readonly (CodecMetadata | null)[] = Array.isArray(codecs) ? codecs : [];
  const sharding = list.find((codec) => codec?.name === "sharding_indexed");
  const shape: unknown = (sharding ?? grid)?.configuration?.chunk_shape;
  if (Array.isArray(shape)) return [...shape];
  throw new InvalidMetadataError("the metadata has no chunk shape");
}

function readFillValue({ data_type: dtype, fill_value: fill = null }: ArrayMetadata<DataType>): unknown {
  if (fill !== null && /^u?int64$/.test(dtype)) return BigInt(fill as bigint);
  return /^float/.test(dtype) && /^(NaN|-?Infinity)$/.test(String(fill)) ? Number(fill) : fill;
}

/** A region in zarrita's form. */
export function toChunk<D extends DataType>({ data, shape, stride, dtype }: AnyRegion): Chunk<D> {
  return { data: wrapElements(dtype, data), shape: [...shape], stride: [...stride] } as Chunk<D>;
}

/** Copies a region to shared memory; lists pass unchanged. */
function shared(region: AnyRegion): AnyRegion {
  const { data } = region;
  if (!ArrayBuffer.isView(data)) return region;
  const bytes = new Uint8Array(new SharedArrayBuffer(data.byteLength));
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  const Kind = data.constructor as new (buffer: ArrayBufferLike) => ElementData;
  return { ...region, data: new Kind(bytes.buffer) };
}

function dataKind(dtype: string): string {
  if (dtype === "bool") return "boolean";
  if (dtype === "v2:object") return "object";
  if (/^(string$|v2:[US])/.test(dtype)) return "string";
  if (/^u?int64$/.test(dtype)) return "bigint";
  return /^(u?int|float)\d+$/.test(dtype) ? "number" : "other";
}
