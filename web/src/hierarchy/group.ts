/** Groups: nodes that hold arrays and other groups. */

import type { ZarrVersion } from "../codecs/definition.js";
import type { Attributes } from "../metadata/spec.js";
import { normalizePath } from "../store/path.js";
import type { Store } from "../store/store.js";
import { checkSignalIn } from "../util/arguments.js";
import { inSlices } from "../util/slices.js";
import { sortSteps } from "../util/sort.js";
import type { ZarrArray } from "./array.js";
import { listedMembers } from "./listed-members.js";

/** A node directly below a group. */
export interface Member {
  readonly name: string;
  /** Path in the store. */
  readonly path: string;
  readonly kind: "array" | "group";
}

/** Longer lists of members are sorted in slices. */
const maxSortedAtOnce = 2 ** 13;

/** What `open` finds. */
export type OpenedNode = ZarrArray | ZarrGroup;

export interface NodeOptions {
  readonly kind?: Member["kind"] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Opens the nodes of a group's store. */
export interface NodeOpener {
  open(path: string, options: NodeOptions): Promise<OpenedNode>;
  /** Whether there is an array, a group or nothing at a path, without reading more than that needs. */
  kindOf(path: string, signal: AbortSignal | undefined): Promise<Member["kind"] | undefined>;
  /** Kinds of the nodes directly below a group, by name, where consolidated metadata names them. */
  members(
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Member["kind"]> | undefined>;
  /** Whether consolidated metadata names the nodes below a group. */
  isConsolidated(path: string): boolean;
}

/** A Zarr group that has been opened. */
export class ZarrGroup {
  /** What consoles show, also of minified programs. */
  static get name(): string {
    return "ZarrGroup";
  }

  readonly kind = "group";
  readonly #opener: NodeOpener;
  #attributes: Attributes;

  /** Use `open`. */
  constructor(
    readonly store: Store,
    /** Path of the group in its store, without slashes at its ends; "" for the root. */
    readonly path: string,
    readonly zarrFormat: ZarrVersion,
    attributes: Attributes,
    opener: NodeOpener,
  ) {
    this.#attributes = attributes;
    this.#opener = opener;
  }

  get attributes(): Attributes {
    return this.#attributes;
  }
  /** @internal Makes the attributes those that have been written. */
  adopt(attributes: Attributes): void {
    this.#attributes = attributes;
  }

  /** Whether the nodes below are known from consolidated metadata. */
  get isConsolidated(): boolean {
    return this.#opener.isConsolidated(this.path);
  }

  /**
   * Opens a node below this group.
   * @param path from here, such as "a/b".
   * @throws as `open` does.
   */
  async open(path: string, options?: { signal?: AbortSignal | undefined }): Promise<OpenedNode>;
  async open(path: string, options: { kind: "array"; signal?: AbortSignal | undefined }): Promise<ZarrArray>;
  async open(path: string, options: { kind: "group"; signal?: AbortSignal | undefined }): Promise<ZarrGroup>;
  async open(
    path: string,
    options: { kind?: Member["kind"] | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<OpenedNode> {
    checkSignalIn(options);
    const below = normalizePath(path);
    return this.#opener.open(below === "" ? this.path : this.#pathOf(below), options);
  }

  /**
   * The nodes directly below, sorted by name: from consolidated metadata where there is some, else by listing
   * the store and reading what is found there.
   * @throws Unsupported where the store cannot list (HTTP) and nothing is consolidated.
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

  /** Every node below, groups before what they hold. */
  async *walk(options: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<OpenedNode> {
    for (const { name } of await this.members(options)) {
      const node = await this.open(name, options);
      yield node;
      if (node.kind === "group") yield* node.walk(options);
    }
  }

  async #listed(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Member["kind"]>> {
    signal?.throwIfAborted();
    const kindOf = (name: string) => this.#opener.kindOf(this.#pathOf(name), signal);
    return listedMembers(this.store, this.path, kindOf, signal);
  }

  #pathOf(below: string): string {
    return this.path === "" ? below : `${this.path}/${below}`;
  }
}
