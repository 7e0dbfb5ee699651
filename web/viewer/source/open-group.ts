/** Opens groups by their kind: pictures, plates, datasets, or lists of their contents. */
import { HttpStore, isZarrError, open, type Source, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { listOf, unusable } from "../base/unusable.js";
import { text } from "../language/text.js";
import { variableDataset } from "./arrays.js";
import { textAt } from "./attributes.js";
import type { Contents } from "./browse.js";
import { type Kind, nodeKind, type Variable } from "./kinds.js";
import { ifReadable } from "./nodes.js";
import { type OpenContext, type Opened, type SourceTarget, targetName } from "./opened.js";

const collecting = () => import("./collection.js");
const trees = () => import("./tree.js");
const composing = () => import("./compose.js");

/** Opens other nodes of the source. */
interface Openers {
  array(array: ZarrArray): Promise<Opened>;
  path(path: string): Promise<Opened>;
}

/** @throws errors of the store. */
export async function openGroup(
  group: ZarrGroup,
  target: SourceTarget,
  signal: AbortSignal,
  openers: Openers,
): Promise<Opened> {
  if (target.as === "contents") {
    const contents = await contentsAt(group, "group", undefined, signal);
    return textAt(group.attributes, "encoding-type") === "anndata"
      ? withEmbeddings(contents, group)
      : contents;
  }
  const kind = await nodeKind(group, signal);
  try {
    return await openKind(group, kind, target, signal, openers);
  } catch (error) {
    // For example, a level of the image is missing. The group exists, so its contents can be listed.
    signal.throwIfAborted();
    if (!isZarrError(error, "NotFound", "InvalidMetadata", "Unsupported", "UnknownCodec")) throw error;
    const problem = text.sources.unshown(nameOfKind(kind.kind), error.message);
    return { ...(await contentsAt(group, "group", undefined, signal, [problem])), unusable: [] };
  }
}

async function openKind(
  group: ZarrGroup,
  kind: Kind,
  target: SourceTarget,
  signal: AbortSignal,
  openers: Openers,
): Promise<Opened> {
  const collection = async () => (await collecting()).imageCollection(group, kind);
  const below = (path: string) => (group.path === "" ? path : `${group.path}/${path}`);
  switch (kind.kind) {
    case "image": {
      const { images, isLabel } = kind;
      const title = targetName(target);
      const { multiscaleDataset } = await import("./multiscale.js");
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
      const [first] = paths;
      if (first === undefined) return contentsAt(group, kind.kind, undefined, signal);
      const opened = await openers.path(below(first));
      return opened.kind === "dataset" ? { ...opened, collection } : opened;
    }
    case "plate": {
      const { Plate: PlateOf } = await import("./plate.js");
      return { kind: "plate", plate: await PlateOf.of(kind, below, signal), group, notes: [] };
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
      return openers.array(kind.array);
    case "spatialdata": {
      const { spatialComposition } = await composing();
      const found = await spatialComposition(group, target.address ?? target.source, signal);
      const opened = found && (await openers.path(below(found.path)));
      if (opened?.kind !== "dataset") {
        const notes = kind.contents.how === "probed" ? [text.compose.unlisted] : [];
        return contentsAt(group, kind.kind, kind.contents, signal, notes);
      }
      const { dataset } = opened;
      const hints = { ...dataset.hints, layers: found!.layers };
      return { ...opened, dataset: { ...dataset, title: targetName(target), hints } };
    }
    case "mudata": {
      const { modalities } = await composing();
      for (const path of await modalities(group, signal)) {
        const opened = await ifReadable(openers.path(below(path)), signal);
        if (opened?.kind === "dataset") return opened;
      }
      return contentsAt(group, kind.kind, kind.contents, signal);
    }
    case "anndata": {
      const { annDataOpening } = await composing();
      const opened = await ifReadable(annDataOpening(group, signal), signal);
      if (opened) return opened;
      return withEmbeddings(await contentsAt(group, kind.kind, kind.contents, signal), group);
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

/** Contents that offer the embeddings of AnnData. */
const withEmbeddings = (contents: Opened, group: ZarrGroup): Opened => {
  const embeddings = async (later: AbortSignal) =>
    (await import("./embedding.js")).embeddingsOf(group, later);
  return { ...contents, embeddings } as Opened;
};

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
  return !variable || found ? [] : [unusable("variable", variable, listOf(names, text.sources.noVariable))];
}

/** How to show points and shapes of SpatialData, which have no picture of their own. */
function layerHint({ attributes, path }: ZarrGroup): string | undefined {
  const [, what] = /^ngff:(points|shapes)$/.exec(textAt(attributes, "encoding-type") ?? "") ?? [];
  return what && text.sources.overPicture(what === "points", path);
}

function nameOfKind(kind: string): string {
  const { kinds } = text.sources;
  return Object.hasOwn(kinds, kind) ? kinds[kind as keyof typeof kinds] : kinds.group;
}

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

/** Messages about parts of a target that its source does not have. */
export function misplaced({ kind, unusable: known }: Opened, { variable, plate }: SourceTarget): string[] {
  const noVariable = variable ? [unusable("variable", variable, text.sources.noVariables)] : [];
  const noPlate = plate && kind !== "plate" ? [unusable("plate", plate, text.sources.noPlate)] : [];
  return [...new Set([...(known ?? noVariable), ...noPlate])];
}

/**
 * A folder that is not a node but contains some: a single one is opened, several are listed. A URL that ends with .zarr
 * names a node.
 */
export async function nodesUnder(
  source: Source,
  context: OpenContext,
  openTarget: (target: SourceTarget, context: OpenContext) => Promise<Opened>,
): Promise<Opened | undefined> {
  const { signal } = context;
  if (source instanceof HttpStore && /\.zarr\/?$/i.test(source.url.pathname)) return undefined;
  const store = typeof source === "string" || source instanceof URL ? undefined : source;
  const paths = store ? await (await import("./browse.js")).nodesBelow(store, signal).catch(() => []) : [];
  signal.throwIfAborted();
  if (paths.length === 0) return undefined;
  const note = text.sources.contains;
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

/** Undefined if the array is not an embedding that can be shown. */
export async function openEmbedding(
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
