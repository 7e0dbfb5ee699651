/** Opens a source for viewing. Every node has a view: a picture, a plate, or a list of its contents. */
import {
  dimensionsOf,
  HttpStore,
  isZarrError,
  type OpenedNode,
  open,
  type Source,
  type ZarrArray,
  type ZarrGroup,
  type ZarrWarning,
} from "zarr-wasm";
import { listOf, unusable } from "../base/unusable.js";
import { readAddress } from "./address.js";
import { arrayDataset, variableDataset } from "./arrays.js";
import { textAt } from "./attributes.js";
import type { Contents } from "./browse.js";
import type { Collection } from "./collection.js";
import type { Dataset } from "./dataset.js";
import type { Kind, Variable } from "./kinds.js";
import { groupAt, ifReadable, isPipeline, openNode, storeFor } from "./nodes.js";
import type { Plate } from "./plate.js";
import type { Branch } from "./tree.js";

// Loaded on demand: most sources are arrays or images.
const browsing = () => import("./browse.js");
const collecting = () => import("./collection.js");
const trees = () => import("./tree.js");
const kinds = () => import("./kinds.js");
const multiscale = () => import("./multiscale.js");

/** The source to open. */
export interface SourceTarget {
  /** A URL or a store. */
  readonly source: Source;
  /** Path of the node below the source. */
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
  /** The variable of a dataset or pyramid. Default: the one with the most dimensions. */
  readonly variable?: string | undefined;
  /** Number of the field of view of a well. Default: the first. */
  readonly field?: number | undefined;
  /** "contents" lists a group, and shows the elements of an array, even if it could be shown otherwise. */
  readonly as?: "contents" | undefined;
  /** The planes that the wells of a plate show: "channel:1,field:0,2:5". */
  readonly plate?: string | undefined;
  /** Name of a store that has no address. */
  readonly name?: string | undefined;
}

export interface OpenContext {
  readonly signal: AbortSignal;
  readonly onWarning: (warning: ZarrWarning) => void;
}

/** The result of opening. */
export type Opened = {
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
  /** Messages about parts of the target that do not exist in its source. */
  readonly unusable?: readonly string[] | undefined;
} & (
  | {
      readonly kind: "dataset";
      readonly dataset: Dataset;
      /** Path in the store of the shown node, which may differ from the requested one. */
      readonly path: string;
      /** Number of fields of view, if the node is a well. */
      readonly fields?: number;
      /** Searches for the collection of the node. */
      readonly collection: (signal: AbortSignal) => Promise<Collection | undefined>;
    }
  | { readonly kind: "plate"; readonly plate: Plate }
  | {
      readonly kind: "contents";
      /** Display name of the kind of group: "AnnData". */
      readonly what: string;
      readonly branch: Branch;
      readonly attributes: ZarrGroup["attributes"];
      /** Searches for the embeddings of AnnData. */
      readonly embeddings?: (signal: AbortSignal) => Promise<Collection | undefined>;
      /** The group, if it is a data frame of AnnData. */
      readonly frame?: ZarrGroup;
    }
);

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
  };
  const { source, path } = target;
  let node: OpenedNode;
  void kinds().catch(() => {}); // most sources are groups: loaded while their metadata are read
  try {
    node = await openNode(target, context);
  } catch (error) {
    signal.throwIfAborted();
    if (!isZarrError(error, "NotFound")) throw error;
    if (!path) {
      const below = await nodesUnder(source, context);
      if (below) return below;
      throw error;
    }
    const known = await nodeFromRoot(source, path, signal);
    if (!known) throw error;
    node = known;
  }
  // Neighbours of the node are read from the store that a pipeline has opened.
  const found = isPipeline(source) ? { ...target, source: node.store } : target;
  const opened = await (node.kind === "array"
    ? openArray(node, found, context)
    : openGroup(node, found, context));
  return { ...opened, unusable: misplaced(opened, target) };
}

/** Messages about parts of a target that its source does not have. */
function misplaced({ kind, unusable: known }: Opened, { variable, plate }: SourceTarget): string[] {
  const noVariable = variable ? [unusable("variable", variable, "none: the source has no variables")] : [];
  const noPlate =
    plate && kind !== "plate" ? [unusable("plate", plate, "none: the source is not a plate")] : [];
  return [...new Set([...(known ?? noVariable), ...noPlate])];
}

/**
 * Opens a node without its own document from the consolidated metadata of the whole source: groups of v2 often lack
 * documents. For a URL, only if it ends with .zarr (the library has requested the document of others), after one request.
 */
async function nodeFromRoot(
  source: Source,
  path: string,
  signal: AbortSignal,
): Promise<OpenedNode | undefined> {
  if (source instanceof HttpStore) {
    const found = isZarrName(source) && (await ifReadable(source.get("/.zmetadata", { signal }), signal));
    if (!found) return undefined;
  }
  const opening = open(source, { kind: "group", otherFormats: false, signal }).then((root) =>
    root.open(path, { signal }),
  );
  return ifReadable(opening, signal);
}

