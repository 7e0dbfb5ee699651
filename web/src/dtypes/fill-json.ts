/** Formats fill values for metadata documents: the counterpart of fill.ts. Spec: see there. */

import { encodeBase64 } from "../util/bytes.js";
import { toPlain } from "../util/json.js";
import type { DType } from "./dtype.js";
import type { FillValue } from "./fill-value.js";
import { decodeFloat, type FloatFormat, floatFormats, floatsOf, isNanCode, nanOf } from "./floats.js";
import { fromPlain } from "./plain.js";
import { readScalar } from "./scalar.js";

/**
 * A fill value as JSON. Numbers may be −0, and bigints must be written with all digits: JSON.stringify
 * supports neither.
 */
export type FillJson = null | boolean | number | bigint | string | FillJson[] | { [name: string]: FillJson };

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
  if (isNanCode(format, code)) return version === 2 || code === nanOf(format) ? "NaN" : bitsJson(item);
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
