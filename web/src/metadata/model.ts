/**
 * Writable metadata: the unmodified documents of a node, with their meaning. Parsing and printing preserves a
 * document; edits replace only the members that they change, and the result must pass the reader's own
 * parsers before it is written.
 */

import type { ZarrVersion } from "../codecs/definition.js";
import { invalidMetadata, isZarrError } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import {
  type Attributes,
  asObject,
  checkFormat,
  type DocumentOptions,
  member,
  plainAttributes,
  v1AttrsKey,
  v1MetaKey,
  v2ArrayKey,
  v2AttributesKey,
  v2GroupKey,
  v3Key,
} from "./document.js";
import { attributesJson, integersJson, jsonEntries, printDocument, withEntries } from "./print.js";
import type { ArraySpec } from "./spec.js";
import { parseV1 } from "./v1.js";
import { parseV2Array } from "./v2.js";
import { parseV3Array, parseV3Group, v3NodeType } from "./v3.js";

/** Documents of one node, by their keys relative to its path. The document that defines the node comes last. */
export type Documents = ReadonlyMap<string, JsonObject>;

export interface ArrayMetadata {
  readonly kind: "array";
  readonly zarrFormat: ZarrVersion;
  readonly documents: Documents;
  readonly spec: ArraySpec;
}

export interface GroupMetadata {
  readonly kind: "group";
  readonly zarrFormat: 2 | 3;
  readonly documents: Documents;
  readonly attributes: Attributes;
}

export type NodeMetadata = ArrayMetadata | GroupMetadata;

export interface MetadataOptions extends DocumentOptions {
  /** See `open`. */
  readonly v1Order?: "spec" | "writer" | undefined;
}

/** Keys of the documents that define a node, with the version of each. */
export const nodeKeys: readonly (readonly [key: string, version: ZarrVersion])[] = [
  [v3Key, 3],
  [v2ArrayKey, 2],
  [v2GroupKey, 2],
  [v1MetaKey, 1],
];

/** The key of a version's attributes: a separate document, except in v3. */
export const attributesKey: Readonly<Record<ZarrVersion, string>> = {
  1: v1AttrsKey,
  2: v2AttributesKey,
  3: v3Key,
};

/** Parses documents, given by their keys relative to the node's path. @throws errors of the version's parser. */
export async function readMetadata(documents: Documents, options: MetadataOptions): Promise<NodeMetadata> {
  const version = nodeKeys.find(([key]) => documents.has(key))?.[1];
  if (version === undefined) throw invalidMetadata("no Zarr metadata document found");
  if (version === 1)
    return { kind: "array", zarrFormat: 1, documents, spec: await specV1(documents, options) };
  if (version === 2) return readV2(documents, options);
  const object = documents.get(v3Key)!;
  if (v3NodeType(object) === "array")
    return { kind: "array", zarrFormat: 3, documents, spec: await parseV3Array(object, options) };
  return { kind: "group", zarrFormat: 3, documents, attributes: parseV3Group(object, options).attributes };
}

function specV1(documents: Documents, { v1Order, ...options }: MetadataOptions): Promise<ArraySpec> {
  const attrs = documents.get(v1AttrsKey);
  return parseV1(printDocument(documents.get(v1MetaKey)!), attrs && printDocument(attrs), {
    ...options,
    order: v1Order ?? "spec",
  });
}

async function readV2(documents: Documents, options: MetadataOptions): Promise<NodeMetadata> {
  const attributes = plainAttributes(documents.get(v2AttributesKey), v2AttributesKey);
  const array = documents.get(v2ArrayKey);
  if (array) {
    const spec = await parseV2Array(array, attributes, options);
    return { kind: "array", zarrFormat: 2, documents, spec };
  }
  checkFormat(documents.get(v2GroupKey)!, 2, v2GroupKey);
  return { kind: "group", zarrFormat: 2, documents, attributes };
}

/** Serialises the documents for storage, the one that defines the node last. */
export function printMetadata({ documents }: { readonly documents: Documents }): Map<string, Uint8Array> {
  return new Map([...documents].map(([key, object]) => [key, printDocument(object)]));
}

/** Returns the same array with another shape. @throws InvalidMetadata if its chunks do not cover the new shape. */
export async function withShape(
  metadata: ArrayMetadata,
  shape: readonly number[],
  options: MetadataOptions,
): Promise<ArrayMetadata> {
  const { key } = mainDocument(metadata.documents);
  const documents = new Map(metadata.documents);
  documents.set(key, withEntries(documents.get(key)!, [["shape", integersJson(shape)]]));
  return (await readMetadata(documents, options)) as ArrayMetadata;
}

/** Returns the document that defines a node. */
export function mainDocument(documents: Documents): { readonly key: string; readonly object: JsonObject } {
  const [key] = nodeKeys.find(([name]) => documents.has(name))!;
  return { key, object: documents.get(key)! };
}

/** Returns the attributes in a document: one member of it in v3, otherwise all of it. */
export function attributesIn(document: JsonObject | undefined, version: ZarrVersion): JsonObject {
  if (version < 3) return document ?? {};
  const attributes = member(document!, "attributes");
  return attributes === undefined ? {} : asObject(attributes, `"attributes" in ${v3Key}`);
}

/** Returns a document with attributes merged into its own or replacing them. */
export function withAttributes(
  document: JsonObject | undefined,
  version: ZarrVersion,
  attributes: unknown,
  mode: "merge" | "replace",
): JsonObject {
  const stored = attributesIn(document, version);
  const json = attributesJson(attributes, stored);
  const changed = mode === "merge" ? withEntries(stored, jsonEntries(json)) : json;
  return version === 3 ? withEntries(document!, [["attributes", changed]]) : changed;
}

/** Runs work on metadata that a program supplied, and reports invalid metadata as an invalid argument. */
export async function asArguments<T>(
  work: () => T | Promise<T>,
  toError: (error: Error) => Error,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isZarrError(error, "InvalidMetadata") ? toError(error) : error;
  }
}
