/** Prints metadata documents, and converts values from programs to JSON. */

import { isWellFormed } from "../util/arguments.js";
import { invalidArgument } from "../util/errors.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, numberText, toPlain } from "../util/json.js";
import { orderKeys, writtenKeys } from "../util/json-reader.js";
import { textEncoder } from "../util/platform.js";
import { member } from "./document.js";

/** Maximum length of a list that is written on one line. */
const lineLength = 100;
/** Maximum nesting depth of values from programs. */
const maxDepth = 60;

/**
 * Prints a document as ASCII, which zarr-python 2 requires, indented by two spaces. Numbers keep their text
 * and keys their order, so that parsing and printing preserves a document.
 */
export function printDocument(json: JsonObject): Uint8Array<ArrayBuffer> {
  const text = prettyJson(json).replace(/[^\0-\x7f]/g, escaped);
  return textEncoder().encode(`${text}\n`);
}

/** Escapes a UTF-16 unit in ASCII; characters outside ASCII occur only in strings. */
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Prints a JSON value with indentation; lists of plain values go on one line if they fit. */
export function prettyJson(json: Json, indent = ""): string {
  if (json instanceof JsonNumber) return json.text;
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  const deeper = `${indent}  `;
  if (Array.isArray(json)) {
    const items = json.map((item) => prettyJson(item, deeper));
    const line = `[${items.join(", ")}]`;
    if (line.length <= lineLength && !line.includes("\n")) return line;
    return `[\n${items.map((item) => deeper + item).join(",\n")}\n${indent}]`;
  }
  const members = writtenKeys(json).map(
    (key) => `${deeper}${JSON.stringify(key)}: ${prettyJson(json[key]!, deeper)}`,
  );
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}

/** Returns a JSON object with entries in order; entries with undefined values are omitted. */
export function jsonObject(entries: Iterable<readonly [key: string, value: Json | undefined]>): JsonObject {
  const object: JsonObject = {};
  const keys: string[] = [];
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    // defineProperty: an assignment to "__proto__" would change the prototype instead.
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    keys.push(key);
  }
  orderKeys(object, keys);
  return object;
}

export function jsonEntries(object: JsonObject): [string, Json][] {
  return writtenKeys(object).map((key) => [key, object[key]!]);
}

/** Returns the object with changed entries in place; new keys come last, undefined values remove their key. */
export function withEntries(
  object: JsonObject,
  changes: Iterable<readonly [key: string, value: Json | undefined]>,
): JsonObject {
  return jsonObject(new Map<string, Json | undefined>([...jsonEntries(object), ...changes]));
}

/** Converts attributes from a program to JSON. @param stored see `toJson`. */
export function attributesJson(attributes: unknown, stored?: JsonObject): JsonObject {
  const json = attributes === undefined ? {} : toJson(attributes, "attributes", stored);
  if (!isJsonObject(json)) throw invalidArgument("attributes must be an object");
  return json;
}

/**
 * Converts a value from a program to JSON; bigints become integers with all their digits, and undefined
 * members are omitted.
 * @param stored the JSON that the value replaces. Equal numbers keep its text, such as `1.0` or a bare NaN.
 * @throws InvalidArgument for values that JSON cannot represent, such as NaN, infinities and ill-formed
 *   Unicode.
 */
export function toJson(value: unknown, place: string, stored?: Json, depth = 0): Json {
  if (value instanceof JsonNumber) return value;
  if (stored instanceof JsonNumber && Object.is(toPlain(stored), value)) return stored;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value)))
    return new JsonNumber(numberJson(value));
  if (typeof value === "string") return wellFormed(value, place);
  if (value === null || typeof value === "boolean") return value;
  if (depth >= maxDepth)
    throw invalidArgument(`${place} is nested deeper than ${maxDepth} levels`, { code: "not-json" });
  if (Array.isArray(value)) {
    const replaced = Array.isArray(stored) ? stored : [];
    return Array.from(value, (item, i) => toJson(item, `${place}[${i}]`, replaced[i], depth + 1));
  }
  if (typeof value !== "object" || !isPlain(value)) {
    const what = typeof value === "number" ? String(value) : `a value of type ${typeof value}`;
    throw invalidArgument(`${place} is ${what}, which JSON cannot represent`, { code: "not-json" });
  }
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  const replaced = isJsonObject(stored) ? stored : {};
  const json = (key: string, child: unknown) =>
    toJson(child, `${place}.${key}`, member(replaced, key), depth + 1);
  return jsonObject(entries.map(([key, child]) => [wellFormed(key, `a key of ${place}`), json(key, child)]));
}

/** Rejects lone surrogates, which most readers of JSON cannot handle. */
function wellFormed(text: string, place: string): string {
  if (isWellFormed(text)) return text;
  throw invalidArgument(`${place} is not well-formed Unicode: ${JSON.stringify(text)}`, { code: "not-json" });
}

/** Prints integers of up to 64 bits with all digits, and larger numbers as floats. */
function numberJson(value: number | bigint): string {
  if (typeof value === "bigint") return String(value);
  const isInteger = Number.isInteger(value) && Math.abs(value) < 2 ** 64 && value !== 0;
  return isInteger ? String(BigInt(value)) : numberText(value);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Converts integers to JSON. */
export const integersJson = (values: readonly number[]): Json[] => values.map(integerJson);
export const integerJson = (value: number): JsonNumber => new JsonNumber(String(value));
