/** Collections of related items: variables of a dataset, images of a file, fields of a well. */

import { isZarrError, type OpenedNode, type Source, type ZarrGroup } from "zarr-wasm";
import { text } from "../language/text.js";
import { type Kind, nodeKind, type Variable } from "./kinds.js";
import { groupAt } from "./nodes.js";
import { factsOfNode, type NodeFacts } from "./tree.js";

export interface CollectionEntry {
  readonly name: string;
  /** Path in the store. */
  readonly path: string;
  readonly facts: NodeFacts | undefined;
  /** Where to open it, if not at its path: for a variable of a pyramid, `path` is the finest level's. */
  readonly at?: { readonly path: string; readonly variable: string } | undefined;
}

export interface Collection {
  /** "Variables", text.collections.images, text.collections.fields, text.collections.labels. */
  readonly title: string;
  readonly entries: readonly CollectionEntry[];
  /** Entries that describe others: coordinates, bounds. */
  readonly others: readonly CollectionEntry[];
}

const below = ({ path }: ZarrGroup, name: string): string => (path === "" ? name : `${path}/${name}`);

/** The collection that a group represents; undefined for other groups. */
export function imageCollection(group: ZarrGroup, kind: Kind): Collection | undefined {
  const listed = (title: string, paths: readonly string[], nameOf: (path: string) => string) => ({
    title,
    entries: paths.map((path) => ({ name: nameOf(path), path: below(group, path), facts: undefined })),
    others: [],
  });
  if (kind.kind === "dataset") return variableCollection(kind);
  if (kind.kind === "images") return listed(text.collections.images, kind.paths, (path) => path);
  if (kind.kind === "well") return listed(text.collections.fields, kind.fields, (path) => path);
  if (kind.kind === "labels") return listed(text.collections.labels, kind.paths, (path) => path);
  return undefined;
}

/**
 * The variables and coordinates of a dataset.
 * @param pyramid path of the pyramid that has the variables
 */
export function variableCollection(
  { variables, coordinates }: Pick<Extract<Kind, { kind: "dataset" }>, "variables" | "coordinates">,
  pyramid?: string,
): Collection {
  const entry = ({ name, array }: Variable): CollectionEntry => ({
    name,
    path: array.path,
    facts: factsOfNode(array),
    at: pyramid === undefined ? undefined : { path: pyramid, variable: name },
  });
  return {
    title: text.collections.variables,
    entries: variables.map(entry),
    others: coordinates.map(entry),
  };
}

/**
 * The collection that contains a node, found by reading its parent group.
 * @returns undefined if there is none, or if finding it would require probing names.
 */
export async function collectionAround(
  source: Source,
  { path, zarrFormat }: Pick<OpenedNode, "path" | "zarrFormat">,
  signal: AbortSignal,
): Promise<Collection | undefined> {
  if (path === "") return undefined;
  const group = await groupAt(source, path.split("/").slice(0, -1).join("/"), zarrFormat, signal);
  if (!group || !(await isCheap(group, signal))) return undefined;
  const collection = imageCollection(group, await nodeKind(group, signal));
  const isIn =
    collection && [...collection.entries, ...collection.others].some((entry) => entry.path === path);
  return isIn ? collection : undefined;
}

/** Whether the contents of a group are known without probing names. */
async function isCheap(group: ZarrGroup, signal: AbortSignal): Promise<boolean> {
  if (group.isConsolidated) return true;
  const { attributes } = group;
  const names = ["ome", "well", "labels", "bioformats2raw.layout"];
  if (names.some((name) => Object.hasOwn(attributes, name))) return true;
  try {
    await group.members({ signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (isZarrError(error)) return false;
    throw error;
  }
}
