/** NumPy descriptions of data types, for .npy files and users of NumPy. */
import type { DType } from "./dtype.js";
import { type CoreType, coreRow } from "./table.js";

/** A type string, or the list of fields of a structured type. */
export type NumpyDescr = string | [name: string, descr: NumpyDescr, shape?: readonly number[]][];

/** Types that exist in NumPy; the others are described as bytes of the same width. */
const letters: Readonly<Partial<Record<CoreType, string>>> = {
  bool: "|b",
  int8: "|i",
  int16: "<i",
  int32: "<i",
  int64: "<i",
  uint8: "|u",
  uint16: "<u",
  uint32: "<u",
  uint64: "<u",
  float16: "<f",
  float32: "<f",
  float64: "<f",
  complex64: "<c",
  complex128: "<c",
  raw: "|V",
  fixed_bytes: "|S",
  fixed_utf32: "<U",
  datetime64: "<M",
  timedelta64: "<m",
};

/**
 * Returns the description of little-endian, packed elements, the form that getBytes returns. Types that do
 * not exist in NumPy are `|V1` or `<V2` (bfloat16; `<V4` for its complex form), as ml_dtypes writes them to
 * .npy files; elements of variable length are `|O`.
 */
export function numpyDescr(dtype: DType): NumpyDescr {
  if (dtype.fields) {
    return dtype.fields.map(({ name, dtype: type, shape }) =>
      shape.length === 0 ? [name, numpyDescr(type)] : [name, numpyDescr(type), shape],
    );
  }
  if (dtype.core === "variable") return "|O";
  const size = dtype.core === "fixed_utf32" ? dtype.itemBytes / 4 : dtype.itemBytes;
  const letter = letters[dtype.core] ?? (coreRow(dtype.core).componentBytes > 1 ? "<V" : "|V");
  if (dtype.unit === undefined) return `${letter}${size}`;
  const unit =
    dtype.unit === "generic" ? "" : `[${dtype.scaleFactor === 1 ? "" : dtype.scaleFactor}${dtype.unit}]`;
  return `${letter}${size}${unit}`;
}
