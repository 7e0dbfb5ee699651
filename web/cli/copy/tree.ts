/** What is to be copied: the nodes of the source, with their exact documents. */

import type { OpenedNode, ZarrArray, ZarrGroup } from "zarr-wasm";
import {
  type ArrayMetadata,
  type GroupMetadata,
  isJsonObject,
  isRecord,
  joinKey,
  metadataAt,
  own,
  resolveLimits,
  v2ConsolidatedKey,
  v3Key,
} from "#internal";

export interface SourceArray {
  readonly kind: "array";
  /** Below what is copied; "" for that itself. */
  readonly path: string;
  readonly array: ZarrArray;
  readonly metadata: ArrayMetadata;
  /** Whether a group above it has attributes of OME-Zarr. */
  readonly isInImage: boolean;
}

export interface SourceGroup {
  readonly kind: "group";
  readonly path: string;
  readonly metadata: GroupMetadata;
  /** Whether its documents are consolidated: they are again in the copy. */
  readonly isConsolidated: boolean;
}

export type SourceNode = SourceArray | SourceGroup;

/** A node and all below it, groups before what they hold. @throws what `open` does, of any of them. */
export async function readTree(root: OpenedNode): Promise<SourceNode[]> {
  const nodes: SourceNode[] = [];
  const visit = async (node: OpenedNode, isInImage: boolean): Promise<void> => {
    nodes.push(await readNode(root, node, isInImage));
    if (node.kind === "array") return;
    const isImage = isInImage || saysImages(node.attributes);
    for (const { name } of await node.members()) await visit(await node.open(name), isImage);
  };
  await visit(root, await isBelowImage(root));
  return nodes;
}

const saysImages = (attributes: unknown): boolean =>
  isRecord(own(attributes, "ome")) || own(attributes, "multiscales") !== undefined;

/** Whether a group above a node has attributes of OME-Zarr. */
async function isBelowImage({ store, path }: OpenedNode): Promise<boolean> {
  const names = path === "" ? [] : path.split("/");
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const found = await metadataAt(store, names.slice(0, depth).join("/"), {
      limits: resolveLimits(undefined),
    });
    if (found?.kind === "group" && saysImages(found.attributes)) return true;
  }
  return false;
}

async function readNode(root: OpenedNode, node: OpenedNode, isInImage: boolean): Promise<SourceNode> {
  const path = node === root ? "" : node.path.slice(root.path === "" ? 0 : root.path.length + 1);
  const limits = node.kind === "array" ? node.limits : resolveLimits(undefined);
  const metadata = await metadataAt(node.store, node.path, { limits });
  if (!metadata || metadata.kind !== node.kind)
    throw new Error(`"/${node.path}" is a ${node.kind} in consolidated metadata, and not there`);
  if (node.kind === "array") {
    // As it was opened: of v1's two readings of order "F" the handle has one.
    return {
      kind: "array",
      path,
      array: node,
      isInImage,
      metadata: { ...(metadata as ArrayMetadata), spec: node.spec },
    };
  }
  const isConsolidated =
    (path === "" && node.isConsolidated) || (await hasOwn(node, metadata as GroupMetadata));
  return { kind: "group", path, metadata: metadata as GroupMetadata, isConsolidated };
}

/** Whether a group has consolidated metadata of its own; an empty one is what zarr-python gives to groups inside others. */
async function hasOwn(
  { store, path }: ZarrGroup,
  { zarrFormat, documents }: GroupMetadata,
): Promise<boolean> {
  if (zarrFormat === 2) {
    return (await store.get(joinKey(path, v2ConsolidatedKey))) !== undefined;
  }
  const consolidated = documents.get(v3Key)?.["consolidated_metadata"];
  return isJsonObject(consolidated) && isJsonObject(consolidated["metadata"]);
}
