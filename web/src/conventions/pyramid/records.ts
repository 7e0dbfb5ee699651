/**
 * Reading options and attributes. As conventions/attributes.ts, which pages have from the start that read attributes: a
 * part that named it would cut a file more for all others (base/lazy.ts).
 */
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { own as ownOf } from "../../metadata/document.js";

export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return isJsonObject(value as Json);
}

/** A property's value; undefined for what is no object or has no such property of its own. */
export function own(value: unknown, name: string): unknown {
  return isRecord(value) ? ownOf(value as JsonObject, name) : undefined;
}
