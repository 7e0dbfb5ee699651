/** Stores the nodes listed in consolidated metadata. */
import { v2ArrayKey, v2AttributesKey, v2GroupKey, v3Key } from "../metadata/document.js";
import { normalizePath } from "../store/path.js";
import { joinKey } from "../store/store.js";
import { isZarrError } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import type { Steps } from "../util/slices.js";
import type { Member } from "./group.js";

type Kind = Member["kind"];
type Documents = ReadonlyMap<string, JsonObject>;

/** Returns the documents, by key, of the node at a path below a consolidated group. */
type DocumentsAt = (below: string) => readonly (readonly [key: string, document: JsonObject | undefined])[];

/** Documents of the nodes below consolidated groups, and the members of each group. */
export class ConsolidatedNodes {
  /** By store key. */
  #documents = new Map<string, JsonObject>();
  /** Kinds of the members by name, for each group path. */
  readonly #members = new Map<string, Map<string, Kind>>();
  /** Paths of the groups whose consolidated metadata was read. */
  readonly groups = new Set<string>();

  /** Returns a document of the node at a path. */
  document(path: string, key: string): JsonObject | undefined {
    return this.#documents.get(joinKey(path, key));
  }

  hasNode(path: string): boolean {
    return [v3Key, v2ArrayKey, v2GroupKey].some((key) => this.#documents.has(joinKey(path, key)));
  }

  /** Returns the kinds of a group's members by name; undefined for a group that is not consolidated. */
  members(path: string): ReadonlyMap<string, Kind> | undefined {
    return this.#members.get(path);
  }

  /** Removes all documents and members. `groups` stays, so that they can be read again. */
  clear(): void {
    this.#documents.clear();
    this.#members.clear();
  }

  /** Adds consolidated metadata of Zarr v3: documents by path below the group. */
  *addV3(path: string, documents: Documents): Steps<void> {
    const kinds = yield* kindsOfV3(documents);
    yield* this.#add(path, kinds, (below) => [[v3Key, documents.get(below)]]);
  }

  /** Adds consolidated metadata of Zarr v2: documents by key below the group. */
  *addV2(path: string, documents: Documents): Steps<void> {
    const kinds = yield* kindsOfV2(documents);
    const names = [v2ArrayKey, v2GroupKey, v2AttributesKey];
    yield* this.#add(path, kinds, (below) => names.map((name) => [name, documents.get(`${below}/${name}`)]));
  }

  /** Adds all nodes in the last step, so that callers see all of them or none. */
  *#add(path: string, kinds: ReadonlyMap<string, Kind>, documentsAt: DocumentsAt): Steps<void> {
    const added = new Map<string, JsonObject>();
    const members = new Map([[path, new Map<string, Kind>()]]);
    const nodeAt = (below: string) => (path === "" ? below : `${path}/${below}`);
    for (const [below, kind] of kinds) {
      const node = nodeAt(below);
      if (kind === "group") members.set(node, new Map());
      for (const [key, document] of documentsAt(below)) if (document) added.set(joinKey(node, key), document);
      yield;
    }
    for (const [below, kind] of kinds) {
      const node = nodeAt(below);
      const end = node.lastIndexOf("/");
      // Nodes in a group that is not listed itself are not members of anything.
      members.get(node.slice(0, Math.max(0, end)))?.set(node.slice(end + 1), kind);
      yield;
    }
    this.groups.add(path);
    if (this.#documents.size === 0) this.#documents = added;
    else for (const [key, document] of added) this.#documents.set(key, document);
    for (const [group, nodes] of members) this.#members.set(group, nodes);
  }
}

/**
 * Returns the kinds of the nodes in consolidated metadata of Zarr v3, by path. Entries that are not nodes are
 * skipped.
 */
function* kindsOfV3(documents: Documents): Steps<Map<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for (const [path, document] of documents) {
    const type = document["node_type"];
    if ((type === "array" || type === "group") && isNodePath(path)) kinds.set(path, type);
    yield;
  }
  return kinds;
}

/** Whether a path stays in the group. */
function isNodePath(path: string): boolean {
  try {
    return path !== "" && normalizePath(path) === path;
  } catch (error) {
    if (isZarrError(error)) return false;
    throw error;
  }
}

/** Returns the kinds of the nodes in consolidated metadata of Zarr v2, which lists documents by key. */
function* kindsOfV2(documents: Documents): Steps<Map<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for (const key of documents.keys()) {
    const match = /^(.+)\/\.z(array|group)$/.exec(key);
    if (match && isNodePath(match[1]!)) kinds.set(match[1]!, match[2] as Kind);
    yield;
  }
  return kinds;
}
