/** Parses single elements given by programs, for fill values and for values that fill a selection. */

import { encodeBase64 } from "../util/bytes.js";
import { type Json, JsonNumber } from "../util/json.js";
import { textEncoder } from "../util/platform.js";
import type { DType } from "./dtype.js";
import { parseFill } from "./fill.js";
import type { FillValue } from "./fill-value.js";
import { fromPlain } from "./plain.js";

/**
 * Parses an element given by a program. NaN and infinities are numbers, byte strings may be given as strings,
 * and a number is a valid complex one; otherwise the form is that of Zarr v3 fill values.
 * @throws InvalidMetadata ("bad-fill-value") for values that do not fit the data type.
 */
export function parseScalar(dtype: DType, value: unknown): FillValue {
  const isComplex = dtype.core.startsWith("complex");
  const whole = isComplex && typeof value === "number" ? [value, 0] : value;
  const isText = typeof whole === "string" && (dtype.core === "fixed_bytes" || dtype.name === "bytes");
  const json = isText ? encodeBase64(textEncoder().encode(whole)) : fromPlain(whole);
  if (dtype.name === "object") return parseFill(dtype, json, "loose");
  return parseFill(dtype, named(json), "strict");
}

/** Replaces bare NaN and infinities by their names in fill values. */
function named(json: Json): Json {
  if (json instanceof JsonNumber) return /^(NaN|-?Infinity)$/.test(json.text) ? json.text : json;
  if (Array.isArray(json)) return json.map(named);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, child]) => [key, named(child)]));
}
