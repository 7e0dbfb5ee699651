/** Converts plain values to the form of the JSON reader, so that fill values from programs use the same parsers. */

import { encodeBase64 } from "../util/bytes.js";
import { invalidMetadata } from "../util/errors.js";
import { type Json, JsonNumber, type JsonObject } from "../util/json.js";

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
