/** Kinds of the nodes that consolidated metadata names, by their paths. */
import { normalizePath } from "../store/path.js";
import { isZarrError } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import type { Steps } from "../util/slices.js";
import type { Member } from "./group.js";

/** Kinds of consolidated documents of Zarr v3, by path; those that are no nodes are left out. */
export function* kindsOfV3(documents: ReadonlyMap<string, JsonObject>): Steps<Map<string, Member["kind"]>> {
  const kinds = new Map<string, Member["kind"]>();
  for (const [path, document] of documents) {
    const type = document["node_type"];
    if ((type === "array" || type === "group") && isNodePath(path)) kinds.set(path, type);
    yield;
  }
  return kinds;
}

/** Names that lead out of the group are not believed. */
function isNodePath(path: string): boolean {
  try {
    return path !== "" && normalizePath(path) === path;
  } catch (error) {
    if (isZarrError(error)) return false;
    throw error;
  }
}

/** Kinds of consolidated documents of Zarr v2, whose keys are those of the documents. */
export function* kindsOfV2(documents: ReadonlyMap<string, JsonObject>): Steps<Map<string, Member["kind"]>> {
  const kinds = new Map<string, Member["kind"]>();
  for (const key of documents.keys()) {
    const match = /^(.+)\/\.z(array|group)$/.exec(key);
    if (match && isNodePath(match[1]!)) kinds.set(match[1]!, match[2] as Member["kind"]);
    yield;
  }
  return kinds;
}
