/** NumPy data types as metadata of Zarr v1 and v2 holds them. */

import { unsupported } from "../util/errors.js";
import { type Json, JsonNumber } from "../util/json.js";
import type { DType, Field } from "./dtype.js";
import { type CoreType, coreRow } from "./table.js";
import type { Endian } from "./typestr.js";

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

/** NumPy kind characters; types without one do not exist in NumPy. */
const kinds: Readonly<Partial<Record<CoreType, string>>> = {
  bool: "b",
  int8: "i",
  int16: "i",
  int32: "i",
  int64: "i",
  uint8: "u",
  uint16: "u",
  uint32: "u",
  uint64: "u",
  float16: "f",
  float32: "f",
  float64: "f",
  complex64: "c",
  complex128: "c",
  raw: "V",
  fixed_bytes: "S",
  fixed_utf32: "U",
  datetime64: "M",
  timedelta64: "m",
};

/** Types whose elements have no byte order. */
const orderless: readonly string[] = ["bool", "int8", "uint8", "raw", "fixed_bytes"];

/**
 * Returns the type string or list of fields that parseDescr parses as this type, in one byte order.
 * @throws Unsupported for types that do not exist in NumPy, and so in these versions; in v1 also for objects
 *   and subarrays.
 */
export function descrJson(dtype: DType, endian: Endian, version: 1 | 2): Json {
  const { core, itemBytes, unit, scaleFactor, fields } = dtype;
  if (fields) return fields.map((field) => fieldJson(field, endian, version));
  if (core === "variable" && version === 2) return "|O";
  const kind = core === "variable" ? undefined : kinds[core];
  if (kind === undefined) {
    throw unsupported(`Zarr v${version} has no data type ${dtype}`, { code: "unsupported-dtype" });
  }
  const mark = orderless.includes(core) ? "|" : endian === "little" ? "<" : ">";
  const size = core === "fixed_utf32" ? itemBytes / 4 : itemBytes;
  const time = unit === undefined ? "" : `[${scaleFactor === 1 ? "" : scaleFactor}${unit}]`;
  return `${mark}${kind}${size}${time}`;
}

function fieldJson({ name, dtype, shape }: Field, endian: Endian, version: 1 | 2): Json {
  const type = descrJson(dtype, endian, version);
  if (shape.length === 0) return [name, type];
  if (version === 1) {
    throw unsupported(`Zarr v1 has no subarrays in structured types (field "${name}")`, {
      code: "unsupported-dtype",
    });
  }
  return [name, type, shape.map((length) => new JsonNumber(String(length)))];
}
