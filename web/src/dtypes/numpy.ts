/** Data types as NumPy describes them, for .npy files and for people who think in NumPy. */
import type { DType } from "./dtype.js";
import type { CoreType } from "./table.js";

/** A type string, or the list of fields of a structured type. */
export type NumpyDescr = string | [name: string, descr: NumpyDescr, shape?: readonly number[]][];

const letters: Readonly<Record<CoreType, string>> = {
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
  struct: "|V",
  bfloat16: "|V",
  int2: "|V",
  int4: "|V",
  uint2: "|V",
  uint4: "|V",
  float8_e3m4: "|V",
  float8_e4m3: "|V",
  float8_e5m2: "|V",
  float8_e4m3b11fnuz: "|V",
  float8_e4m3fnuz: "|V",
  float8_e5m2fnuz: "|V",
  float8_e8m0fnu: "|V",
  float6_e2m3fn: "|V",
  float6_e3m2fn: "|V",
  float4_e2m1fn: "|V",
  complex_bfloat16: "|V",
  complex_float16: "|V",
  complex_float8_e3m4: "|V",
  complex_float8_e4m3: "|V",
  complex_float8_e5m2: "|V",
  complex_float8_e4m3b11fnuz: "|V",
  complex_float8_e4m3fnuz: "|V",
  complex_float8_e5m2fnuz: "|V",
  complex_float8_e8m0fnu: "|V",
  complex_float6_e2m3fn: "|V",
  complex_float6_e3m2fn: "|V",
  complex_float4_e2m1fn: "|V",
};

/** The description of little-endian, packed elements, which is how elements are in memory here. */
export function numpyDescr(dtype: DType): NumpyDescr {
  if (dtype.fields) {
    return dtype.fields.map(({ name, dtype: type, shape }) =>
      shape.length === 0 ? [name, numpyDescr(type)] : [name, numpyDescr(type), shape],
    );
  }
  if (dtype.core === "variable") return "|O";
  const size = dtype.core === "fixed_utf32" ? dtype.itemBytes / 4 : dtype.itemBytes;
  if (dtype.unit === undefined) return `${letters[dtype.core]}${size}`;
  const unit =
    dtype.unit === "generic" ? "" : `[${dtype.scaleFactor === 1 ? "" : dtype.scaleFactor}${dtype.unit}]`;
  return `${letters[dtype.core]}${size}${unit}`;
}
