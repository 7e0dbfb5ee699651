/** JSON values whose numbers keep their text, and their conversion to plain values. */

import { limitExceeded } from "./errors.js";

/** A number with its original text. */
export class JsonNumber {
  constructor(readonly text: string) {}

  /** The nearest float64. */
  get value(): number {
    return Number(this.text);
  }
  /** Whether the number is written as an integer: no fraction, no exponent, not one of the three bare tokens. */
  get isInteger(): boolean {
    return /^-?\d+$/.test(this.text);
  }
  /** The exact integer; valid only if `isInteger`. */
  get bigint(): bigint {
    return BigInt(this.text);
  }
}

export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** A JSON value with plain numbers instead of JsonNumber. */
export type PlainJson =
  | null
  | boolean
  | string
  | number
  | bigint
  | PlainJson[]
  | { [key: string]: PlainJson };

/**
 * Converts JsonNumbers to numbers, and integers beyond ±2⁵³ to bigints, so that no precision is lost.
 * @throws LimitExceeded for integers of more than 2¹⁴ characters.
 */
export function toPlain(value: Json): PlainJson {
  if (value instanceof JsonNumber) return plainNumber(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (value === null || typeof value !== "object") return value;
  const object: { [key: string]: PlainJson } = {};
  for (const [key, child] of Object.entries(value)) {
    setOwn(object, key, toPlain(child));
  }
  return object;
}

/**
 * Sets an own property of any name. Plain assignment is far faster, but for "__proto__" it would change the
 * prototype, and it fails for names that a frozen prototype has.
 */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key in object)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Maximum length of a number that becomes a bigint: converting it takes more than linear time. */
const maxBigintDigits = 2 ** 14;

function plainNumber(number: JsonNumber): number | bigint {
  const value = number.value;
  if (!number.isInteger || Number.isSafeInteger(value)) return value;
  if (number.text.length > maxBigintDigits)
    throw limitExceeded(`an integer of ${number.text.length} characters; ${maxBigintDigits} is the limit`);
  return number.bigint;
}

/** Whether a value is a JSON object (not null, a list or a number). */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

/**
 * Formats a number as JSON that other readers parse as the same float. Python parses "-0" as the integer 0,
 * and GDAL clamps integers of more than 64 bits.
 * @param maxInteger integers beyond it get a fraction. Default: 2⁵³ − 1.
 */
export function numberText(value: number, maxInteger = Number.MAX_SAFE_INTEGER): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return Math.abs(value) > maxInteger && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/**
 * Formats a JSON value. JsonNumbers keep their text; JavaScript numbers, including -0 and non-finite ones,
 * are written so that they parse as the same number.
 * @throws LimitExceeded for nesting beyond `maxDepth`, and so for circular objects.
 */
export function jsonText(json: Json | PlainJson, maxDepth = Number.POSITIVE_INFINITY): string {
  if (json instanceof JsonNumber) return json.text;
  if (typeof json === "number") return numberText(json);
  if (typeof json === "bigint") return String(json);
  if (json === null || typeof json !== "object") return JSON.stringify(json) ?? "null";
  if (maxDepth <= 0) throw limitExceeded("a JSON value is nested too deeply");
  if (Array.isArray(json)) return `[${json.map((value) => jsonText(value, maxDepth - 1)).join(",")}]`;
  const members = Object.entries(json)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value, maxDepth - 1)}`);
  return `{${members.join(",")}}`;
}

/** Formats a JSON value for messages, shortened. */
export function showJson(json: Json | undefined): string {
  const text = json instanceof JsonNumber ? json.text : (JSON.stringify(json, plainNumbers) ?? "nothing");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function plainNumbers(_key: string, value: unknown): unknown {
  return value instanceof JsonNumber ? value.value : value;
}
