/** Types of zarrita's public interface. */
import type { BoolArray, ByteStringArray, UnicodeStringArray } from "./elements.js";

export type AbsolutePath<Rest extends string = string> = `/${Rest}`;
export type RangeQuery = { offset: number; length: number } | { suffixLength: number };
export interface GetBytesOptions {
  signal?: AbortSignal;
}

export interface AsyncReadable {
  get(key: AbsolutePath, options?: GetBytesOptions): Promise<Uint8Array | undefined>;
  getRange?(key: AbsolutePath, range: RangeQuery, options?: GetBytesOptions): Promise<Uint8Array | undefined>;
}
export interface SyncReadable {
  get(key: AbsolutePath, options?: GetBytesOptions): Uint8Array | undefined;
  getRange?(key: AbsolutePath, range: RangeQuery, options?: GetBytesOptions): Uint8Array | undefined;
}
export type Readable = AsyncReadable | SyncReadable;
export interface AsyncWritable {
  set(key: AbsolutePath, value: Uint8Array): Promise<void>;
}
export interface SyncWritable {
  set(key: AbsolutePath, value: Uint8Array): void;
}
export type Writable = AsyncWritable | SyncWritable;
export type AsyncMutable = AsyncReadable & AsyncWritable;
export type SyncMutable = SyncReadable & SyncWritable;
export type Mutable = AsyncMutable | SyncMutable;

export type Int8 = "int8";
export type Int16 = "int16";
export type Int32 = "int32";
export type Int64 = "int64";
export type Uint8 = "uint8";
export type Uint16 = "uint16";
export type Uint32 = "uint32";
export type Uint64 = "uint64";
export type Float16 = "float16";
export type Float32 = "float32";
export type Float64 = "float64";
export type Bool = "bool";
/** Unicode text of a fixed number of code points (Zarr v2). */
export type UnicodeStr = `v2:U${number}`;
/** Byte strings of a fixed length (Zarr v2). */
export type ByteStr = `v2:S${number}`;
/** Text of any length. */
export type String = "string";
export type ObjectType = "v2:object";

/** float16 is a number if TypeScript knows Float16Array. */
type MaybeFloat16 = typeof globalThis extends { Float16Array: unknown } ? "float16" : never;
type MaybeFloat16Array = InstanceType<typeof globalThis extends { Float16Array: infer T } ? T : never>;

export type NumberDataType =
  | "int8"
  | "int16"
  | "int32"
  | "uint8"
  | "uint16"
  | "uint32"
  | MaybeFloat16
  | "float32"
  | "float64";
export type BigintDataType = "int64" | "uint64";
export type StringDataType = UnicodeStr | ByteStr | String;
/**
 * zarrita's data types. Arrays of others open, too, with this library's name as their `dtype` ("complex64",
 * "numpy.datetime64", "r24"). This union omits those, so that exhaustive code compiles.
 */
export type DataType = NumberDataType | BigintDataType | StringDataType | "v2:object" | "bool";

export type Scalar<D extends DataType> = D extends "bool"
  ? boolean
  : D extends BigintDataType
    ? bigint
    : D extends StringDataType
      ? string
      : D extends NumberDataType
        ? number
        : D extends ObjectType
          ? unknown
          : never;

interface TypedArrays {
  bool: BoolArray;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float16: MaybeFloat16Array;
  float32: Float32Array;
  float64: Float64Array;
  string: string[];
  "v2:object": unknown[];
}
export type TypedArray<D extends DataType> = D extends keyof TypedArrays
  ? TypedArrays[D]
  : D extends `v2:U${number}`
    ? UnicodeStringArray
    : D extends `v2:S${number}`
      ? ByteStringArray
      : never;

export type TypedArrayConstructor<D extends DataType> = {
  new (length: number): TypedArray<D>;
  new (array: ArrayLike<Scalar<D>> | ArrayBufferLike, byteOffset?: number, length?: number): TypedArray<D>;
};

/** Elements with their layout, in C order. */
export interface Chunk<D extends DataType> {
  data: TypedArray<D>;
  shape: number[];
  stride: number[];
}

/** A codec as metadata names it. */
export interface CodecMetadata {
  name: string;
  configuration: Record<string, unknown>;
}

