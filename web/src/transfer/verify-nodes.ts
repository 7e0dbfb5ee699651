/** Finds the nodes to verify, each by its own documents. */

import type { ZarrArray } from "../hierarchy/array.js";
import type { OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import { open } from "../hierarchy/open.js";
import { v2ArrayKey, v2GroupKey, v3Key } from "../metadata/document.js";
import { joinKey } from "../store/store.js";
import { isZarrError, messageOf } from "../util/errors.js";
import { exactText } from "./box-copy.js";
import type { VerifyProblem } from "./options.js";
import { isSameObject } from "./stored-form.js";
import { inLanes } from "./work.js";

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
  const members = await membersOf(node, found);
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

async function membersOf(group: ZarrGroup, found: FoundNodes) {
  try {
    return await group.members();
  } catch (error) {
    if (isZarrError(error) && error.code === "no-listing") throw error;
    found.problems.push(badMetadata(group.path, error));
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
    return { problem: badMetadata(path, error) };
  }
}

/** Compares a node of consolidated metadata with its own documents; an array is then verified by those. */
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
  const differences = differencesOf(node, own);
  if (differences.length > 0)
    return bad("InvalidMetadata", `differs from consolidated metadata in ${differences.join(", ")}`);
  const isStale =
    !isSameValue(node.attributes, own.attributes) ||
    (node.kind === "array" && !isSameValue(node.dimensionNames, (own as ZarrArray).dimensionNames));
  const warning = isStale ? `${key}: attributes differ from those in consolidated metadata` : undefined;
  return { node: own.kind === "array" ? own : node, warning };
}

/** Names the differences of two nodes that decide how their elements are read. */
function differencesOf(node: OpenedNode, own: OpenedNode): string[] {
  if (node.kind !== own.kind) return ["the kind of node"];
  if (node.zarrFormat !== own.zarrFormat) return ["the Zarr version"];
  if (node.kind === "group" || own.kind === "group") return [];
  const [a, b] = [node.spec, own.spec];
  const checks = {
    shape: a.shape.join() === b.shape.join(),
    "chunks, data type or codecs": isSameObject(a, b),
    "fill value": isSameValue([a.fill.value, a.fill.item], [b.fill.value, b.fill.item]),
    "chunk keys": isSameValue(a.keys, b.keys),
  };
  return Object.entries(checks).flatMap(([name, isSame]) => (isSame ? [] : [name]));
}

const isSameValue = (a: unknown, b: unknown): boolean => exactText(a) === exactText(b);

export const badMetadata = (path: string, error: unknown): VerifyProblem => ({
  path,
  key: `/${path}`,
  tag: isZarrError(error) ? error._tag : "InvalidMetadata",
  reason: messageOf(error),
});
