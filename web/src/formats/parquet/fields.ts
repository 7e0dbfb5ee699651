/** References, and checked access to the fields of their documents. */

import { isRecord } from "../../util/arguments.js";
import { invalidMetadata, unsupported, type ZarrError } from "../../util/errors.js";
import { JsonNumber } from "../../util/json.js";

export type Fields = Record<string, unknown>;

/** Converts an exactly parsed number to a plain one; other values pass unchanged. */
export const plain = (value: unknown): unknown => (value instanceof JsonNumber ? value.value : value);

export function requireObject(value: unknown, what: string): Fields {
  if (isRecord(plain(value))) return value as Fields;
  throw bad(`${what} is not an object`);
}

export function requireList(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw bad(`${what} is not a list`);
}

export function requireText(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw bad(`${what} is not a string`);
}

export function readEntries(fields: Fields, name: string): [string, unknown][] {
  return Object.entries(requireObject(fields[name] ?? {}, name));
}

/** Shortens a string of a document for messages. */
export function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

export function bad(what: string): ZarrError {
  return invalidMetadata(`the references are not valid: ${what}`, { code: "bad-reference" });
}

export const badFile = (what: string): ZarrError =>
  invalidMetadata(`the Parquet file is not valid: ${what}`, { code: "bad-reference" });

/** The error for features of Parquet that neither references nor plain tables use. */
export const unsupportedFeature = (what: string): ZarrError =>
  unsupported(`${what} in Parquet files are not supported`, { code: "parquet-references" });

/** Location of an object's bytes: the document itself, or another object or a part of it. */
export type Reference = { bytes: Uint8Array } | StoredTarget;

/** Bytes of another object. Default: all of them. */
export type StoredTarget =
  | { url: string | null; offset: number; length: number }
  | { url: string | null; offset?: undefined; length?: undefined };
