/** Large metadata documents and long lists of members, handled in slices so that they do not block the thread. */
import { isZarrError } from "../base/errors.js";
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
} from "../base/json.js";
import { inSlices, type Steps } from "../base/slices.js";
import { sortSteps } from "../base/sort.js";
import {
  asObject,
  type DocumentOptions,
  documentOptions,
  frozen,
  own,
  preparedAttributes,
} from "./document.js";
import { v1AttrsKey, v2AttributesKey, v2ConsolidatedKey } from "./keys.js";
import type { Attributes } from "./spec.js";

/** Values that are parsed in one step: about a millisecond of work. */
const stepSize = 2 ** 12;

/**
 * Parses a document like `parseDocument`, and prepares its large attributes for `attributesOf`.
 * @throws what `parseDocument` throws; the signal's reason.
 */
export function parseInSlices(
  bytes: Uint8Array,
  name: string,
  options: DocumentOptions,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
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

/** All attributes in a document: its own, and those of the nodes that it consolidates. */
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

/** Attributes that cannot be made plain are refused where they are used, not with the whole document. */
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

/** The texts sorted by their UTF-16 units, in slices. */
export const sortInSlices = (texts: string[]): Promise<string[]> => inSlices(sortSteps(texts));
