/** Opened groups, which contain arrays and other groups. Without consolidated metadata, listings find the members. */

import type { Attributes } from "../metadata/document.js";
import { normalizePath } from "../store/path.js";
import type { Store } from "../store/store.js";
import { checkSignalIn, sharedOptions } from "../util/arguments.js";
import { lazy } from "../util/lazy.js";
import { inSlices, sortSteps } from "../util/slices.js";
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
   * Opens a node below this group.
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
    return this.#opener.open(below === "" ? this.path : this.#pathOf(below), options);
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
