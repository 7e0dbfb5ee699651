/** Helpers for metadata documents of all versions: parses objects, their lists and extension points. */

import type { ErrorCode } from "../util/error-codes.js";
import { invalidMetadata, type OnWarning, unsupported } from "../util/errors.js";
import {
  isJsonObject,
  isLarge,
  type Json,
  JsonNumber,
  type JsonObject,
  type JsonOptions,
  keysOfLarge,
  type PlainJson,
  parseJson,
  showJson,
  toPlain,
} from "../util/json.js";
import type { Limits } from "../util/limits.js";
import type { Attributes } from "./spec.js";

export interface DocumentOptions {
  readonly limits: Limits;
  readonly verifyChecksums?: boolean | undefined;
  readonly onWarning?: OnWarning | undefined;
}

/**
 * Parses a document that must be a JSON object. The bare tokens NaN and Infinity are accepted: Python writes
 * them into the metadata of every version.
 * @param name name of the document in messages.
 */
export function parseDocument(bytes: Uint8Array, name: string, options: DocumentOptions): JsonObject {
  return asObject(parseJson(bytes, documentOptions(name, options)), name);
}

/** Returns the JSON options for metadata documents. */
export const documentOptions = (name: string, { limits, onWarning }: DocumentOptions): JsonOptions => ({
  name,
  maxDepth: limits.metadataDepth,
  bareNonFinite: true,
  onWarning,
});

export function asObject(json: Json | undefined, name: string): JsonObject {
  if (!isJsonObject(json)) throw invalidMetadata(`${name} must be a JSON object`, { code: "not-object" });
  return json;
}

/** Checks the number in `zarr_format`. */
export function checkFormat(object: JsonObject, format: number, name: string): void {
  const found = own(object, "zarr_format");
  if (!(found instanceof JsonNumber && found.text === String(format))) {
    throw invalidMetadata(`"zarr_format" in ${name} must be ${format}, not ${showJson(found)}`, {
      code: "bad-format",
    });
  }
}

/** @throws InvalidMetadata that names every one of `names` that the document lacks. */
export function requireKeys(object: JsonObject, names: readonly string[], name: string): void {
  const missing = names.filter((key) => !Object.hasOwn(object, key));
  if (missing.length > 0)
    throw invalidMetadata(`${name} lacks ${missing.map((key) => `"${key}"`).join(", ")}`, {
      code: "missing-key",
    });
}

/** Returns the value of an own property. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Plain, frozen attributes of large documents, by their JSON. */
export const preparedAttributes = new WeakMap<JsonObject, Attributes>();

/**
 * Returns user attributes as plain values; empty if absent. They are deeply frozen, so that an assignment
 * cannot be mistaken for a stored change.
 */
export function attributesOf(json: Json | undefined, name: string): Attributes {
  if (json === undefined) return Object.freeze({});
  const object = asObject(json, name);
  return preparedAttributes.get(object) ?? frozen(toPlain(object) as Attributes);
}

export function frozen<T extends PlainJson | Attributes>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) frozen(child);
  return Object.freeze(value);
}

/** Returns the documents in consolidated metadata; ignores entries that are not objects. */
export function documentsIn(metadata: JsonObject): Map<string, JsonObject> {
  const documents = new Map<string, JsonObject>();
  for (const key of isLarge(metadata) ? keysOfLarge(metadata) : Object.keys(metadata)) {
    const document = metadata[key];
    if (isJsonObject(document)) documents.set(key, document);
  }
  return documents;
}

/** A value of one of Zarr v3's extension points. */
export interface Extension {
  readonly name: string;
  readonly configuration: JsonObject;
  readonly mustUnderstand: boolean;
}

/**
 * Parses an extension: a name, or an object with a name and an optional configuration.
 * Spec: Zarr v3 core, "extension points".
 */
export function readExtension(json: Json | undefined, what: string): Extension {
  if (typeof json === "string") return { name: json, configuration: {}, mustUnderstand: true };
  const object = isJsonObject(json) ? json : {};
  const name = own(object, "name");
  const configuration = own(object, "configuration") ?? {};
  const mustUnderstand = own(object, "must_understand") ?? true;
  const extra = Object.keys(object).find((key) => !/^(name|configuration|must_understand)$/.test(key));
  const valid =
    typeof name === "string" && isJsonObject(configuration) && typeof mustUnderstand === "boolean" && !extra;
  if (!valid) {
    throw invalidMetadata(
      `${what} must be a name or an object with a name and a configuration, not ${showJson(json)}`,
      {
        code: "bad-extension",
      },
    );
  }
  return { name, configuration, mustUnderstand };
}

/** @throws InvalidMetadata if the configuration has an unknown option. */
export function checkOptions(
  { name, configuration }: Extension,
  known: readonly string[],
  what: string,
): void {
  const unknown = Object.keys(configuration).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw invalidMetadata(
      `${what} ${name}: "${unknown}" is not one of its options (${known.join(", ") || "it has none"})`,
      {
        code: "bad-configuration",
      },
    );
  }
}

/** Returns the extension if its name is known. @throws Unsupported for any other name. */
export function known(extension: Extension, names: readonly string[], what: string): Extension {
  if (names.includes(extension.name)) return extension;
  throw unsupported(`${what} "${extension.name}" is not known; known are ${names.join(", ")}`, {
    code: `unknown-${what.replaceAll(" ", "-")}` as ErrorCode<"Unsupported">,
  });
}

/** Parses a chunk key separator. */
export function readSeparator(json: Json | undefined, fallback: "." | "/"): "." | "/" {
  if (json === undefined || json === null) return fallback;
  if (json !== "." && json !== "/")
    throw invalidMetadata(`the separator of chunk keys must be "." or "/", not ${showJson(json)}`, {
      code: "bad-separator",
    });
  return json;
}

export const v3Key = "zarr.json";

export const v2ArrayKey = ".zarray";
export const v2GroupKey = ".zgroup";
export const v2AttributesKey = ".zattrs";
export const v2ConsolidatedKey = ".zmetadata";

export const v1MetaKey = "meta";
export const v1AttrsKey = "attrs";
