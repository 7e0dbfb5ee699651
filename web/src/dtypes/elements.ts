/** Converts decoded bytes to JavaScript element data and back. */

import { invalidArgument } from "../util/errors.js";
import { type Conversion, floatConversion, integerConversion, type StoredArray } from "./convert.js";
import type { DType } from "./dtype.js";
import { type FloatName, floatFormats } from "./floats.js";
import type { DTypeName } from "./names.js";
import type { CoreType } from "./table.js";

/**
 * Whether elements differ in form from the stored data: floats without a typed array (float16 if the engine
 * has no Float16Array, bfloat16, float8 and smaller) and integers of fewer than 8 bits. Their element data
 * never shares memory with stored bytes.
 */
export function isConverted(dtype: DType): boolean {
  return conversionOf(dtype) !== undefined;
}

/**
 * Returns decoded bytes (little-endian, packed) as the data type's typed array: bool → Uint8Array of 0 and 1;
 * int64 → BigInt64Array; complex → interleaved floats; small floats → Float32Array; integers of 2 and 4 bits
 * → Int8Array or Uint8Array; strings, raw and structured → Uint8Array of packed items. float16 becomes a
 * Float32Array if the engine has no Float16Array. Shares memory with `bytes` unless its offset is not aligned
 * or the type is converted (see isConverted).
 * @throws InvalidArgument for elements of variable length.
 */
export function toElements(dtype: DType, bytes: Uint8Array): ElementData {
  const Kind = arrayOf(dtype);
  const conversion = conversionOf(dtype);
  if (!conversion) {
    const width = Kind.BYTES_PER_ELEMENT;
    const aligned = alignedTo(width, bytes);
    return new Kind(aligned.buffer, aligned.byteOffset, aligned.byteLength / width);
  }
  const length = bytes.byteLength / conversion.storedBytes;
  const out = new conversion.array(bufferLike(bytes, length * Kind.BYTES_PER_ELEMENT));
  conversion.widen(storedArray(conversion.storedBytes, bytes), out);
  return out;
}

/** Writes decoded bytes as elements into a typed array that passed checkElements. */
export function readElements(dtype: DType, bytes: Uint8Array, out: ElementData): void {
  const conversion = conversionOf(dtype);
  if (conversion) conversion.widen(storedArray(conversion.storedBytes, bytes), out as Float32Array);
  else new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(bytes);
}

function alignedTo(width: number, bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % width === 0 ? bytes : bytes.slice();
}

function storedArray(storedBytes: 1 | 2, bytes: Uint8Array): StoredArray {
  if (storedBytes === 1) return bytes;
  const aligned = alignedTo(2, bytes);
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2);
}

/** Allocates a buffer, shared if the buffer of `bytes` is. */
function bufferLike(bytes: Uint8Array, length: number): ArrayBufferLike {
  const isShared = typeof SharedArrayBuffer !== "undefined" && bytes.buffer instanceof SharedArrayBuffer;
  return isShared ? new SharedArrayBuffer(length) : new ArrayBuffer(length);
}