/** Metadata of an array in the form of v3. */
export interface ArrayMetadata<D extends DataType = DataType> {
  zarr_format: 3;
  node_type: "array";
  shape: number[];
  dimension_names?: string[];
  data_type: D;
  chunk_grid: { name: "regular"; configuration: { chunk_shape: number[] } };
  chunk_key_encoding: { name: "v2" | "default"; configuration?: { separator?: "." | "/" } };
  codecs: CodecMetadata[];
  fill_value: Scalar<D> | null;
  attributes: Attributes;
}

/** Metadata of a group in the form of v3. */
export interface GroupMetadata {
  zarr_format: 3;
  node_type: "group";
  attributes: Attributes;
}

type V2Codec = { id: string } & Record<string, unknown>;

/** Contents of `.zarray`. */
export interface ArrayMetadataV2 {
  zarr_format: 2;
  shape: number[];
  chunks: number[];
  dtype: string;
  compressor: null | V2Codec;
  fill_value: unknown;
  order: "C" | "F";
  filters: null | V2Codec[];
  dimension_separator?: "." | "/";
}

/** Contents of `.zgroup`. */
export interface GroupMetadataV2 {
  zarr_format: 2;
}

export type DataTypeQuery = DataType | "boolean" | "number" | "bigint" | "object" | "string";
export type NarrowDataType<D extends DataType, Query extends DataTypeQuery> = Query extends "number"
  ? NumberDataType
  : Query extends "bigint"
    ? BigintDataType
    : Query extends "boolean"
      ? "bool"
      : Query extends "string"
        ? StringDataType
        : Query extends "object"
          ? "v2:object"
          : Extract<Query, D>;

export type Attributes = Record<string, unknown>;

/** A range with a step. */
export interface Slice {
  start: number | null;
  stop: number | null;
  step: number | null;
}

export type Indices = [start: number, stop: number, step: number];

/** Destination of a chunk's elements along one dimension. */
export type Projection =
  | { from: null; to: number }
  | { from: number; to: null }
  | { from: Indices; to: Indices };

/** Report of `withRangeCoalescing` on a batch of requests. */
export interface FlushReport {
  path: AbsolutePath;
  /** Requests sent. */
  groupCount: number;
  /** Ranges in the batch. */
  requestCount: number;
  /** Bytes requested. */
  bytesFetched: number;
}

export interface CreateGroupOptions {
  attributes?: Record<string, unknown> | undefined;
}

export interface CreateArrayOptions<D extends DataType> {
  shape: number[];
  /** Shape of the chunks; with sharding, of the shards. */
  chunkShape: number[];
  dtype: D;
  /** Codecs by their names in v3, in encoding order. Default: none that compresses. */
  codecs?: CodecMetadata[] | undefined;
  /** Default: 0, false or "". */
  fillValue?: Scalar<D> | undefined;
  /** Default: "/". */
  chunkSeparator?: "." | "/" | undefined;
  dimensionNames?: string[] | undefined;
  attributes?: Attributes | undefined;
}

/** A bytes-to-bytes codec as zarrita uses it. */
export interface RegisteredCodec {
  readonly kind: "bytes_to_bytes";
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  decode(bytes: Uint8Array): Promise<Uint8Array>;
  /** For codecs of fixed size; zarrita calls it for shard indices. */
  computeEncodedSize?: (bytes: number) => number;
}

/** The array that a codec is made for. */
export interface CodecArray {
  dataType: string;
  shape: number[];
  codecs: CodecMetadata[];
  fillValue: unknown;
}

/** The class of a codec. */
export interface CodecEntry {
  fromConfig(configuration: never, meta: CodecArray): object;
  readonly kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes" | undefined;
}

/** An entry of a selection. */
export type Entry = null | Slice | number;

/** Functions for regions of another package's type; `prepare` creates the result of `get`. */
export interface Setter<D extends DataType, Made extends Chunk<D>> {
  prepare(data: TypedArray<D>, shape: number[], stride: number[]): Made;
  setScalar(target: Made, selection: (Indices | number)[], value: Scalar<D>): void;
  setFromChunk(target: Made, source: Made, projections: Projection[]): void;
}

/** Options for a store's `get`: a RequestInit, or options of a custom store. */
export interface StoreOptions {
  signal?: AbortSignal | undefined;
  readonly [option: string]: unknown;
}
