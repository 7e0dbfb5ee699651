/** The typed array for the elements of each core type, and the conversion if one is needed. */
import { invalidArgument } from "../util/errors.js";
import { type Conversion, floatConversion, integerConversion } from "./convert.js";
import type { DType } from "./dtype.js";
import { type FloatName, floatFormats } from "./floats.js";
import type { CoreType } from "./table.js";

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
export function arrayOf(dtype: DType): ElementArray {
  if (dtype.core === "variable") throw invalidArgument(`elements of ${dtype} have no typed array`);
  const conversion = conversionOf(dtype);
  if (conversion) return conversion.array as unknown as ElementArray;
  return arrays[dtype.core as keyof typeof arrays];
}
