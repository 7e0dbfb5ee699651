/** Opened groups, which contain arrays and other groups: consolidated metadata or listings name the members. */

import { type Attributes, v2ArrayKey, v2AttributesKey, v2GroupKey, v3Key } from "../metadata/document.js";
import { normalizePath } from "../store/path.js";
import { joinKey, type Store } from "../store/store.js";
import { checkSignalIn, sharedOptions } from "../util/arguments.js";
import { isZarrError } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { lazy } from "../util/lazy.js";
import { inSlices, type Steps, sortSteps } from "../util/slices.js";
import type { ZarrArray } from "./array.js";

/** A node directly below a group. */
export interface Member {
  readonly name: string;
  /** Path in the store. */
  readonly path: string;
  readonly kind: "array" | "group";
}

/** Length above which lists of members are sorted in slices, to keep the event loop responsive. */
const maxSortedAtOnce = 2 ** 13;

const listing = lazy("listing", () => import("../read/part.js"));

/** A node returned by `open`. */
export type OpenedNode = ZarrArray | ZarrGroup;

export interface NodeOptions {
  readonly kind?: Member["kind"] | undefined;
  /** Version whose documents are requested; undefined for any. */
  readonly version?: ZarrGroup["zarrFormat"] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Opens the nodes of a group's store. */
export interface NodeOpener {
  open(path: string, options: NodeOptions): Promise<OpenedNode>;
  /** Returns the kind of the node at a path, undefined for none; reads only the documents that decide it. */
  kindOf(path: string, signal: AbortSignal | undefined): Promise<Member["kind"] | undefined>;
  /** Returns the kinds of the nodes directly below a group, by name, if consolidated metadata lists them. */
  members(
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Member["kind"]> | undefined>;
  /** Whether consolidated metadata lists the nodes below a group. */
  isConsolidated(path: string): boolean;
}

/** An opened Zarr group. */
export class ZarrGroup {
  /** The name that consoles show, even in minified programs. */
  static get name(): string {
    return "ZarrGroup";
  }

  readonly kind = "group";
  readonly #opener: NodeOpener;
  #attributes: Attributes;

  /** Not called directly; use `open`. */
  constructor(
    readonly store: Store,
    /** Path of the group in its store, without leading and trailing slashes; "" for the root. */
    readonly path: string,
    readonly zarrFormat: 1 | 2 | 3,
    attributes: Attributes,
    opener: NodeOpener,
  ) {
    this.#attributes = attributes;
    this.#opener = opener;
  }

  get attributes(): Attributes {
    return this.#attributes;
  }
  /** @internal Replaces the attributes after they were written. */
  adopt(attributes: Attributes): void {
    this.#attributes = attributes;
  }

  /** Whether the nodes below are known from consolidated metadata. */
  get isConsolidated(): boolean {
    return this.#opener.isConsolidated(this.path);
  }

  /**
   * Opens a node below this group; in stores that cannot list (HTTP) a node of the group's own Zarr version.
   * @param path relative to this group, such as "a/b".
   * @throws the errors of `open`.
   */
  async open(path: string, options?: { signal?: AbortSignal | undefined }): Promise<OpenedNode>;
  async open(path: string, options: { kind: "array"; signal?: AbortSignal | undefined }): Promise<ZarrArray>;
  async open(path: string, options: { kind: "group"; signal?: AbortSignal | undefined }): Promise<ZarrGroup>;
  async open(
    path: string,
    options: { kind?: Member["kind"] | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<OpenedNode> {
    checkSignalIn(options, { ...sharedOptions, kind: true });
    const below = normalizePath(path);
    const { kind, signal } = options;
    // Hierarchies have one version; requests for others would only fail. Listings may name nodes of any.
    const { store } = this;
    const isListed = store.list !== undefined || store.listChildren !== undefined || store instanceof Map;
    const version = isListed ? undefined : this.zarrFormat;
    return this.#opener.open(below === "" ? this.path : this.#pathOf(below), { kind, signal, version });
  }

  /**
   * Returns the nodes directly below, sorted by name. They come from consolidated metadata if there is any;
   * otherwise the store is listed and each entry is read.
   * @throws Unsupported if the store cannot list (HTTP) and the group is not consolidated.
   */
  async members(options: { signal?: AbortSignal | undefined } = {}): Promise<Member[]> {
    checkSignalIn(options);
    const { signal } = options;
    signal?.throwIfAborted();
    const members = (await this.#opener.members(this.path, signal)) ?? (await this.#listed(signal));
    const isLong = members.size > maxSortedAtOnce;
    const names = isLong ? await inSlices(sortSteps([...members.keys()])) : [...members.keys()].sort();
    return names.map((name) => ({ name, path: this.#pathOf(name), kind: members.get(name)! }));
  }

  /**
   * Yields every node below, groups before their members. A node that cannot be opened ends the walk: to skip such nodes,
   * use `members` and `open`.
   * @throws the errors of `members` and `open`.
   */
  async *walk(options: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<OpenedNode> {
    for (const { name } of await this.members(options)) {
      const node = await this.open(name, options);
      yield node;
      if (node.kind === "group") yield* node.walk(options);
    }
  }

  /** What consoles of Node, Deno and Bun print. @hidden */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const attributes = Object.keys(this.#attributes).length;
    return `ZarrGroup { path: "/${this.path}", zarrFormat: ${this.zarrFormat}, attributes: ${attributes} }`;
  }

  async #listed(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Member["kind"]>> {
    const { listedMembers } = await listing();
    signal?.throwIfAborted();
    const kindOf = (name: string) => this.#opener.kindOf(this.#pathOf(name), signal);
    return listedMembers(this.store, this.path, kindOf, signal);
  }

  #pathOf(below: string): string {
    return this.path === "" ? below : `${this.path}/${below}`;
  }
}

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
