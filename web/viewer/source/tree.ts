/** The contents of a group as a tree whose branches are read when they are opened. */

import { isZarrError, type OpenedNode, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { dimensionsOf, isMultiscales } from "zarr-wasm/conventions";
import { Once } from "../base/memo.js";
import { text } from "../language/text.js";
import { omeAttributes, own, textAt } from "./attributes.js";
import { type Contents, folderContents } from "./browse.js";

/** Summary of a node for display. */
export interface NodeFacts {
  /** Kind of node: "array", "OME-Zarr image", "csr_matrix", … */
  readonly what: string;
  readonly shape?: readonly number[] | undefined;
  readonly dimensions?: readonly string[] | undefined;
  readonly dtype?: ZarrArray["dtype"] | undefined;
  /** Decoded size; undefined if elements have no fixed size. */
  readonly bytes?: number | undefined;
  readonly chunkShape?: readonly number[] | undefined;
  readonly label?: string | undefined;
  readonly unit?: string | undefined;
}

export interface TreeItem {
  readonly name: string;
  /** Path in the store. */
  readonly path: string;
  readonly kind: "array" | "group";
  /** Reads the node's metadata on first use. @throws as `open` does. */
  facts(): Promise<NodeFacts>;
  /** The contents of a group. @throws as `open` does. */
  branch(signal?: AbortSignal): Promise<Branch>;
}

export interface Branch {
  readonly items: readonly TreeItem[];
  /** Explains why the list may be incomplete. */
  readonly note: string | undefined;
}

/** The nodes directly below a group. */
export async function toBranch(group: ZarrGroup, signal?: AbortSignal): Promise<Branch> {
  return branchFrom(group, await folderContents(group, signal));
}

export function branchFrom(group: ZarrGroup, { members, note }: Contents): Branch {
  const open = (name: string) => group.open(name);
  return { items: members.map(({ name, path, kind }) => new NodeItem(name, path, kind, open)), note };
}

/** A node, opened on first use. */
export class NodeItem implements TreeItem {
  readonly #node: Once<OpenedNode>;

  constructor(
    readonly name: string,
    readonly path: string,
    readonly kind: TreeItem["kind"],
    open: (name: string) => Promise<OpenedNode>,
  ) {
    this.#node = new Once(() => open(name));
  }

  async facts(): Promise<NodeFacts> {
    return factsOfNode(await this.#node.load());
  }

  async branch(signal?: AbortSignal): Promise<Branch> {
    const group = await this.#node.load();
    return group.kind === "group" ? toBranch(group, signal) : { items: [], note: undefined };
  }
}

/** Summarises a node's own metadata. */
export function factsOfNode(node: OpenedNode): NodeFacts {
  const { attributes } = node;
  const encoding = textAt(attributes, "encoding-type");
  if (node.kind === "group") {
    const shape = own(attributes, "shape");
    const isShape = Array.isArray(shape) && shape.every((length) => typeof length === "number");
    return { what: encoding ?? describeNode(node), shape: isShape ? (shape as number[]) : undefined };
  }
  const { shape, dtype, chunkShape } = node;
  return {
    what: encoding !== undefined && encoding !== "array" ? encoding : "array",
    shape,
    dimensions: dimensionsOf(node),
    dtype,
    bytes: dtype.isVariable ? undefined : shape.reduce((a, b) => a * b, dtype.itemBytes),
    chunkShape,
    label: textAt(attributes, "long_name"),
    unit: textAt(attributes, "units"),
  };
}

function describeNode(group: ZarrGroup): string {
  const ome = omeAttributes(group.attributes);
  if (own(ome, "image-label") !== undefined) return "labels";
  if (isMultiscales(group)) return "multiscale image";
  if (own(ome, "plate") !== undefined) return "plate";
  if (own(ome, "well") !== undefined) return "well";
  if (own(ome, "bioformats2raw.layout") !== undefined) return "images";
  if (own(ome, "scene") !== undefined) return "scene";
  if (own(group.attributes, "spatialdata_attrs") !== undefined) return "SpatialData";
  return "group";
}

/** A short reason why a node cannot be described. */
export const troubleWith = (error: unknown): string =>
  isZarrError(error) ? error.message : text.tree.unreadable;
