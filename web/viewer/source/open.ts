/** Opens a source for viewing. Every node has a view: a picture, a plate, or a list of its contents. */
import {
  HttpStore,
  isZarrError,
  type OpenedNode,
  open,
  type Source,
  type ZarrArray,
  type ZarrGroup,
} from "zarr-wasm";
import { dimensionsOf } from "zarr-wasm/conventions";
import { readAddress } from "./address.js";
import { arrayDataset, variableDataset } from "./arrays.js";
import { groupAt, ifReadable, openNode, storeFor } from "./nodes.js";
import { type OpenContext, type Opened, type SourceTarget, targetName } from "./opened.js";

// Loaded on demand: most sources are arrays or images.
const collecting = () => import("./collection.js");
const groups = () => import("./open-group.js");

/** An address that cannot be opened, with advice. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

/**
 * Resolves the address of a target: addresses of clouds, repositories and other viewers become those of the
 * data.
 * @returns the target, and a sentence on the change, if any.
 * @throws RefusedAddress
 */
export function resolveTarget<P extends SourceTarget>(target: P): { target: P; note: string | undefined } {
  const { source, path } = target;
  if (typeof source !== "string") return { target, note: undefined };
  const address = readAddress(source);
  if ("refused" in address) throw new RefusedAddress(address.refused);
  const below = [address.path, path].filter((part) => part !== undefined && part !== "").join("/");
  const store = address.isArchive ? `${address.source}|zip:` : address.source;
  return {
    target: {
      ...target,
      source: store,
      path: below === "" ? undefined : below,
      ...(address.isArchive ? { name: address.source } : {}),
    },
    note: address.note,
  };
}

/**
 * @param requested a target from `resolveTarget`.
 * @throws what `open` throws.
 */
export async function openTarget(requested: SourceTarget, context: OpenContext): Promise<Opened> {
  const { signal } = context;
  const isText = typeof requested.source === "string" || requested.source instanceof URL;
  // The store itself has no name.
  const target: SourceTarget = {
    ...requested,
    source: await storeFor(requested.source),
    name: requested.name ?? (isText ? String(requested.source) : undefined),
    address: requested.address ?? (isText ? String(requested.source) : undefined),
  };
  const { source, path } = target;
  let node: OpenedNode;
  void groups().catch(() => {}); // most sources are groups: loaded while their metadata are read
  try {
    node = await openNode(target, context);
  } catch (error) {
    signal.throwIfAborted();
    if (!isZarrError(error, "NotFound")) throw error;
    if (!path) {
      const below = await (await groups()).nodesUnder(source, context, openTarget);
      if (below) return below;
      throw error;
    }
    const known = await nodeFromRoot(source, path, signal);
    if (!known) throw error;
    node = known;
  }
  // Neighbours of the node are read from the store that a pipeline has opened.
  const found =
    node.store === source ? target : { ...target, source: node.store, path: pathIn(node, target) };
  const opened = await (node.kind === "array"
    ? openArray(node, found, context)
    : openGroup(node, found, context));
  if (!target.variable && !target.plate) return opened;
  const { misplaced } = await groups();
  return { ...opened, unusable: misplaced(opened, target) };
}

/** The path of a node in its store, which may be a file in the source: "a.nc/temp" is "temp" there. */
const pathIn = ({ path }: OpenedNode, target: SourceTarget): string | undefined =>
  path === "" && !target.path ? undefined : path;

/**
 * Opens a node without its own document from the consolidated metadata of the whole source: groups often lack documents.
 * Over HTTP, two requests tell whether it exists.
 */
async function nodeFromRoot(
  source: Source,
  path: string,
  signal: AbortSignal,
): Promise<OpenedNode | undefined> {
  if (source instanceof HttpStore) {
    const documents = ["/zarr.json", "/.zmetadata"] as const;
    const found = await Promise.all(documents.map((key) => ifReadable(source.get(key, { signal }), signal)));
    if (!found.some((document) => document)) return undefined;
  }
  const opening = open(source, { kind: "group", otherFormats: false, signal }).then((root) =>
    root.open(path, { signal }),
  );
  return ifReadable(opening, signal);
}

async function openArray(array: ZarrArray, target: SourceTarget, { signal }: OpenContext): Promise<Opened> {
  const { source, path = "" } = target;
  const names = dimensionsOf(array);
  const parts = path.split("/").filter((part) => part !== "");
  if (target.as !== "contents" && parts.at(-2) === "obsm") {
    const found = await (await groups()).openEmbedding(array, target, signal);
    if (found) return found;
  }
  let group: ZarrGroup | undefined;
  // Coordinates are found by name only.
  if (names && names.length > 0 && parts.length > 0)
    group = await groupAt(source, parts.slice(0, -1).join("/"), array.zarrFormat, signal);
  const title = targetName(target);
  const dataset = group
    ? await variableDataset(array, group, title, signal)
    : await arrayDataset(array, title);
  return {
    kind: "dataset",
    dataset,
    path: array.path,
    notes: dataset.problems ?? [],
    collection: async (later) => (await collecting()).collectionAround(source, array, later),
  };
}

async function openGroup(group: ZarrGroup, target: SourceTarget, context: OpenContext): Promise<Opened> {
  return (await groups()).openGroup(group, target, context.signal, {
    array: (array) => openArray(array, target, context),
    path: (path) => openTarget({ ...target, path }, context),
  });
}
