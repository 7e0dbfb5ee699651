/** Reads metadata documents; large ones in slices, so that they do not block the thread. */
import { isZarrError } from "../util/errors.js";
import {
  isJsonObject,
  isLarge,
  type Json,
  type JsonObject,
  JsonReader,
  keysOfLarge,
  type PlainJson,
  setOwn,
  toPlain,
} from "../util/json.js";
import { inSlices, type Steps } from "../util/slices.js";
import {
  asObject,
  type DocumentOptions,
  documentOptions,
  frozen,
  own,
  parseDocument,
  preparedAttributes,
  v1AttrsKey,
  v2AttributesKey,
  v2ConsolidatedKey,
} from "./document.js";
import type { Attributes } from "./spec.js";

/** Maximum size of a document parsed at once, in bytes. 2 MiB of short values take half a second. */
const maxAtOnce = 2 ** 17;

/** Number of values parsed per step: about a millisecond of work. */
const stepSize = 2 ** 12;

/**
 * Parses a document like `parseDocument`, without blocking the thread for long. Large attributes are prepared
 * for `attributesOf`.
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
  if (!isV2) yield own(document, "attributes");
  const consolidated = isV2 ? document : objectAt(document, "consolidated_metadata");
  const nodes = objectAt(consolidated, "metadata");
  for (const key of isLarge(nodes) ? keysOfLarge(nodes) : Object.keys(nodes)) {
    const node = nodes[key];
    if (!isV2) yield isJsonObject(node) ? own(node, "attributes") : undefined;
    else if (key.endsWith(v2AttributesKey)) yield node;
  }
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const found = own(object, key);
  return isJsonObject(found) ? found : {};
}

/** Prepares attributes. Invalid ones are left to `attributesOf`, which throws only if they are used. */
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
