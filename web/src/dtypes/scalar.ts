/** Reads single elements as JavaScript values, for printing, tooltips and tests; too slow for bulk work. */
import { invalidArgument } from "../util/errors.js";
import type { DType, Field } from "./dtype.js";
import { decodeFloat, floatsOf } from "./floats.js";
import { utf32String, withoutPadding } from "./strings.js";

/** One element: complex is [re, im]; raw bytes and byte strings are bytes; a struct is an object of its fields. */
export type Scalar = number | bigint | boolean | string | Uint8Array | Scalar[] | { [field: string]: Scalar };

/**
 * Reads the element at a byte offset of packed, little-endian elements. Byte strings are returned without
 * their padding; datetimes and timedeltas as the stored count of units.
 * @throws InvalidArgument for elements of variable length, which are already values.
 */
export function readScalar(dtype: DType, bytes: Uint8Array, offset: number): Scalar {
  if (dtype.core === "variable") throw invalidArgument(`elements of ${dtype} are not stored as bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, dtype.itemBytes);
  switch (dtype.core) {
    case "bool":
      return view.getUint8(0) !== 0;
    case "int8":
      return view.getInt8(0);
    case "int16":
      return view.getInt16(0, true);
    case "int32":
      return view.getInt32(0, true);
    case "uint8":
      return view.getUint8(0);
    case "uint16":
      return view.getUint16(0, true);
    case "uint32":
      return view.getUint32(0, true);
    case "uint64":
      return view.getBigUint64(0, true);
    case "int64":
    case "datetime64":
    case "timedelta64":
      return view.getBigInt64(0, true);
    case "float64":
      return view.getFloat64(0, true);
    case "complex128":
      return [view.getFloat64(0, true), view.getFloat64(8, true)];
    case "int2":
    case "int4":
    case "uint2":
    case "uint4":
      return lowBits(dtype.core, view.getUint8(0));
    case "fixed_utf32":
      return utf32String(bytes.subarray(offset, offset + dtype.itemBytes));
    case "fixed_bytes":
      return withoutPadding(bytes.slice(offset, offset + dtype.itemBytes));
    case "raw":
      return bytes.slice(offset, offset + dtype.itemBytes);
    case "struct":
      return Object.fromEntries(dtype.fields!.map((field) => [field.name, readField(field, bytes, offset)]));
    default:
      return readSmall(dtype, view);
  }
}

/** Reads a float narrower than float64, or a pair of them. */
function readSmall(dtype: DType, view: DataView): Scalar {
  const { format, isComplex } = floatsOf(dtype)!;
  const read = (at: number) => {
    if (format.bytes === 4) return view.getFloat32(at, true);
    return decodeFloat(format, format.bytes === 2 ? view.getUint16(at, true) : view.getUint8(at));
  };
  return isComplex ? [read(0), read(format.bytes)] : read(0);
}

/** Extracts an integer from the low bits of a byte. */
function lowBits(core: "int2" | "int4" | "uint2" | "uint4", byte: number): number {
  const shift = core.endsWith("2") ? 30 : 28;
  return core.startsWith("u") ? (byte << shift) >>> shift : (byte << shift) >> shift;
}

function readField({ dtype, shape, offset }: Field, bytes: Uint8Array, start: number): Scalar {
  const read = (dims: readonly number[], at: number): Scalar => {
    if (dims.length === 0) return readScalar(dtype, bytes, at);
    const width = dims.slice(1).reduce((a, b) => a * b, dtype.itemBytes);
    return Array.from({ length: dims[0]! }, (_, i) => read(dims.slice(1), at + i * width));
  };
  return read(shape, start + offset);
}
