/** Snapshots: all nodes of a version, with their zarr.json and the manifests of arrays. */

import { utf8Text } from "../../util/bytes.js";
import { isJsonObject, type Json, type JsonObject, jsonText } from "../../util/json.js";
import { parseJson } from "../../util/json-reader.js";
import { textEncoder } from "../../util/platform.js";
import { type FlatBuffer, malformed, objectId } from "./format.js";

/** Maximum length of a path and of a message, in bytes. */
const maxPath = 2 ** 14;
const maxMessage = 2 ** 20;

/** A node of a snapshot. */
export interface SnapshotNode {
  readonly kind: "array" | "group";
  /** The zarr.json that was passed to Icechunk. */
  readonly document: Uint8Array;
  /** Id in manifests, 8 bytes. */
  readonly id: Uint8Array;
  /** Position of an array's data in the snapshot; 0 for groups. */
  readonly data: number;
}

export class Snapshot {
  readonly #nodes: number;
  readonly #count: number;
  #children: Map<string, Set<string>> | undefined;
  /** Manifest of the chunk last looked up, by the position of the array's data. */
  readonly #lastManifest = new Map<number, number>();

  /** @throws InvalidMetadata for a damaged snapshot. */
  constructor(
    readonly buffer: FlatBuffer,
    readonly id: string,
  ) {
    const { root } = buffer;
    const own = objectId(buffer.struct(buffer.required(root, 0, 12), 12));
    if (own !== id) buffer.fail(`it contains snapshot ${own}`);
    this.#nodes = buffer.vector(buffer.required(root, 2), 4);
    this.#count = buffer.count(this.#nodes);
    this.#checkOrder();
  }

  /** The parent in version 1; undefined for none. */
  get parent(): string | undefined {
    const at = this.buffer.field(this.buffer.root, 1, 12);
    return at === 0 ? undefined : objectId(this.buffer.struct(at, 12));
  }

  /** Time of writing, in microseconds since 1970. */
  get flushedAt(): number {
    const at = this.buffer.field(this.buffer.root, 3, 8);
    return at === 0 ? 0 : this.buffer.u64(at);
  }

  get message(): string {
    return this.buffer.textField(this.buffer.root, 4, maxMessage);
  }

