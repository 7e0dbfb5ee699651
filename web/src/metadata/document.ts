/** Reads metadata documents of all versions: JSON objects, their lists, extension points and chunk key encodings. */

import { invalidMetadata, isZarrError, type OnWarning, unsupported } from "../util/errors.js";
import {
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  type PlainJson,
  setOwn,
  showJson,
  toPlain,
} from "../util/json.js";
import { isLarge, type JsonOptions, JsonReader, keysOfLarge, parseJson } from "../util/json-reader.js";
import type { Limits } from "../util/limits.js";
import { inSlices, type Steps } from "../util/slices.js";

/** User attributes, as plain values; integers beyond ±2⁵³ are bigints. */
export type Attributes = { readonly [name: string]: PlainJson };

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
  if (!isJsonObject(json)) throw invalidMetadata(`${name} must be a JSON object`, { code: "not-json" });
  return json;
}

/** Checks the number in `zarr_format`. */
export function checkFormat(object: JsonObject, format: number, name: string): void {
  const found = member(object, "zarr_format");
  if (!(found instanceof JsonNumber && found.text === String(format))) {
    throw invalidMetadata(`"zarr_format" in ${name} must be ${format}, not ${showJson(found)}`);
  }
}

/** @throws InvalidMetadata that names every one of `names` that the document lacks. */
export function requireKeys(object: JsonObject, names: readonly string[], name: string): void {
  const missing = names.filter((key) => !Object.hasOwn(object, key));
  if (missing.length > 0)
    throw invalidMetadata(`${name} lacks ${missing.map((key) => `"${key}"`).join(", ")}`);
}

/** Returns the value of an own property. */
export function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Plain, frozen attributes of large documents, by their JSON. */
export const preparedAttributes = new WeakMap<JsonObject, Attributes>();

/**
 * Returns user attributes as plain values; empty if absent. They are deeply frozen, so that an assignment
 * cannot be mistaken for a stored change.
 */
export function plainAttributes(json: Json | undefined, name: string): Attributes {
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
  const name = member(object, "name");
  const configuration = member(object, "configuration") ?? {};
  const mustUnderstand = member(object, "must_understand") ?? true;
  const extra = Object.keys(object).find((key) => !/^(name|configuration|must_understand)$/.test(key));
  const valid =
    typeof name === "string" && isJsonObject(configuration) && typeof mustUnderstand === "boolean" && !extra;
  if (!valid) {
    throw invalidMetadata(
      `${what} must be a name or an object with a name and a configuration, not ${showJson(json)}`,
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
      { code: "bad-configuration" },
    );
  }
}

/** Returns the extension if its name is known. @throws Unsupported for any other name. */
export function known(extension: Extension, names: readonly string[], what: string): Extension {
  if (names.includes(extension.name)) return extension;
  throw unsupported(`unknown ${what} "${extension.name}"; expected one of ${names.join(", ")}`, {
    code: "unknown-extension",
  });
}

/** Parses a chunk key separator. */
export function readSeparator(json: Json | undefined, fallback: "." | "/"): "." | "/" {
  if (json === undefined || json === null) return fallback;
  if (json !== "." && json !== "/")
    throw invalidMetadata(`the separator of chunk keys must be "." or "/", not ${showJson(json)}`);
  return json;
}

export const v3Key = "zarr.json";

export const v2ArrayKey = ".zarray";
export const v2GroupKey = ".zgroup";
export const v2AttributesKey = ".zattrs";
export const v2ConsolidatedKey = ".zmetadata";

export const v1MetaKey = "meta";
export const v1AttrsKey = "attrs";

/** Parses the encodings "default" and "v2"; undefined for others. */
export function readPlainKeys(extension: Extension): KeyEncoding | undefined {
  const { name, configuration } = extension;
  if (name !== "default" && name !== "v2") return undefined;
  checkOptions(extension, ["separator"], "chunk key encoding");
  return plainKeys(name, readSeparator(member(configuration, "separator"), name === "default" ? "/" : "."));
}

export function plainKeys(name: PlainKeys["name"], separator: Separator): KeyEncoding {
  return {
    keys: { name, separator },
    chunkKey:
      name === "default"
        ? (coordinates) => ["c", ...coordinates].join(separator)
        : (coordinates) => coordinates.join(separator) || "0",
  };
}

/** Maximum size of a document parsed at once, in bytes. 2 MiB of short values take half a second. */
const maxAtOnce = 2 ** 17;

