/**
 * Reads the nodes of a source with their exact documents, creates the nodes of a destination, and finds the nodes to
 * verify, each by its own documents.
 */

import { writeConsolidated } from "../edit/consolidated-metadata.js";
import { writeNode } from "../edit/create.js";
import type { NodePlace } from "../edit/overlap.js";
import { metadataAt } from "../edit/target.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import { open } from "../hierarchy/open.js";
import { v2ArrayKey, v2ConsolidatedKey, v2GroupKey, v3Key } from "../metadata/document.js";
import {
  type ArrayMetadata,
  type Documents,
  type GroupMetadata,
  type NodeMetadata,
  printMetadata,
} from "../metadata/model.js";
import { withEntries } from "../metadata/print.js";
import type { ArraySpec } from "../metadata/spec.js";
import { joinKey, type Store } from "../store/store.js";
import { isRecord, ownProperty } from "../util/arguments.js";
import { conflict, isZarrError, messageOf, notFound } from "../util/errors.js";
import { isJsonObject } from "../util/json.js";
import { resolveLimits } from "../util/limits.js";
import { textDecoder } from "../util/platform.js";
import { inLanes } from "../walk/boxes.js";
import { exactText } from "./box-copy.js";
import type { VerifyProblem } from "./options.js";
import { isSameObject } from "./stored-form.js";

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
    nodes.push(await withPathInErrors(node.path, () => readNode(root, node, isInImage)));
    if (node.kind === "array") return;
    const isImage = isInImage || hasImageAttributes(node.attributes);
    for (const { name, path } of await node.members())
      await visit(await withPathInErrors(path, () => node.open(name)), isImage);
  };
  await visit(root, await isBelowImage(root));
  return nodes;
}

/** Adds the path of a node to the messages of errors. */
export async function withPathInErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (path !== "" && isZarrError(error)) error.message = `"/${path}": ${error.message}`;
    throw error;
  }
}

/** Lists are of OME-Zarr; GeoZarr's `multiscales` is an object. */
const hasImageAttributes = (attributes: unknown): boolean =>
  isRecord(ownProperty(attributes, "ome")) || Array.isArray(ownProperty(attributes, "multiscales"));

/** Whether a group above a node has attributes of OME-Zarr. */
async function isBelowImage({ store, path }: OpenedNode): Promise<boolean> {
  const names = path === "" ? [] : path.split("/");
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const found = await metadataAt(store, names.slice(0, depth).join("/"), {
      limits: resolveLimits(undefined),
    });
    if (found?.kind === "group" && hasImageAttributes(found.attributes)) return true;
  }
  return false;
}

async function readNode(root: OpenedNode, node: OpenedNode, isInImage: boolean): Promise<SourceNode> {
  const path = node === root ? "" : node.path.slice(root.path === "" ? 0 : root.path.length + 1);
  const limits = node.kind === "array" ? node.limits : resolveLimits(undefined);
  const metadata = await metadataAt(node.store, node.path, { limits });
  if (!metadata || metadata.kind !== node.kind)
    throw notFound(`the ${node.kind} is in consolidated metadata, but its own document is missing`);
  if (node.kind === "array") {
    // The handle knows which of the two meanings of v1's order "F" applies.
    const own = { ...(metadata as ArrayMetadata), spec: node.spec };
    return { kind: "array", path, array: node, isInImage, metadata: own };
  }
  const isConsolidated =
    (path === "" && node.isConsolidated) || (await hasOwnConsolidated(node, metadata as GroupMetadata));
  return { kind: "group", path, metadata: metadata as GroupMetadata, isConsolidated };
}

