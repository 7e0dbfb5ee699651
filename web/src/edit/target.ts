/** Resolves the store and path of a write, and finds the node there. */

import type { ZarrVersion } from "../codecs/definition.js";
import { ZarrArray } from "../hierarchy/array.js";
import { ZarrGroup } from "../hierarchy/group.js";
import { isPipeline, storeOf } from "../hierarchy/open.js";
import { parseChunkKey } from "../metadata/chunk-key-encodings.js";
import {
  member,
  v1MetaKey,
  v2ArrayKey,
  v2AttributesKey,
  v2ConsolidatedKey,
  v3Key,
} from "../metadata/document.js";
import {
  attributesKey,
  type MetadataOptions,
  type NodeMetadata,
  nodeKeys,
  readMetadata,
} from "../metadata/model.js";
import type { ArraySpec } from "../metadata/spec.js";
import { v3NodeType } from "../metadata/v3.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinPath, normalizePath } from "../store/path.js";
import { joinKey, type Store } from "../store/store.js";
import { isHidden, recordName } from "../store/temp-names.js";
import { readObject } from "../store/write.js";
import { isWellFormed } from "../util/arguments.js";
import { alreadyExists, invalidArgument, isZarrError } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { readDocument } from "./documents.js";
import type { Target } from "./options.js";

export interface Place {
  readonly store: Store;
  /** Path of the node from the root of the store. */
  readonly path: string;
  /** Version of the target if it is a group. */
  readonly version: ZarrVersion | undefined;
}

/** Resolves a path below a target. @throws InvalidArgument if either is invalid. */
export async function resolvePlace(target: Target, path: unknown): Promise<Place> {
  if (path !== undefined && typeof path !== "string") throw invalidArgument("path must be a string");
  const below = normalizePath(path ?? "");
  if ((target as unknown) instanceof ZarrArray)
    throw invalidArgument("the target is an array: it must be a store, a URL or a group, with a path");
  if (!(target instanceof ZarrGroup)) {
    if (isPipeline(target))
      throw invalidArgument(
        `"${target}" is a URL pipeline, which can only be read; write %7C for "|" in a name`,
      );
    return { store: await storeOf(target), path: below, version: undefined };
  }
  return { store: target.store, path: joinPath(target.path, below), version: target.zarrFormat };
}

/** Returns the paths of the groups above a node, starting at the root. */
export function ancestorsOf(path: string): string[] {
  if (path === "") return [];
  const names = path.split("/");
  return names.map((_, depth) => names.slice(0, depth).join("/"));
}

/** Returns the key of the main document and the version of the node at a path; undefined if there is none. */
export async function nodeAt(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ key: string; version: ZarrVersion } | undefined> {
  const found = await Promise.all(nodeKeys.map(([key]) => readObject(store, joinKey(path, key), { signal })));
  const at = found.findIndex((bytes) => bytes !== undefined);
  return at < 0 ? undefined : { key: nodeKeys[at]![0], version: nodeKeys[at]![1] };
}

/** Reads the metadata of the node at a path, with its exact documents; undefined if there is none. */
export async function metadataAt(
  store: Store,
  path: string,
  options: MetadataOptions & { readonly signal?: AbortSignal | undefined },
): Promise<NodeMetadata | undefined> {
  const node = await nodeAt(store, path, options.signal);
  if (!node) return undefined;
  const documents = new Map<string, JsonObject>();
  for (const key of new Set([node.key, attributesKey[node.version]])) {
    const read = await readDocument(store, path, key, options.signal, options.limits);
    if (read) documents.set(key, read.object);
  }
  return readMetadata(documents, options);
}

/** Documents found at a path. */
interface FoundDocuments {
  readonly names: readonly string[];
  /** Zarr versions that the documents may belong to. */
  readonly versions: readonly ZarrVersion[];
}

/**
 * Finds the Zarr documents at a path, including those of partly written or partly deleted nodes.
 * @returns undefined if there are none.
 */
export async function documentsAt(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<FoundDocuments | undefined> {
  const candidates = [
    ...nodeKeys.map(([name, version]) => [name, [version]] as const),
    [v2AttributesKey, [2]],
    [v2ConsolidatedKey, [2]],
    [recordName, [2, 3]],
  ] as const;
  const exists = await Promise.all(
    candidates.map(async ([name]) =>
      name === v1MetaKey
        ? isV1(await documentAt(store, path, name, signal))
        : (await readObject(store, joinKey(path, name), { signal })) !== undefined,
    ),
  );
  const found = candidates.filter((_, i) => exists[i]);
  if (found.length === 0) return undefined;
  return {
    names: found.map(([name]) => name),
    versions: [...new Set(found.flatMap(([, versions]) => versions))],
  };
}

/** Whether a file named "meta" is the document of a Zarr v1 array. */
export const isV1 = (object: JsonObject | undefined): boolean => isFormat(object, "1");

export function isFormat(object: JsonObject | undefined, format: string): boolean {
  const found = object && member(object, "zarr_format");
  return String((found as { text?: string } | undefined)?.text) === format;
}

/** Reads a document. Undefined if it is missing or not valid JSON. */
export async function documentAt(
  store: Store,
  folder: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  try {
    return (await readDocument(store, folder, name, signal))?.object;
  } catch (error) {
    if (isZarrError(error, "InvalidMetadata", "LimitExceeded")) return undefined;
    throw error;
  }
}

/** Whether a document describes an array. */
export const isArrayDocument = (key: string, object: JsonObject): boolean =>
  key === v3Key ? v3NodeType(object) === "array" : key === v2ArrayKey;

/** Names reserved for Zarr documents and keys. */
const reserved = /^(\.+|__.*|zarr\.json|\.z(array|group|attrs|metadata)|meta|attrs)$/;
/** Temporary files of browsers. */
const browserTemporary = /\.crswap$/;

/** @throws InvalidArgument for a path that contains a reserved name. */
export function checkNames(path: string): void {
  const name = path.split("/").find((part) => reserved.test(part) || !isWellFormed(part));
  if (name !== undefined)
    throw invalidArgument(`a node cannot have the name ${JSON.stringify(name)}`, { code: "bad-path" });
  checkSeen(path);
}

/** @throws InvalidArgument for a path with a name that listings skip and cleanup deletes. */
export function checkSeen(path: string): void {
  const name = path.split("/").find((part) => isHidden(part) || browserTemporary.test(part));
  if (name !== undefined)
    throw invalidArgument(`a node cannot have the name "${name}", which is reserved for temporary files`, {
      code: "bad-path",
    });
}

/** Checks that no node documents or leftover chunks lie where a new array's chunks would. */
export async function checkEmpty(
  store: Store,
  path: string,
  { keys, shape }: Pick<ArraySpec, "keys" | "shape">,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!canList(store)) return;
  const prefix = joinKey(path, "");
  let seen = 0;
  for await (const key of keysBelow(store, path, signal)) {
    if (++seen > maxSeen) return;
    const below = key.slice(prefix.length);
    const isChunk = anyChunkKey.test(below) || parseChunkKey(keys, below, shape.length) !== undefined;
    if (isChunk || nodeKeys.some(([name]) => below.endsWith(`/${name}`))) {
      throw alreadyExists(`${key} already exists, where the new array would store its chunks`);
    }
  }
}

/** Maximum number of keys to check. */
const maxSeen = 1000;
/** Chunk keys in any of the common encodings. */
export const anyChunkKey = /^(c|(c[./])?\d+([./]\d+)*)$/;
