/** Prints data types and fill values as metadata: the counterpart of fill.ts and v3.ts. */

import { encodeBase64 } from "../util/bytes.js";
import { unsupported } from "../util/errors.js";
import { type Json, numberText, toPlain } from "../util/json.js";
import { textDecoder } from "../util/platform.js";
import type { DType } from "./dtype.js";
import { type FillValue, missingValue, swappedItem } from "./fill-value.js";
import { decodeFloat, type FloatFormat, floatFormats, floatsOf, isNanCode, nanCode } from "./floats.js";
import { fromPlain } from "./plain.js";
import { readScalar } from "./scalar.js";
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
  if (dtype.fields) return encodeBase64(swappedItem(dtype, fill.item, endian));
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

type DataTypeJson = string | { name: string; configuration: { [option: string]: unknown } };

/**
 * Returns the name, or name and configuration, that parseDataType parses as this type.
 * @throws Unsupported for objects and for subarrays in structured types, which Zarr v3 does not have.
 */
export function dataTypeJson(dtype: DType): DataTypeJson {
  const { name, core, itemBytes, unit, scaleFactor, fields } = dtype;
  if (name === "object") {
    throw unsupported("Zarr v3 has no data type for objects of any kind", { code: "unsupported-dtype" });
  }
  if (fields) return { name, configuration: { fields: fields.map(fieldJson) } };
  if (unit !== undefined) return { name, configuration: { unit, scale_factor: scaleFactor } };
  const isFixedString = core === "fixed_bytes" || core === "fixed_utf32";
  return isFixedString ? { name, configuration: { length_bytes: itemBytes } } : name;
}

function fieldJson({ name, dtype, shape }: NonNullable<DType["fields"]>[number]): object {
  if (shape.length > 0) {
    throw unsupported(`Zarr v3 has no subarrays in structured types (field "${name}")`, {
      code: "unsupported-dtype",
    });
  }
  return { name, data_type: dataTypeJson(dtype) };
}

/**
 * A fill value as JSON. Numbers may be −0, and bigints must be written with all digits: JSON.stringify
 * supports neither.
 */
type FillJson = null | boolean | number | bigint | string | FillJson[] | { [name: string]: FillJson };

/**
 * Returns the JSON that parseFill parses as this value: by the strict rules for version 3, by the loose ones
 * for version 2, with little-endian byte order. NaNs keep their bits in version 3 only.
 * @returns null for an undefined fill value, which version 3 does not have.
 */
export function fillJson(dtype: DType, { value, item }: FillValue, version: 2 | 3): FillJson {
  if (value === null) return null;
  if (!dtype.isVariable) return itemJson(dtype, item, version);
  if (value instanceof Uint8Array) return encodeBase64(value);
  return toPlain(fromPlain(value));
}

function itemJson(dtype: DType, item: Uint8Array, version: 2 | 3): FillJson {
  switch (dtype.core) {
    case "raw":
      return version === 3 ? [...item] : encodeBase64(item);
    case "fixed_bytes":
      return encodeBase64(item);
    case "struct":
      return version === 3 ? structJson(dtype, item) : encodeBase64(item);
    case "float64":
      return float64Json(item, version);
    case "complex128":
      return halves(item).map((part) => float64Json(part, version));
    case "datetime64":
    case "timedelta64":
      return timeJson(readScalar(dtype, item, 0) as bigint);
  }
  const floats = floatsOf(dtype);
  if (!floats) return readScalar(dtype, item, 0) as boolean | number | bigint | string;
  const { format, isComplex } = floats;
  return isComplex
    ? halves(item).map((part) => floatJson(format, part, version))
    : floatJson(format, item, version);
}

const halves = (item: Uint8Array) => [item.subarray(0, item.length / 2), item.subarray(item.length / 2)];

function structJson(dtype: DType, item: Uint8Array): FillJson {
  const entries = dtype.fields!.map(({ name, dtype: type, offset }): [string, FillJson] => [
    name,
    itemJson(type, item.subarray(offset, offset + type.itemBytes), 3),
  ]);
  return Object.fromEntries(entries);
}

function timeJson(count: bigint): FillJson {
  return count === -(2n ** 63n) ? "NaT" : count;
}

function float64Json(item: Uint8Array, version: 2 | 3): FillJson {
  const view = new DataView(item.buffer, item.byteOffset, 8);
  const value = view.getFloat64(0, true);
  if (!Number.isNaN(value)) return finiteOrName(value);
  const isPlain = view.getBigUint64(0, true) === 0x7ff8000000000000n;
  return version === 2 || isPlain ? "NaN" : bitsJson(item);
}

function floatJson(format: FloatFormat, item: Uint8Array, version: 2 | 3): FillJson {
  const code = item.reduceRight((bits, byte) => bits * 256 + byte, 0);
  if (isNanCode(format, code)) return version === 2 || code === nanCode(format) ? "NaN" : bitsJson(item);
  const value = decodeFloat(format, code);
  return finiteOrName(format === floatFormats.float32 ? shortest(value) : value);
}

const finiteOrName = (value: number): FillJson => (Number.isFinite(value) ? value : String(value));

/** Formats an item as "0x" and the hexadecimal digits of its bits, most significant first. */
function bitsJson(item: Uint8Array): string {
  const digits = Array.from(item, (byte) => byte.toString(16).padStart(2, "0"));
  return `0x${digits.reverse().join("")}`;
}

/** Returns the number with the fewest digits that rounds to this float32: 0.1 rather than 0.10000000149011612. */
function shortest(value: number): number {
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Object.is(Math.fround(short), value)) return short;
  }
  return value;
}
