/** Values given by programs: converts them to the form of the JSON reader, and parses single elements. */

import { encodeBase64 } from "../util/bytes.js";
import { invalidMetadata } from "../util/errors.js";
import { type Json, JsonNumber, type JsonObject } from "../util/json.js";
import { textEncoder } from "../util/platform.js";
import type { DType } from "./dtype.js";
import { parseFill } from "./fill.js";
import type { FillValue } from "./fill-value.js";

/** Maximum nesting depth of a plain value. */
const maxDepth = 64;

/** Returns the text of a number, without a fraction if it is an integer: both integer and float types parse it. */
function plainText(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return Number.isInteger(value) && Math.abs(value) < 2 ** 64 ? String(BigInt(value)) : String(value);
}

/**
 * Converts a plain value. Numbers keep every digit, bigints are exact, Uint8Arrays become base64.
 * @param textOf returns the text of a number. Default: text for the parsers of fill values.
 * @throws InvalidMetadata for values that JSON cannot represent, and for nesting deeper than 64 levels.
 */
export function fromPlain(value: unknown, textOf = plainText, depth = 0): Json {
  if (typeof value === "number") return new JsonNumber(textOf(value));
  if (typeof value === "bigint") return new JsonNumber(String(value));
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (typeof value !== "object" || depth >= maxDepth) {
    throw invalidMetadata(`fill value ${String(value)} cannot be read`, { code: "bad-fill-value" });
  }
  if (Array.isArray(value)) return Array.from(value, (entry) => fromPlain(entry, textOf, depth + 1));
  const object: JsonObject = {};
  for (const [key, entry] of Object.entries(value)) {
    const json = fromPlain(entry, textOf, depth + 1);
    // defineProperty: an assignment to "__proto__" would change the prototype instead.
    Object.defineProperty(object, key, { value: json, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

/**
 * Parses an element given by a program. NaN and infinities are numbers, byte strings may be given as strings,
 * and a number is a valid complex one; other values have the form of Zarr v3 fill values.
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