const isZarrName = (store: HttpStore): boolean => /\.zarr\/?$/i.test(store.url.pathname);

/**
 * A folder that is not a node but contains some: a single one is opened, several are listed. A URL that ends with .zarr
 * names a node.
 */
async function nodesUnder(source: Source, context: OpenContext): Promise<Opened | undefined> {
  const { signal } = context;
  if (source instanceof HttpStore && isZarrName(source)) return undefined;
  const store = typeof source === "string" || source instanceof URL ? undefined : source;
  const paths = store ? await (await browsing()).nodesBelow(store, signal).catch(() => []) : [];
  signal.throwIfAborted();
  if (paths.length === 0) return undefined;
  const note = "This folder is not a Zarr node, but contains some.";
  if (paths.length === 1) {
    const opened = await openTarget({ source: store!, path: paths[0]! }, context);
    return { ...opened, notes: [note, ...opened.notes] };
  }
  const { NodeItem } = await trees();
  const items = await Promise.all(
    paths.map(async (path) => {
      const node = await open(store!, { path, signal }).catch(() => undefined);
      return node && new NodeItem(path, path, node.kind, async () => node);
    }),
  );
  const branch = { items: items.filter((item) => item !== undefined), note: undefined };
  return { kind: "contents", what: "folder", branch, attributes: {}, notes: [note] };
}

async function openArray(array: ZarrArray, target: SourceTarget, { signal }: OpenContext): Promise<Opened> {
  const { source, path = "" } = target;
  const names = dimensionsOf(array);
  const parts = path.split("/").filter((part) => part !== "");
  if (target.as !== "contents" && parts.at(-2) === "obsm") {
    const found = await openEmbedding(array, target, signal);
    if (found) return found;
  }
  let group: ZarrGroup | undefined;
  // Coordinates are found by name only.
  if (names && names.length > 0 && parts.length > 0)
    group = await groupAt(source, parts.slice(0, -1).join("/"), array.zarrFormat, signal);
  const title = targetName(target);
  const dataset = group ? await variableDataset(array, group, title, signal) : arrayDataset(array, title);
  return {
    kind: "dataset",
    dataset,
    path: array.path,
    notes: dataset.problems ?? [],
    collection: async (later) => (await collecting()).collectionAround(source, array, later),
  };
}

/** Undefined if the array is not an embedding that can be shown. */
async function openEmbedding(
  array: ZarrArray,
  target: SourceTarget,
  signal: AbortSignal,
): Promise<Opened | undefined> {
  const { isEmbedding, embeddingCollection, embeddingDataset } = await import("./embedding.js");
  if (!isEmbedding(array)) return undefined;
  const dataset = await embeddingDataset(array, targetName(target), signal);
  return (
    dataset && {
      kind: "dataset",
      dataset,
      path: array.path,
      notes: [],
      collection: (later) => embeddingCollection(array, later),
    }
  );
}

async function openGroup(group: ZarrGroup, target: SourceTarget, context: OpenContext): Promise<Opened> {
  const { signal } = context;
  if (target.as === "contents") return contentsAt(group, "group", undefined, signal);
  const { nodeKind } = await kinds();
  const kind = await nodeKind(group, signal);
  try {
    return await openKind(group, kind, target, context);
  } catch (error) {
    // For example, a level of the image is missing. The group exists, so its contents can be listed.
    signal.throwIfAborted();
    if (!isZarrError(error, "NotFound", "InvalidMetadata", "Unsupported", "UnknownCodec")) throw error;
    const problem = `This ${nameOfKind[kind.kind] ?? "group"} cannot be shown as such: ${error.message}.`;
    return contentsAt(group, "group", undefined, signal, [problem]);
  }
}

