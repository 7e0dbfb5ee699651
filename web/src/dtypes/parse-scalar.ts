/** Single elements as programs have them, for fill values and for what fills a selection. */

import { type Json, JsonNumber } from "../util/json.js";
import { textEncoder } from "../util/platform.js";
import { encodeBase64 } from "./base64.js";
import type { DType } from "./dtype.js";
import { parseFill } from "./fill.js";
import type { FillValue } from "./fill-value.js";
import { fromPlain } from "./plain.js";

/**
 * Reads an element as programs have it: NaN and infinities are numbers, texts of byte strings are texts, a number is a
 * complex one, too; otherwise as Zarr v3 has fill values.
 * @throws InvalidMetadata ("bad-fill-value") for what the data type does not hold.
 */
export function parseScalar(dtype: DType, value: unknown): FillValue {
  const isComplex = dtype.core.startsWith("complex");
  const whole = isComplex && typeof value === "number" ? [value, 0] : value;
  const isText = typeof whole === "string" && (dtype.core === "fixed_bytes" || dtype.name === "bytes");
  const json = isText ? encodeBase64(textEncoder().encode(whole)) : fromPlain(whole);
  if (dtype.name === "object") return parseFill(dtype, json, "loose");
  return parseFill(dtype, named(json), "strict");
}

/** Bare NaN and infinities as the names that fill values have for them. */
function named(json: Json): Json {
  if (json instanceof JsonNumber) return /^(NaN|-?Infinity)$/.test(json.text) ? json.text : json;
  if (Array.isArray(json)) return json.map(named);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, child]) => [key, named(child)]));
}
