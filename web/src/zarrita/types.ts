/** The types of zarrita's public interface, by their names there. */
import type { BoolArray, ByteStringArray, UnicodeStringArray } from "./arrays.js";

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
export type Writable = { set(key: AbsolutePath, value: Uint8Array): unknown };
export type Mutable = Readable & Writable;

/** float16 counts where TypeScript knows Float16Array. */
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
export type StringDataType = `v2:U${number}` | `v2:S${number}` | "string";
/**
 * zarrita's data types. Arrays of others open, too; their `dtype` is this library's name of it ("complex64",
 * "numpy.datetime64", "r24"), which this union leaves out so that code that handles all of it still compiles.
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
        : unknown;

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

/** Elements with their layout, in C order. */
export interface Chunk<D extends DataType> {
  data: TypedArray<D>;
  shape: number[];
  stride: number[];
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
