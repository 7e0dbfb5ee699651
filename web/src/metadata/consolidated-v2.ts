/** Which nodes the consolidated metadata of Zarr v2 names. */

import { isNodePath, type Member } from "../hierarchy/group.js";
import type { JsonObject } from "../util/json.js";
import type { Steps } from "../util/slices.js";

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
