/** Reads the nodes of a source with their exact documents, and creates the nodes of a destination. */

import { writeConsolidated } from "../edit/consolidate.js";
import { writeNode } from "../edit/create.js";
import type { NodePlace } from "../edit/overlap.js";
import { metadataAt } from "../edit/target.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import { v2ConsolidatedKey, v3Key } from "../metadata/document.js";
import {
  type ArrayMetadata,
  type GroupMetadata,
  type NodeMetadata,
  printMetadata,
} from "../metadata/model.js";
import type { Documents } from "../metadata/new-array.js";
import { withEntries } from "../metadata/print.js";
import { joinKey, type Store } from "../store/store.js";
import { isRecord, ownProperty } from "../util/arguments.js";
import { conflict, notFound } from "../util/errors.js";
import { isJsonObject } from "../util/json.js";
import { resolveLimits } from "../util/limits.js";
import { textDecoder } from "../util/platform.js";

export interface SourceArray {
  readonly kind: "array";
  /** Path below the root of the copy; "" for the root. */
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
  /** Whether its documents are consolidated. They are in the copy, too. */
  readonly isConsolidated: boolean;
}

export type SourceNode = SourceArray | SourceGroup;

/** Returns a node and all nodes below it, groups before their members. @throws what `open` throws for any of them. */
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
  isRecord(ownProperty(attributes, "ome")) || ownProperty(attributes, "multiscales") !== undefined;

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
    throw notFound(`"/${node.path}" is a ${node.kind} in consolidated metadata, and not there`);
  if (node.kind === "array") {
    // The handle knows which of the two meanings of v1's order "F" applies.
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

/** Whether a group has consolidated metadata. zarr-python writes an empty value for groups inside consolidated ones. */
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

/** A node to create. */
export interface TargetNode {
  readonly path: string;
  readonly metadata: NodeMetadata;
  readonly isConsolidated: boolean;
}

/** Time between two looks for a node, in milliseconds. */
const pause = 250;

interface MakeOptions {
  readonly overwrite: boolean;
  /** Keeps nodes that exist and are equal. */
  readonly mayExist: boolean;
  /** The nodes to copy; deleting any of their data is refused. */
  readonly sources: readonly NodePlace[];
}

/**
 * Creates the nodes, the root first. With `overwrite` the node at the root is deleted before.
 * @throws AlreadyExists; Conflict ("other-node") for nodes that exist and differ.
 */
export async function makeNodes(
  store: Store,
  nodes: readonly TargetNode[],
  { overwrite, mayExist, sources }: MakeOptions,
): Promise<void> {
  let made = 0;
  for (const { path, metadata } of nodes) {
    const { documents, zarrFormat } = metadata;
    if (mayExist && (await isThere(store, path, metadata))) continue;
    made++;
    const isRoot = path === "";
    await writeNode({ store, path, version: undefined }, zarrFormat, documents, {
      array: metadata.kind === "array" ? metadata.spec : undefined,
      overwrite: isRoot && overwrite,
      sources,
    });
  }
  for (const node of nodes.filter(({ isConsolidated }) => isConsolidated).reverse())
    if (made > 0 || !(await hasConsolidated(store, node))) await consolidateGroup(store, node, nodes);
}

/**
 * Waits until all nodes exist.
 * @throws NotFound for nodes that are missing after the time limit; Conflict ("other-node") for nodes that differ.
 */
export async function awaitNodes(
  store: Store,
  nodes: readonly TargetNode[],
  patience: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const end = performance.now() + patience;
  for (const { path, metadata } of nodes) {
    while (!(await isThere(store, path, metadata))) {
      signal?.throwIfAborted();
      if (performance.now() >= end)
        throw notFound(
          `there is no ${metadata.kind} "/${path}" at \`destination\` yet: make the nodes with \`metadataOnly\` or \`part\` 0/N`,
        );
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Whether a node exists. @throws Conflict ("other-node") if it differs. */
async function isThere(store: Store, path: string, wanted: NodeMetadata): Promise<boolean> {
  const found = await metadataAt(store, path, { limits: resolveLimits(undefined) });
  if (!found) return false;
  if (documentsText(found) === documentsText(wanted)) return true;
  throw conflict(
    `there is another ${found.kind} at \`destination\`, "/${path}", than this copy would make: \`overwrite\` replaces it`,
    { code: "other-node" },
  );
}

/** Prints the documents of a node for comparison: in a fixed order, without consolidated metadata. */
export function documentsText({ documents, zarrFormat }: NodeMetadata): string {
  const own = new Map(documents);
  const main = zarrFormat === 3 ? own.get(v3Key) : undefined;
  if (main) own.set(v3Key, withEntries(main, [["consolidated_metadata", undefined]]));
  const decoder = textDecoder();
  const texts = [...printMetadata({ documents: own })].map(
    ([key, bytes]) => `${key}\n${decoder.decode(bytes)}`,
  );
  return texts.sort().join("\n");
}

/** Whether a group has consolidated metadata, which is written after all nodes. */
async function hasConsolidated(store: Store, { path, metadata }: TargetNode): Promise<boolean> {
  if (metadata.zarrFormat === 2) return (await store.get(joinKey(path, v2ConsolidatedKey))) !== undefined;
  const found = await metadataAt(store, path, { limits: resolveLimits(undefined) });
  return found?.documents.get(v3Key)?.["consolidated_metadata"] !== undefined;
}

async function consolidateGroup(
  store: Store,
  { path }: TargetNode,
  nodes: readonly TargetNode[],
): Promise<void> {
  const prefix = path === "" ? "" : `${path}/`;
  const below = nodes.filter((node) => node.path === path || node.path.startsWith(prefix));
  const found = new Map<string, Documents>(
    below.map((node) => [node.path === path ? "" : node.path.slice(prefix.length), node.metadata.documents]),
  );
  await writeConsolidated(store, path, found, undefined);
}
