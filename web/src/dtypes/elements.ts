/** Element data: how decoded bytes become JavaScript values, and back. */
import { invalidArgument } from "../errors.js";
import type { DType, Field } from "./dtype.js";
import { narrowToHalf, widenHalf } from "./half.js";
import { utf32String, withoutPadding } from "./scalar.js";
import type { CoreType } from "./table.js";

/** Typed arrays that element data comes in. */
export type ElementData =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

type Constructor = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => ElementData;

/** Float16Array where the engine has it (its type is newer than our TypeScript target). */
const Float16 = (globalThis as { Float16Array?: Constructor }).Float16Array;

/** The typed array of each core type; several numbers per element where the width says so. */
const arrays: Readonly<Record<CoreType, Constructor>> = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Float16 ?? Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  complex64: Float32Array,
  complex128: Float64Array,
  raw: Uint8Array,
  fixed_bytes: Uint8Array,
  fixed_utf32: Uint8Array,
  datetime64: BigInt64Array,
  timedelta64: BigInt64Array,
  struct: Uint8Array,
  bfloat16: Uint16Array,
  int2: Uint8Array,
  int4: Uint8Array,
  uint2: Uint8Array,
  uint4: Uint8Array,
  float8_e3m4: Uint8Array,
  float8_e4m3: Uint8Array,
  float8_e5m2: Uint8Array,
  float8_e4m3b11fnuz: Uint8Array,
  float8_e4m3fnuz: Uint8Array,
  float8_e5m2fnuz: Uint8Array,
  float8_e8m0fnu: Uint8Array,
  float6_e2m3fn: Uint8Array,
  float6_e3m2fn: Uint8Array,
  float4_e2m1fn: Uint8Array,
  complex_bfloat16: Uint16Array,
  complex_float16: Float16 ?? Uint16Array,
  complex_float8_e3m4: Uint8Array,
  complex_float8_e4m3: Uint8Array,
  complex_float8_e5m2: Uint8Array,
  complex_float8_e4m3b11fnuz: Uint8Array,
  complex_float8_e4m3fnuz: Uint8Array,
  complex_float8_e5m2fnuz: Uint8Array,
  complex_float8_e8m0fnu: Uint8Array,
  complex_float6_e2m3fn: Uint8Array,
  complex_float6_e3m2fn: Uint8Array,
  complex_float4_e2m1fn: Uint8Array,
};

/**
 * The typed array of a data type.
 * @throws InvalidArgument for elements of variable length, which come in plain arrays.
 */
function arrayOf({ core, name }: DType): Constructor {
  if (core === "variable") throw invalidArgument(`elements of ${name} have no typed array`);
  return arrays[core];
}

/** True where float16 elements are handed out as float32, because the engine has no Float16Array. */
export function widensHalf(dtype: DType): boolean {
  return dtype.core === "float16" && !Float16;
}