/** Whether a group has consolidated metadata. zarr-python writes an empty value for groups inside consolidated ones. */
async function hasOwnConsolidated(
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

/** Interval between checks for a node, in milliseconds. */
const pollInterval = 250;

interface MakeOptions {
  readonly overwrite: boolean;
  /** Keeps nodes that exist and are equal. */
  readonly mayExist: boolean;
  /** The nodes to copy; deleting any of their data is refused. */
  readonly sources: readonly NodePlace[];
}

/**
 * Creates the nodes, the root first. With `overwrite` the node at the root is deleted before.
 * @throws AlreadyExists; Conflict for nodes that exist and differ.
 */
export async function makeNodes(
  store: Store,
  nodes: readonly TargetNode[],
  { overwrite, mayExist, sources }: MakeOptions,
): Promise<void> {
  let made = 0;
  for (const { path, metadata } of nodes) {
    const { documents, zarrFormat } = metadata;
    if (mayExist && (await nodeExists(store, path, metadata))) continue;
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
 * @throws NotFound for nodes that are missing after the time limit; Conflict for nodes that differ.
 */
export async function awaitNodes(
  store: Store,
  nodes: readonly TargetNode[],
  maxWait: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const end = performance.now() + maxWait;
  for (const { path, metadata } of nodes) {
    while (!(await nodeExists(store, path, metadata))) {
      signal?.throwIfAborted();
      if (performance.now() >= end)
        throw notFound(
          `the ${metadata.kind} "/${path}" is missing at \`destination\`; create the nodes with \`metadataOnly\` or \`part\` 0/N`,
        );
      await new Promise((resolve) => setTimeout(resolve, pollInterval));
    }
  }
}

/** Whether a node exists. @throws Conflict if it differs. */
async function nodeExists(store: Store, path: string, wanted: NodeMetadata): Promise<boolean> {
  const found = await metadataAt(store, path, { limits: resolveLimits(undefined) });
  if (!found) return false;
  if (documentsText(found) === documentsText(wanted)) return true;
  throw conflict(
    `the ${found.kind} "/${path}" at \`destination\` differs from the one to create; pass \`overwrite\` to replace it`,
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

export interface FoundNodes {
  readonly arrays: ZarrArray[];
  groups: number;
  /** Nodes that cannot be read, or that contradict consolidated metadata. */
  readonly problems: VerifyProblem[];
  readonly warnings: string[];
}

type V1Order = "spec" | "writer" | undefined;

/** A member of a group; without a node if its documents cannot be used. */
interface Opened {
  readonly node?: OpenedNode;
  readonly problem?: VerifyProblem;
  readonly warning?: string | undefined;
}

/** Nodes that are opened in parallel. */
const lanes = 16;

/** Finds a node and all below it, always in the same order. */
export async function findNodes(root: OpenedNode, v1Order: V1Order): Promise<FoundNodes> {
  const found: FoundNodes = { arrays: [], groups: 0, problems: [], warnings: [] };
  await collect(root, found, v1Order);
  return found;
}

async function collect(node: OpenedNode, found: FoundNodes, v1Order: V1Order): Promise<void> {
  if (node.kind === "array") return void found.arrays.push(node);
  found.groups++;
  const members = await listMembers(node, found);
  const opened: Opened[] = [];
  await inLanes(members.entries(), lanes, async ([i, member]) => {
    opened[i] = await openMember(node, member, v1Order);
  });
  for (const { node: member, problem, warning } of opened) {
    if (problem) found.problems.push(problem);
    if (warning !== undefined) found.warnings.push(warning);
    if (member) await collect(member, found, v1Order);
  }
}

async function listMembers(group: ZarrGroup, found: FoundNodes) {
  try {
    return await group.members();
  } catch (error) {
    if (isZarrError(error) && error.code === "no-listing") throw error;
    found.problems.push(metadataProblem(group.path, error));
    return [];
  }
}

async function openMember(
  group: ZarrGroup,
  { name, path }: { name: string; path: string },
  v1Order: V1Order,
): Promise<Opened> {
  try {
    const node = await group.open(name);
    return group.isConsolidated ? await withOwnDocuments(node, v1Order) : { node };
  } catch (error) {
    return { problem: metadataProblem(path, error) };
  }
}

/** Compares a node of consolidated metadata with its own documents. An array is then verified according to its own document. */
async function withOwnDocuments(node: OpenedNode, v1Order: V1Order): Promise<Opened> {
  const { store, path, kind, zarrFormat } = node;
  const key = joinKey(path, zarrFormat === 3 ? v3Key : kind === "array" ? v2ArrayKey : v2GroupKey);
  const bad = (tag: string, reason: string): Opened => ({ problem: { path, key, tag, reason } });
  let own: OpenedNode;
  try {
    own = await open(store, { path, v1Order });
  } catch (error) {
    if (!isZarrError(error, "NotFound")) throw error;
    return bad("NotFound", `the ${kind} is in consolidated metadata, but its own document is missing`);
  }
  const differences = findDifferences(node, own);
  if (differences.length > 0)
    return bad("InvalidMetadata", `differs from consolidated metadata in ${differences.join(", ")}`);
  const isStale =
    !isSameValue(node.attributes, own.attributes) ||
    (node.kind === "array" && !isSameValue(node.dimensionNames, (own as ZarrArray).dimensionNames));
  const warning = isStale ? `${key}: attributes differ from those in consolidated metadata` : undefined;
  return { node: own.kind === "array" ? own : node, warning };
}

/** Names the differences of two nodes that decide how their elements are read. */
function findDifferences(node: OpenedNode, own: OpenedNode): string[] {
  if (node.kind !== own.kind) return ["the kind of node"];
  if (node.zarrFormat !== own.zarrFormat) return ["the Zarr version"];
  return node.kind === "group" || own.kind === "group" ? [] : specDifferences(node.spec, own.spec);
}

function specDifferences(a: ArraySpec, b: ArraySpec): string[] {
  const checks = {
    shape: a.shape.join() === b.shape.join(),
    "chunks, data type or codecs": isSameObject(a, b),
    "fill value": isSameValue([a.fill.value, a.fill.item], [b.fill.value, b.fill.item]),
    "chunk keys": isSameValue(a.keys, b.keys),
  };
  return Object.entries(checks).flatMap(([name, isSame]) => (isSame ? [] : [name]));
}

const isSameValue = (a: unknown, b: unknown): boolean => exactText(a) === exactText(b);

export const metadataProblem = (path: string, error: unknown): VerifyProblem => ({
  path,
  key: `/${path}`,
  tag: isZarrError(error) ? error._tag : "InvalidMetadata",
  reason: messageOf(error),
});