/** Number of values parsed per step: about a millisecond of work. */
const stepSize = 2 ** 12;

/**
 * Parses a document like `parseDocument`, without blocking the thread for long. Large attributes are prepared
 * for `plainAttributes`.
 * @throws errors of `parseDocument`; the signal's reason.
 */
export async function readDocument(
  bytes: Uint8Array,
  name: string,
  options: DocumentOptions,
  signal?: AbortSignal | undefined,
): Promise<JsonObject> {
  if (bytes.byteLength <= maxAtOnce) return parseDocument(bytes, name, options);
  return inSlices(documentSteps(bytes, name, options), signal);
}

function* documentSteps(bytes: Uint8Array, name: string, options: DocumentOptions): Steps<JsonObject> {
  const reader = new JsonReader(bytes, documentOptions(name, options));
  let json = reader.read(stepSize);
  while (json === undefined) {
    yield;
    json = reader.read(stepSize);
  }
  const document = asObject(json, name);
  for (const attributes of attributesBelow(document, name)) {
    if (isJsonObject(attributes) && isLarge(attributes)) yield* prepare(attributes);
    yield;
  }
  return document;
}

/** Yields the attributes of a document and of its consolidated nodes. */
function* attributesBelow(document: JsonObject, name: string): Generator<Json | undefined> {
  if (name === v2AttributesKey || name === v1AttrsKey) yield document;
  const isV2 = name === v2ConsolidatedKey;
  if (!isV2) yield member(document, "attributes");
  const consolidated = isV2 ? document : objectAt(document, "consolidated_metadata");
  const nodes = objectAt(consolidated, "metadata");
  for (const key of isLarge(nodes) ? keysOfLarge(nodes) : Object.keys(nodes)) {
    const node = nodes[key];
    if (!isV2) yield isJsonObject(node) ? member(node, "attributes") : undefined;
    else if (key.endsWith(v2AttributesKey)) yield node;
  }
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const found = member(object, key);
  return isJsonObject(found) ? found : {};
}

/** Prepares attributes. Invalid ones are left to `plainAttributes`, which throws only if they are used. */
function* prepare(attributes: JsonObject): Steps<void> {
  try {
    preparedAttributes.set(attributes, (yield* plainSteps(attributes)) as Attributes);
  } catch (error) {
    if (!isZarrError(error)) throw error;
  }
}

function* plainSteps(json: Json): Steps<PlainJson> {
  if (!isLarge(json)) return frozen(toPlain(json));
  if (Array.isArray(json)) {
    const list: PlainJson[] = [];
    for (const value of json) {
      list.push(yield* plainSteps(value));
      yield;
    }
    return Object.freeze(list) as PlainJson[];
  }
  const object: { [key: string]: PlainJson } = {};
  for (const key of keysOfLarge(json)) {
    setOwn(object, key, yield* plainSteps(json[key]!));
    yield;
  }
  return Object.freeze(object);
}

/** Parses a list of dimension lengths: integers from `min` to 2⁵³ − 1. */
export function readLengths(json: Json | undefined, name: string, min: number): number[] {
  const valid = (item: Json): item is JsonNumber =>
    item instanceof JsonNumber && item.isInteger && Number.isSafeInteger(item.value) && item.value >= min;
  if (!Array.isArray(json) || !json.every(valid)) {
    const sign = min === 0 ? "non-negative" : "positive";
    throw invalidMetadata(`"${name}" must be a list of ${sign} integers below 2^53`);
  }
  return (json as JsonNumber[]).map((item) => item.value);
}

export type Separator = "/" | ".";

/** "default": indices after a "c"; "v2": indices alone, as in Zarr v1 and v2. */
export interface PlainKeys {
  readonly name: "default" | "v2";
  readonly separator: Separator;
}

/** A suffix appended to the keys of another encoding. */
export interface SuffixKeys {
  readonly name: "suffix";
  readonly suffix: string;
  readonly base: ChunkKeys;
}

/** Decimal digits of each index, in folders of at most `maxChildren` entries. */
export interface FanoutKeys {
  readonly name: "fanout";
  /** A power of ten. */
  readonly maxChildren: number;
}

export type ChunkKeys = PlainKeys | SuffixKeys | FanoutKeys;

/** The key encoding of an array. */
export interface KeyEncoding {
  readonly keys: ChunkKeys;
  /** Returns the key of a stored chunk relative to the array's own path. */
  chunkKey(coordinates: readonly number[]): string;
}
