/** The nodes of a copy: made, or found where another process or an earlier one has made them. */

import type { Store } from "zarr-wasm";
import {
  type Documents,
  joinKey,
  metadataAt,
  type NodeMetadata,
  type NodePlace,
  printMetadata,
  resolveLimits,
  v2ConsolidatedKey,
  v3Key,
  withEntries,
  writeConsolidated,
  writeNode,
} from "#internal";

/** A node to be: its place in the copy, and its documents. */
export interface TargetNode {
  readonly path: string;
  readonly metadata: NodeMetadata;
  readonly isConsolidated: boolean;
}

/** How long to wait before looking again, in milliseconds. */
const pause = 250;

interface MakeOptions {
  readonly overwrite: boolean;
  /** Keeps nodes that exist and are equal. */
  readonly mayExist: boolean;
  /** The nodes to copy; deleting any of their data is refused. */
  readonly sources: readonly NodePlace[];
}

/**
 * Makes the nodes. The root comes first, and with it, to overwrite, goes what was there.
 * @throws AlreadyExists, and an Error for nodes that are there and differ.
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
 * Waits until all nodes are there.
 * @throws an Error for nodes that are not there in time, or differ.
 */
export async function awaitNodes(
  store: Store,
  nodes: readonly TargetNode[],
  patience: number,
): Promise<void> {
  const end = performance.now() + patience;
  for (const { path, metadata } of nodes) {
    while (!(await isThere(store, path, metadata))) {
      if (performance.now() >= end)
        throw new Error(
          `there is no ${metadata.kind} "/${path}" at DEST yet: make the nodes with --metadata-only or --part 0/N`,
        );
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Whether a node is there. @throws an Error for one that differs. */
async function isThere(store: Store, path: string, wanted: NodeMetadata): Promise<boolean> {
  const found = await metadataAt(store, path, { limits: resolveLimits(undefined) });
  if (!found) return false;
  if (documentsText(found) === documentsText(wanted)) return true;
  throw new Error(
    `there is another ${found.kind} at DEST, "/${path}", than this copy would make: --overwrite replaces it`,
  );
}

/** Documents of a node as they are stored, for comparison: in any order, without consolidated metadata. */
export function documentsText({ documents, zarrFormat }: NodeMetadata): string {
  const own = new Map(documents);
  const main = zarrFormat === 3 ? own.get(v3Key) : undefined;
  if (main) own.set(v3Key, withEntries(main, [["consolidated_metadata", undefined]]));
  const texts = [...printMetadata({ documents: own })].map(([key, bytes]) => `${key}\n${Buffer.from(bytes)}`);
  return texts.sort().join("\n");
}

/** Whether a group's documents have been consolidated: they were when all were there. */
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