async function openKind(
  group: ZarrGroup,
  kind: Kind,
  target: SourceTarget,
  context: OpenContext,
): Promise<Opened> {
  const { signal } = context;
  const collection = async () => (await collecting()).imageCollection(group, kind);
  const below = (path: string) => (group.path === "" ? path : `${group.path}/${path}`);
  switch (kind.kind) {
    case "image": {
      const { images, isLabel } = kind;
      const title = targetName(target);
      const { multiscaleDataset } = await multiscale();
      const dataset = await multiscaleDataset(images[0]!, { title, isLabel, group, signal });
      const around = async (later: AbortSignal) =>
        (await collecting()).collectionAround(target.source, group, later);
      const notes = dataset.problems ?? [];
      return { kind: "dataset", dataset, path: group.path, notes, collection: around };
    }
    case "images":
    case "well":
    case "labels": {
      const paths = kind.kind === "well" ? kind.fields : kind.paths;
      const first = paths[kind.kind === "well" ? (target.field ?? 0) : 0];
      if (first === undefined) return contentsAt(group, kind.kind, undefined, signal);
      const opened = await openTarget({ ...target, path: below(first) }, context);
      const fields = kind.kind === "well" ? { fields: paths.length } : {};
      return opened.kind === "dataset" ? { ...opened, ...fields, collection } : opened;
    }
    case "plate": {
      const { Plate: PlateOf } = await import("./plate.js");
      return { kind: "plate", plate: await PlateOf.of(kind, below, signal), notes: [] };
    }
    case "dataset": {
      const { contents } = kind;
      const found = await variableNamed(group, kind, target.variable, signal);
      const { name, array } = found ?? kind.first;
      const dataset = await variableDataset(array, group, name, signal);
      const notes = [...(dataset.problems ?? []), ...(contents.note === undefined ? [] : [contents.note])];
      const problems = unknownVariable(target, found, kind.variables);
      return { kind: "dataset", dataset, path: array.path, notes, unusable: problems, collection };
    }
    case "levels": {
      const { findPyramid } = await import("./pyramid.js");
      const { variable } = target;
      const find = (name: string | undefined) =>
        findPyramid(group, kind.paths, name, name ?? targetName(target), signal);
      const named = variable === undefined ? undefined : await find(variable);
      const pyramid = named ?? (await find(undefined));
      if (!pyramid) return contentsAt(group, "group", undefined, signal);
      const { dataset, path, variables } = pyramid;
      return {
        kind: "dataset",
        dataset,
        path,
        notes: dataset.problems ?? [],
        unusable: unknownVariable(target, named, variables),
        collection: async () =>
          (await collecting()).variableCollection({ variables, coordinates: [] }, group.path),
      };
    }
    case "array":
      return openArray(kind.array, target, context);
    case "anndata": {
      const embeddings = async (later: AbortSignal) =>
        (await import("./embedding.js")).embeddingsOf(group, later);
      return { ...(await contentsAt(group, kind.kind, kind.contents, signal)), embeddings } as Opened;
    }
    case "dataframe":
      return { ...(await contentsAt(group, kind.kind, kind.contents, signal)), frame: group } as Opened;
    default: {
      const problem = kind.kind === "group" ? kind.problem : undefined;
      const notes = problem === undefined ? [] : [`${problem[0]!.toUpperCase()}${problem.slice(1)}.`];
      const hint = layerHint(group);
      if (hint !== undefined) notes.push(hint);
      return contentsAt(group, kind.kind, kind.contents, signal, notes);
    }
  }
}

/** A variable or coordinate of a dataset, which may be beyond those that are listed. */
async function variableNamed(
  group: ZarrGroup,
  { variables, coordinates }: Extract<Kind, { kind: "dataset" }>,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<Pick<Variable, "name" | "array"> | undefined> {
  const known = [...variables, ...coordinates].find(({ name }) => name === wanted);
  if (known || !wanted) return known;
  const array = await ifReadable(group.open(wanted, { kind: "array", signal }), signal);
  return array && { name: wanted, array };
}

/** The message about a requested variable that has not been found. */
function unknownVariable(
  { variable }: SourceTarget,
  found: object | undefined,
  variables: readonly Pick<Variable, "name">[],
): string[] {
  const names = variables.map(({ name }) => name);
  return !variable || found ? [] : [unusable("variable", variable, listOf(names, "none: there are none"))];
}

/** How to show points and shapes of SpatialData, which have no picture of their own. */
function layerHint({ attributes, path }: ZarrGroup): string | undefined {
  const [, what] = /^ngff:(points|shapes)$/.exec(textAt(attributes, "encoding-type") ?? "") ?? [];
  if (what === undefined) return undefined;
  const part = path === "" ? "this address" : `the path ${path}`;
  const name = `${what[0]!.toUpperCase()}${what.slice(1)}`;
  return `${name} are drawn over a picture: open an image, and add ${part} in its panel Layers, or as <zarr-layer>.`;
}

const nameOfKind: Readonly<Record<string, string>> = {
  image: "multiscale image",
  images: "series of images",
  well: "well",
  labels: "group of labels",
  plate: "plate",
  dataset: "dataset",
  levels: "pyramid",
};

const nameOfContents: Readonly<Record<string, string>> = {
  anndata: "AnnData",
  mudata: "MuData",
  spatialdata: "SpatialData",
  dataframe: "data frame",
};

async function contentsAt(
  group: ZarrGroup,
  what: string,
  known: Contents | undefined,
  signal: AbortSignal,
  notes: readonly string[] = [],
): Promise<Opened> {
  const { branchFrom, toBranch } = await trees();
  const branch = known ? branchFrom(group, known) : await toBranch(group, signal);
  const { attributes } = group;
  return { kind: "contents", what: nameOfContents[what] ?? "group", branch, attributes, notes };
}

/** A short name of a source: the last part of its address. */
export function targetName({ source, path, name }: SourceTarget): string {
  const isAddress = typeof source === "string" || source instanceof URL;
  const text = isAddress ? String(source) : (name ?? "Array");
  const [address] = text.split(/[?#|]/, 1);
  const names = `${address}/${path ?? ""}`.split("/").filter((part) => part !== "");
  return names.at(-1) ?? text;
}