  /** Returns the node at a path without leading and trailing slashes; undefined if there is none. */
  node(path: string): SnapshotNode | undefined {
    const { buffer } = this;
    const wanted = textEncoder().encode(`/${path}`);
    const found = buffer.search(this.#nodes, (node) => {
      const start = this.#path(node);
      return buffer.compare(start + 4, buffer.count(start), wanted);
    });
    return found === 0 ? undefined : this.#read(found, path);
  }

  /** Names of the members of a path, including folders that only lead to nodes. */
  children(path: string): string[] {
    this.#children ??= this.#readChildren();
    return [...(this.#children.get(path) ?? [])];
  }

  /** Paths of all nodes, without leading and trailing slashes. */
  *paths(): Generator<string> {
    for (let i = 0; i < this.#count; i++) yield this.#pathText(i).slice(1);
  }

  /** Ids of the manifests of all arrays, without duplicates. */
  *manifests(): Generator<string> {
    const seen = new Set<string>();
    for (const path of this.paths()) {
      const node = this.node(path);
      if (node?.kind !== "array") continue;
      for (const id of this.arrayManifests(node)) {
        if (!seen.has(id)) yield id;
        seen.add(id);
      }
    }
  }

  /** Number of manifests of an array. */
  manifestCount(node: SnapshotNode): number {
    return this.buffer.count(this.#manifests(node));
  }

  /** Ids of an array's manifests. */
  *arrayManifests(node: SnapshotNode): Generator<string> {
    const list = this.#manifests(node);
    for (let i = 0; i < this.buffer.count(list); i++) yield this.#manifestId(list, i);
  }

  /**
   * Returns the id of the manifest whose extents contain a chunk; undefined if the chunk is missing.
   * @throws InvalidMetadata for extents of another rank.
   */
  manifestFor(node: SnapshotNode, coordinates: readonly number[]): string | undefined {
    const list = this.#manifests(node);
    const count = this.buffer.count(list);
    const last = this.#lastManifest.get(node.data) ?? 0;
    if (last < count && this.#holds(list, last, coordinates)) return this.#manifestId(list, last);
    for (let i = 0; i < count; i++) {
      if (!this.#holds(list, i, coordinates)) continue;
      this.#lastManifest.set(node.data, i);
      return this.#manifestId(list, i);
    }
    return undefined;
  }

  /** Position of the list of an array's manifests. */
  #manifests({ data }: SnapshotNode): number {
    return this.buffer.vector(this.buffer.required(data, 2), 4);
  }

  #manifestId(list: number, index: number): string {
    const { buffer } = this;
    return objectId(buffer.struct(buffer.required(buffer.tableIn(list, index), 0, 12), 12));
  }

  #holds(list: number, index: number, coordinates: readonly number[]): boolean {
    const { buffer } = this;
    const extents = buffer.vector(buffer.required(buffer.tableIn(list, index), 1), 8);
    const rank = buffer.count(extents);
    if (rank !== coordinates.length)
      buffer.fail(
        `the extents of a manifest have ${rank} dimensions, but the array has ${coordinates.length}`,
      );
    for (let axis = 0; axis < rank; axis++) {
      const at = extents + 4 + 8 * axis;
      if (!(buffer.u32(at) <= coordinates[axis]! && coordinates[axis]! < buffer.u32(at + 4))) return false;
    }
    return true;
  }

  #read(node: number, path: string): SnapshotNode {
    const { buffer } = this;
    const tag = buffer.u8(buffer.required(node, 3, 1));
    if (tag !== 1 && tag !== 2) buffer.fail(`"/${path}" is a node of unknown kind ${tag}`);
    const data = buffer.table(buffer.required(node, 4));
    return {
      kind: tag === 1 ? "array" : "group",
      document: buffer.bytesAt(buffer.required(node, 2)),
      id: buffer.struct(buffer.required(node, 0, 8), 8),
      data: tag === 1 ? data : 0,
    };
  }

  /** Start of a node's path: count, then bytes. */
  #path(node: number): number {
    return this.buffer.vector(this.buffer.required(node, 1), 1);
  }

  #pathText(index: number): string {
    const { buffer } = this;
    const start = this.#path(buffer.tableIn(this.#nodes, index));
    const bytes = buffer.bytes.subarray(start + 4, start + 4 + buffer.count(start));
    return utf8Text(bytes) ?? buffer.fail("a node's path is not UTF-8");
  }

  /** Checks the order, which the search relies on, in linear time: paths share no bytes. */
  #checkOrder(): void {
    const { buffer } = this;
    let before = new Uint8Array(0);
    let total = 0;
    for (let i = 0; i < this.#count; i++) {
      const start = this.#path(buffer.tableIn(this.#nodes, i));
      const length = buffer.count(start);
      total += length;
      if (length > maxPath || total > buffer.bytes.byteLength) buffer.fail("its paths are too long");
      if (i > 0 && buffer.compare(start + 4, length, before) <= 0) buffer.fail("its nodes are not sorted");
      before = buffer.bytes.subarray(start + 4, start + 4 + length) as Uint8Array<ArrayBuffer>;
      if (!isCanonical(before))
        buffer.fail(`${JSON.stringify(utf8Text(before) ?? "?")} is not the path of a node`);
    }
  }

  #readChildren(): Map<string, Set<string>> {
    const children = new Map<string, Set<string>>();
    for (const path of this.paths()) {
      let below = path;
      while (below !== "") {
        const end = below.lastIndexOf("/");
        const parent = below.slice(0, Math.max(0, end));
        const names = children.get(parent);
        const name = below.slice(end + 1);
        if (names?.has(name)) break;
        if (names) names.add(name);
        else children.set(parent, new Set([name]));
        below = parent;
      }
    }
    return children;
  }
}

const [slash, dot] = [0x2f, 0x2e];

/** Whether bytes are "/" or a path such as "/a/b", without empty segments, "." and "..". */
function isCanonical(path: Uint8Array): boolean {
  if (path[0] !== slash) return false;
  if (path.byteLength === 1) return true;
  for (let start = 1; start <= path.byteLength; ) {
    const found = path.indexOf(slash, start);
    const end = found < 0 ? path.byteLength : found;
    const isDots = end - start <= 2 && path.subarray(start, end).every((byte) => byte === dot);
    if (isDots) return false; // also if it is empty
    start = end + 1;
  }
  return true;
}

/** Chunk key encoding of all documents: Icechunk identifies chunks by coordinates. */
const plainKeys: Json = { name: "default", configuration: { separator: "/" } };

/**
 * Returns the zarr.json of a node without consolidated metadata, which may be stale, and with the default encoding of
 * chunk keys.
 * @throws InvalidMetadata if the document and the snapshot disagree on the kind of node.
 */
export function nodeDocument(node: SnapshotNode, path: string, maxDepth: number): Uint8Array {
  const name = `the zarr.json of "/${path}"`;
  const json = parseJson(node.document, { name, maxDepth, bareNonFinite: true });
  if (!isJsonObject(json) || json["node_type"] !== node.kind)
    throw malformed(name, `the snapshot describes the node as ${node.kind}`);
  const changed = node.kind === "group" ? withoutConsolidated(json) : withPlainKeys(json);
  return changed === json ? node.document : textEncoder().encode(jsonText(changed));
}

function withoutConsolidated(json: JsonObject): JsonObject {
  if (json["consolidated_metadata"] === undefined) return json;
  const { consolidated_metadata: _, ...rest } = json;
  return rest;
}

function withPlainKeys(json: JsonObject): JsonObject {
  const encoding = json["chunk_key_encoding"];
  if (!isJsonObject(encoding) || encoding["name"] === "default") {
    const configuration = isJsonObject(encoding) ? encoding["configuration"] : undefined;
    if (!isJsonObject(configuration) || (configuration["separator"] ?? "/") === "/") return json;
  }
  return { ...json, chunk_key_encoding: plainKeys };
}