/** Whether a value is a typed array, including bigint arrays (not a DataView). */
export function isTypedArray(value: unknown): value is ElementData {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** Returns the name of the data type's typed array; "Array" for elements of variable length. */
export function arrayNameOf(dtype: DType): string {
  return dtype.isVariable ? "Array" : arrayOf(dtype).name;
}

/** Returns the length of the typed array for `count` elements. */
function arrayLength(dtype: DType, count: number): number {
  return (count * dtype.itemBytes) / (conversionOf(dtype)?.storedBytes ?? arrayOf(dtype).BYTES_PER_ELEMENT);
}

/**
 * Checks that `data` is the data type's typed array for `count` elements.
 * @throws InvalidArgument that names the expected array.
 */
export function checkElements(
  dtype: DType,
  data: unknown,
  count: number,
  what: string,
): asserts data is ElementData {
  const entries = arrayLength(dtype, count);
  const clamped = data instanceof Uint8ClampedArray && arrayOf(dtype) === Uint8Array;
  // Checked by tag to accept arrays of any realm, and subclasses such as Node's Buffer.
  if (!isTypedArray(data) || !(data[Symbol.toStringTag] === arrayNameOf(dtype) || clamped)) {
    throw invalidArgument(`${what} must be a ${arrayNameOf(dtype)} for data type ${dtype}`);
  }
  if (data.length !== entries) {
    throw invalidArgument(
      `${what} must have ${entries} entries for ${count} elements of ${dtype}, not ${data.length}`,
    );
  }
}

/** Valid values for types of variable length. */
const valueKinds: Readonly<Record<string, [what: string, check: (value: unknown) => boolean]>> = {
  string: ["strings", (value) => typeof value === "string"],
  bytes: ["Uint8Arrays", (value) => value instanceof Uint8Array],
  object: ["values", () => true],
};

/**
 * Checks that `data` is a list of `count` values of a type of variable length.
 * @throws InvalidArgument that names the expected values.
 */
export function checkValues(
  dtype: DType,
  data: unknown,
  count: number,
  what: string,
): asserts data is unknown[] {
  const [kind, check] = valueKinds[dtype.name]!;
  if (!Array.isArray(data) || data.length !== count || !data.every(check)) {
    throw invalidArgument(`${what} must be an Array of ${count} ${kind} for data type ${dtype}`);
  }
}

/**
 * Returns the stored bytes of element data that passed checkElements, sharing memory if the type is not
 * converted. Small floats are rounded to the nearest, ties to even.
 * @throws InvalidArgument for numbers without a nearest number in a converted type: NaN in float6 and float4,
 *   integers out of range.
 */
export function toBytes(dtype: DType, data: ElementData): Uint8Array {
  const stored = conversionOf(dtype)?.narrow(data as Float32Array) ?? data;
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

/** Element data of any type: typed arrays, or lists of values of variable length. */
export type Elements<B extends ArrayBufferLike = ArrayBufferLike> = ElementData<B> | readonly unknown[];

/** Float16Array, if the types of the platform have it. */
type Float16Elements = typeof globalThis extends { Float16Array: { new (length: number): infer F } }
  ? F
  : never;

/** Types whose elements are converted to float32. */
type ConvertedFloat = Exclude<
  Extract<DTypeName, `float${string}` | `bfloat${string}` | `complex_${string}`>,
  "float16" | "float32" | "float64"
>;

/** Element data by data type, in buffers of type `B`. */
export interface ElementsByType<B extends ArrayBufferLike = ArrayBuffer>
  extends Record<ConvertedFloat, Float32Array<B>> {
  bool: Uint8Array<B>;
  int2: Int8Array<B>;
  int4: Int8Array<B>;
  int8: Int8Array<B>;
  int16: Int16Array<B>;
  int32: Int32Array<B>;
  int64: BigInt64Array<B>;
  uint2: Uint8Array<B>;
  uint4: Uint8Array<B>;
  uint8: Uint8Array<B>;
  uint16: Uint16Array<B>;
  uint32: Uint32Array<B>;
  uint64: BigUint64Array<B>;
  /** A Float16Array if the engine has it. */
  float16: Float32Array<B> | Float16Elements;
  float32: Float32Array<B>;
  float64: Float64Array<B>;
  /** Real and imaginary parts, interleaved. */
  complex64: Float32Array<B>;
  complex128: Float64Array<B>;
  "numpy.datetime64": BigInt64Array<B>;
  "numpy.timedelta64": BigInt64Array<B>;
  string: string[];
  bytes: Uint8Array[];
  object: unknown[];
  /** Packed items, as of all following types. */
  null_terminated_bytes: Uint8Array<B>;
  fixed_length_utf32: Uint8Array<B>;
  struct: Uint8Array<B>;
  [raw: `r${number}`]: Uint8Array<B>;
}

/** Element data of an array; typed arrays if its data type is not known. */
export type ReadAs<D extends DTypeName, B extends ArrayBufferLike = ArrayBuffer> = DTypeName extends D
  ? ElementData<B>
  : ElementsByType<B>[D];

/** Element data that fits an array: to write, or to read into. */
export type ElementsLike<D extends DTypeName> = DTypeName extends D
  ? ElementData | readonly unknown[]
  : ElementsByType<ArrayBufferLike>[D];

/** Typed arrays used for element data, in buffers of type `B`. */
export type ElementData<B extends ArrayBufferLike = ArrayBufferLike> =
  | Uint8Array<B>
  | Int8Array<B>
  | Uint16Array<B>
  | Int16Array<B>
  | Uint32Array<B>
  | Int32Array<B>
  | BigUint64Array<B>
  | BigInt64Array<B>
  | Float32Array<B>
  | Float64Array<B>;

export interface ElementArray {
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): ElementData;
  readonly BYTES_PER_ELEMENT: number;
  readonly name: string;
}

type SmallFloat = Exclude<FloatName, "float16" | "float32">;
type ConvertedType = SmallFloat | `complex_${SmallFloat | "float16"}` | "int2" | "int4" | "uint2" | "uint4";

/** Float16Array if the engine has it (its type is newer than our TypeScript target). */
const Float16 = (globalThis as { Float16Array?: ElementArray }).Float16Array;

/** The typed array of each core type that needs no conversion; wide types have several numbers per element. */
const arrays: Readonly<Record<Exclude<CoreType, ConvertedType>, ElementArray>> = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Float16 ?? Uint16Array, // overridden by a conversion without Float16Array
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
};

/** Conversions of the types whose elements differ in form from the stored data. */
const conversions = new Map<string, Conversion>([
  ["int2", integerConversion("int2", 2, true)],
  ["int4", integerConversion("int4", 4, true)],
  ["uint2", integerConversion("uint2", 2, false)],
  ["uint4", integerConversion("uint4", 4, false)],
]);
for (const name of Object.keys(floatFormats) as FloatName[]) {
  if (name === "float32") continue;
  const conversion = floatConversion(name);
  if (name !== "float16" || !Float16) conversions.set(name, conversion);
  conversions.set(`complex_${name}`, conversion);
}

/** Returns the conversion of the type; undefined if elements have their stored form. */
export function conversionOf({ core }: DType): Conversion | undefined {
  return conversions.get(core);
}

/**
 * Returns the typed array class for elements of the type.
 * @throws InvalidArgument for elements of variable length, which use plain arrays.
 */
function arrayOf(dtype: DType): ElementArray {
  if (dtype.core === "variable") throw invalidArgument(`elements of ${dtype} have no typed array`);
  const conversion = conversionOf(dtype);
  if (conversion) return conversion.array as unknown as ElementArray;
  return arrays[dtype.core as keyof typeof arrays];
}
