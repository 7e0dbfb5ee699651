/** Prints data types and fill values as metadata of Zarr v3. */

import { encodeBase64 } from "../util/bytes.js";
import { unsupported } from "../util/errors.js";
import { type Json, numberText } from "../util/json.js";
import { textDecoder } from "../util/platform.js";
import { componentsOf, type DType } from "./dtype.js";
import { type FillJson, fillJson } from "./fill-json.js";
import { type FillValue, missingValue } from "./fill-value.js";
import { fromPlain } from "./plain.js";
import { withoutPadding } from "./strings.js";
import type { Endian } from "./typestr.js";

/**
 * Returns the JSON that a reader of the version parses as this value, as far as the version can express it:
 * the caller must parse it back to find out. Structured values of v2 are base64 of the element in its stored
 * byte order (`endian`; a list has one entry per run of components). v1 has no base64, but strings and lists
 * of fields.
 */
export function printFill(
  dtype: DType,
  fill: FillValue,
  version: 1 | 2 | 3,
  endian: Endian | readonly (Endian | null)[],
): Json {
  if (version === 3) return asJson(fillJson(dtype, fill.value === null ? zeroFill(dtype, fill) : fill, 3));
  if (fill.value === null || dtype.isVariable) return asJson(fillJson(dtype, fill, 2));
  if (version === 1) return plainJson(dtype, fill.item);
  if (dtype.fields) return encodeBase64(stored(dtype, fill.item, endian));
  return asJson(fillJson(dtype, fill, 2));
}

/** Returns JSON whose floats other readers do not parse as integers. */
const asJson = (value: FillJson): Json => fromPlain(value, numberText);

/** Replaces an undefined fill value by the zero that it reads as; v3 has no undefined ones. */
const zeroFill = (dtype: DType, fill: FillValue): FillValue => ({
  value: dtype.isVariable ? missingValue(dtype, fill) : 0,
  item: fill.item,
});

/** Formats a value for v1, like Python's json. */
function plainJson(dtype: DType, item: Uint8Array): Json {
  if (item.every((byte) => byte === 0) && (dtype.fields || dtype.core === "raw")) return asJson(0);
  if (dtype.fields) {
    return dtype.fields.map(({ dtype: type, offset }) =>
      plainJson(type, item.subarray(offset, offset + type.itemBytes)),
    );
  }
  if (dtype.core === "fixed_bytes") return textDecoder().decode(withoutPadding(item));
  if (dtype.core === "raw") return textDecoder().decode(item);
  return asJson(fillJson(dtype, { value: 0, item }, 2));
}

/** Returns an element in its stored byte order: one for all, or one per run of components. */
function stored(dtype: DType, item: Uint8Array, endian: Endian | readonly (Endian | null)[]): Uint8Array {
  const turned = item.slice();
  let at = 0;
  for (const [run, { bytes, count }] of componentsOf(dtype).entries()) {
    const isBig = (typeof endian === "string" ? endian : endian[run]) === "big";
    for (let i = 0; i < count; i++, at += bytes) if (isBig) turned.subarray(at, at + bytes).reverse();
  }
  return turned;
}

export type DataTypeJson = string | { name: string; configuration: { [option: string]: unknown } };

/**
 * Returns the name, or name and configuration, that parseDataType parses as this type.
 * @throws Unsupported for objects and for subarrays in structured types, which Zarr v3 does not have.
 */
export function dataTypeJson(dtype: DType): DataTypeJson {
  const { name, core, itemBytes, unit, scaleFactor, fields } = dtype;
  if (name === "object") {
    throw unsupported("Zarr v3 has no data type for objects of any kind", { code: "object-dtype" });
  }
  if (fields) return { name, configuration: { fields: fields.map(fieldJson) } };
  if (unit !== undefined) return { name, configuration: { unit, scale_factor: scaleFactor } };
  const isFixedString = core === "fixed_bytes" || core === "fixed_utf32";
  return isFixedString ? { name, configuration: { length_bytes: itemBytes } } : name;
}

function fieldJson({ name, dtype, shape }: NonNullable<DType["fields"]>[number]): object {
  if (shape.length > 0) {
    throw unsupported(`Zarr v3 has no subarrays in structured types (field "${name}")`, {
      code: "unknown-dtype",
    });
  }
  return { name, data_type: dataTypeJson(dtype) };
}
