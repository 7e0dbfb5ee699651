/** What belongs together with what is shown: variables of a dataset, images of a file, fields of a well. */
import { isZarrError, type OpenedNode, type Source, type ZarrGroup } from "zarr-wasm";
import { type Kind, kindOf, type Variable } from "./kinds.js";
import { groupAt } from "./nodes.js";
import { factsOfNode, type NodeFacts } from "./tree.js";

export interface CollectionEntry {
  readonly name: string;
  /** In the store. */
  readonly path: string;
  readonly facts: NodeFacts | undefined;
  /** Where it is opened, if not at its path: a variable of a pyramid, of which the path is that of its finest level. */
  readonly at?: { readonly path: string; readonly variable: string } | undefined;
}

export interface Collection {
  /** "Variables", "Images", "Fields of view", "Labels". */
  readonly title: string;
  readonly entries: readonly CollectionEntry[];
  /** Entries that describe the others: coordinates, bounds. */
  readonly others: readonly CollectionEntry[];
}

const below = ({ path }: ZarrGroup, name: string): string => (path === "" ? name : `${path}/${name}`);

/** The collection that a group is; undefined for one that is none. */
export function collectionOf(group: ZarrGroup, kind: Kind): Collection | undefined {
  const listed = (title: string, paths: readonly string[], nameOf: (path: string) => string) => ({
    title,
    entries: paths.map((path) => ({ name: nameOf(path), path: below(group, path), facts: undefined })),
    others: [],
  });
  if (kind.kind === "dataset") return variablesOf(kind);
  if (kind.kind === "images") return listed("Images", kind.paths, (path) => path);
  if (kind.kind === "well") return listed("Fields of view", kind.fields, (path) => path);
  if (kind.kind === "labels") return listed("Labels", kind.paths, (path) => path);
  return undefined;
}

/**
 * The variables of a dataset, and its coordinates.
 * @param pyramid path of the pyramid whose variables they are
 */
export function variablesOf(
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
    title: "Variables",
    entries: variables.map(entry),
    others: coordinates.map(entry),
  };
}

/**
 * The collection that a node is in, found by looking at the group above it.
 * @returns undefined where there is none, and where finding out would take guessing names.
 */
export async function collectionAround(
  source: Source,
  { path, zarrFormat }: Pick<OpenedNode, "path" | "zarrFormat">,
  signal: AbortSignal,
): Promise<Collection | undefined> {
  if (path === "") return undefined;
  const group = await groupAt(source, path.split("/").slice(0, -1).join("/"), zarrFormat, signal);
  if (!group || !(await isCheap(group, signal))) return undefined;
  const collection = collectionOf(group, await kindOf(group, signal));
  const isIn =
    collection && [...collection.entries, ...collection.others].some((entry) => entry.path === path);
  return isIn ? collection : undefined;
}

/** Whether what is in a group is known without asking for names one by one. */
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