/** Width of one entry of the typed array of a data type, in bytes. */
function entryBytes(dtype: DType): number {
  return (arrayOf(dtype) as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
}

/**
 * Views decoded bytes (little-endian, packed) as the data type's typed array: bool → Uint8Array of 0
 * and 1; int64 → BigInt64Array; complex → interleaved floats; strings, raw and structured →
 * Uint8Array of packed items. float16 becomes a Float32Array where the engine has no Float16Array.
 * Shares memory with `bytes` unless its offset is not aligned or float16 is widened.
 */
export function toElements(dtype: DType, bytes: Uint8Array): ElementData {
  const width = entryBytes(dtype);
  const aligned = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  const data = new (arrayOf(dtype))(aligned.buffer, aligned.byteOffset, aligned.byteLength / width);
  return widensHalf(dtype) ? widenHalf(data as Uint16Array, new Float32Array(data.length)) : data;
}

/** True for a typed array or a bigint typed array (not a DataView). */
function isTypedArray(value: unknown): value is ElementData {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** What the data type's typed array is called. */
export function arrayNameOf(dtype: DType): string {
  return widensHalf(dtype) ? "Float32Array" : arrayOf(dtype).name;
}

/**
 * Checks that `data` is the typed array that `count` elements of the type come in.
 * @throws InvalidArgument that says what was expected.
 */
export function checkElements(
  dtype: DType,
  data: unknown,
  count: number,
  what: string,
): asserts data is ElementData {
  const width = widensHalf(dtype) ? 4 : entryBytes(dtype);
  const entries = widensHalf(dtype) ? count : (count * dtype.itemBytes) / width;
  const clamped = data instanceof Uint8ClampedArray && arrayOf(dtype) === Uint8Array;
  if (!isTypedArray(data) || !(data.constructor.name === arrayNameOf(dtype) || clamped)) {
    throw invalidArgument(`${what} must be a ${arrayNameOf(dtype)} for data type ${dtype}`);
  }
  if (data.length !== entries) {
    throw invalidArgument(
      `${what} must have ${entries} entries for ${count} elements of ${dtype}, not ${data.length}`,
    );
  }
}

/** The bytes of element data that checkElements let through; a copy only where float16 is narrowed. */
export function toBytes(dtype: DType, data: ElementData): Uint8Array {
  const stored = widensHalf(dtype) ? narrowToHalf(data as Float32Array) : data;
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

/** A part of an array: data in C order with its shape. */
export interface ElementRegion {
  readonly data: ElementData;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/**
 * One field of structured elements, copied out of the packed items.
 * @param path the field's name, or a list of names through nested structured types.
 * @returns the field's own data, shape (with the lengths of a subarray field appended) and data type.
 * @throws InvalidArgument where there is no such field.
 */
export function field(region: ElementRegion, path: string | readonly string[]): ElementRegion {
  const names = typeof path === "string" ? [path] : path;
  let dtype = region.dtype;
  let offset = 0;
  const shape = [...region.shape];
  for (const [depth, name] of names.entries()) {
    const found: Field | undefined = dtype.fields?.find((f) => f.name === name);
    if (!found) throw invalidArgument(`data type ${dtype} has no field "${name}"`);
    if (found.shape.length > 0 && depth < names.length - 1) {
      throw invalidArgument(
        `"${name}" is a subarray of structured elements: its fields have no common stride`,
      );
    }
    offset += found.offset;
    dtype = found.dtype;
    shape.push(...found.shape);
  }
  const count = region.shape.reduce((a, b) => a * b, 1);
  const perItem = shape.slice(region.shape.length).reduce((a, b) => a * b, 1);
  const bytes = pickBytes(
    toBytes(region.dtype, region.data),
    region.dtype.itemBytes,
    offset,
    dtype.itemBytes * perItem,
    count,
  );
  return { data: toElements(dtype, bytes), shape, dtype };
}

function pickBytes(
  items: Uint8Array,
  itemBytes: number,
  offset: number,
  width: number,
  count: number,
): Uint8Array {
  const out = new Uint8Array(count * width);
  for (let i = 0; i < count; i++) {
    const from = i * itemBytes + offset;
    for (let k = 0; k < width; k++) out[i * width + k] = items[from + k]!;
  }
  return out;
}

/**
 * Fixed-length strings as JavaScript strings, C order, without their padding. Byte strings are read
 * as UTF-8 (invalid sequences become U+FFFD).
 * @throws InvalidArgument for any other data type.
 */
export function strings(region: ElementRegion): string[] {
  const { dtype } = region;
  const items = toBytes(dtype, region.data);
  const decode =
    dtype.core === "fixed_utf32" ? utf32String : dtype.core === "fixed_bytes" ? byteString : undefined;
  if (!decode) throw invalidArgument(`data type ${dtype} is not a fixed-length string`);
  const count = items.byteLength / dtype.itemBytes;
  return Array.from({ length: count }, (_, i) =>
    decode(items.subarray(i * dtype.itemBytes, (i + 1) * dtype.itemBytes)),
  );
}

const utf8 = new TextDecoder();

function byteString(item: Uint8Array): string {
  return utf8.decode(withoutPadding(item));
}
