/** Compositions: the first embedding of AnnData with a column as colours, the elements of SpatialData over one another. */
import type { ZarrGroup } from "zarr-wasm";
import { omeAttributes, own, pathBelow, textAt, textsAt } from "./attributes.js";
import { entryName, folderContents } from "./browse.js";
import { columnNames } from "./columns.js";
import { embeddingCollection, embeddingDataset, findEmbeddings } from "./embedding.js";
import { ifReadable } from "./nodes.js";
import { tableLinks } from "./observations.js";
import type { Opened } from "./opened.js";

type OpenedDataset = Extract<Opened, { kind: "dataset" }>;

/** The preferred embeddings. */
const preferred = ["X_umap", "X_tsne", "X_pca", "spatial"];
/** Columns that are tried for the colours, and numbers of categories that they may have. */
const maxTried = 24;
const [minCategories, maxCategories] = [2, 100];

/** Maximum number of modalities that are tried. */
const maxModalities = 8;

/** The first embedding of AnnData, coloured by the first column of categories; undefined without an embedding. */
export async function annDataOpening(
  group: ZarrGroup,
  signal: AbortSignal,
): Promise<OpenedDataset | undefined> {
  const found = await findEmbeddings(group, signal);
  const named = preferred.map((name) => found.find(({ path }) => entryName(path) === name));
  const array = [...named, ...found].find((one) => one !== undefined);
  if (!array) return undefined;
  const [dataset, by] = await Promise.all([
    embeddingDataset(array, entryName(array.path), signal),
    firstCategories(group, signal),
  ]);
  if (!dataset) return undefined;
  const hints = { ...dataset.hints, ...(by === undefined ? {} : { by }) };
  const collection = (later: AbortSignal) => embeddingCollection(array, later);
  return { kind: "dataset", dataset: { ...dataset, hints }, path: array.path, notes: [], collection };
}

/** The first column of `obs` with some categories, by metadata alone. */
async function firstCategories(group: ZarrGroup, signal: AbortSignal): Promise<string | undefined> {
  const obs = await ifReadable(group.open("obs", { kind: "group", signal }), signal);
  const names = obs ? columnNames(obs).slice(1, maxTried) : [];
  const counts = await Promise.all(
    names.map((name) => ifReadable(categoryCount(obs!, name, signal), signal)),
  );
  return names.find((_, i) => counts[i]! >= minCategories && counts[i]! <= maxCategories);
}

async function categoryCount(obs: ZarrGroup, name: string, signal: AbortSignal): Promise<number | undefined> {
  const node = await obs.open(name, { signal });
  const isGroup = node.kind === "group" && textAt(node.attributes, "encoding-type") === "categorical";
  const path = isGroup ? `${name}/categories` : textAt(node.attributes, "categories");
  if (path === undefined) return undefined;
  const categories = await obs.open(path, { signal });
  return categories.kind === "array" ? categories.shape[0] : undefined;
}

/** Paths of the modalities of MuData, in the order of its metadata. */
export async function modalities(group: ZarrGroup, signal: AbortSignal): Promise<string[]> {
  const mod = await ifReadable(group.open("mod", { kind: "group", signal }), signal);
  if (!mod) return [];
  const order = textsAt(mod.attributes, "mod-order").filter((name) => pathBelow(name) === name);
  const names =
    order.length > 0 ? order : (await folderContents(mod, signal)).members.map(({ name }) => name);
  return names.slice(0, maxModalities).map((name) => `mod/${name}`);
}

/** Maximum number of elements of SpatialData. */
const maxElements = 31;
const elementKinds = ["images", "labels", "shapes", "points"] as const;
type ElementKind = (typeof elementKinds)[number];

interface Element {
  readonly kind: ElementKind;
  /** Path below the container. */
  readonly path: string;
  /** Names of its coordinate systems. */
  readonly systems: readonly string[];
}

/** The picture of SpatialData, and the layers over it, as settings; undefined without images and labels. */
export interface Composition {
  readonly path: string;
  readonly layers: readonly Readonly<Record<string, unknown>>[];
}

/**
 * The elements of the first coordinate system: the first image, or else the first labels, below the others. The first
 * element of each kind is visible.
 */
export async function spatialComposition(
  group: ZarrGroup,
  source: unknown,
  signal: AbortSignal,
): Promise<Composition | undefined> {
  let naming: Promise<ElementNames> | undefined;
  const namesOf = async (kind: string) => {
    naming ??= elementNames(group, signal);
    return (await naming).get(kind) ?? [];
  };
  const lists = await Promise.all(elementKinds.map((kind) => elementsOf(group, kind, namesOf, signal)));
  const elements = lists.flat().slice(0, maxElements + 1);
  const base =
    elements.find(({ kind }) => kind === "images") ?? elements.find(({ kind }) => kind === "labels");
  if (!base) return undefined;
  const [system] = base.systems;
  const others = elements.filter((one) => one !== base && (!system || one.systems.includes(system)));
  const below = (path: string) => (group.path === "" ? path : `${group.path}/${path}`);
  const layers = others.map(({ kind, path }) => ({
    source,
    path: below(path),
    kind: kind === "images" ? "image" : kind,
    name: entryName(path),
    isOn: kind !== "images" && others.find((one) => one.kind === kind)!.path === path,
    ...(kind === "labels" ? { isOutline: true } : {}),
  }));
  return { path: base.path, layers };
}

async function elementsOf(
  group: ZarrGroup,
  kind: ElementKind,
  namesOf: (kind: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<Element[]> {
  const folder = await ifReadable(group.open(kind, { kind: "group", signal }), signal);
  if (!folder) return [];
  const { members } = await folderContents(folder, signal, () => namesOf(kind));
  const found = await Promise.all(
    members.slice(0, maxElements).map(async ({ name }): Promise<Element[]> => {
      const node = await ifReadable(folder.open(name, { kind: "group", signal }), signal);
      return node ? [{ kind, path: `${kind}/${name}`, systems: systemsOf(node) }] : [];
    }),
  );
  return found.flat();
}

/** Names of the coordinate systems to which an element has a transformation. */
function systemsOf({ attributes }: ZarrGroup): string[] {
  const images = own(omeAttributes(attributes), "multiscales");
  const from: unknown = Array.isArray(images) ? images[0] : attributes;
  const list = own(from, "coordinateTransformations");
  const names = Array.isArray(list) ? list.map((one) => textAt(own(one, "output"), "name")) : [];
  return names.filter((name) => name !== undefined);
}

/** Names of elements by kind. */
type ElementNames = ReadonlyMap<string, readonly string[]>;

/** Maximum size of a document of consolidated metadata. */
const maxBytes = 64 * 2 ** 20;

/**
 * Names of elements in a store that cannot list. spatialdata's consolidated metadata of Zarr v2 may lack the dot in
 * their name; else the tables name the labels and shapes that they annotate.
 */
async function elementNames(group: ZarrGroup, signal: AbortSignal): Promise<ElementNames> {
  const { store, path, zarrFormat } = group;
  const key = `${path === "" ? "" : `/${path}`}/zmetadata` as const;
  const reading = zarrFormat === 2 ? store.get(key, { signal, maxBytes }) : Promise.resolve(undefined);
  const document = await ifReadable(Promise.resolve(reading), signal);
  const names = new Map<string, Set<string>>();
  const add = (kind: string, name: string) => names.set(kind, (names.get(kind) ?? new Set()).add(name));
  for (const known of Object.keys(metadataIn(document))) {
    const [, kind, name] = /^(images|labels|shapes|points)\/([^/]+)\/\.z/.exec(known) ?? [];
    if (kind && name) add(kind, name);
  }
  if (names.size === 0)
    for (const region of await annotated(group, signal))
      for (const kind of ["labels", "shapes"]) add(kind, region);
  return new Map([...names].map(([kind, list]) => [kind, [...list].slice(0, maxElements)]));
}

function metadataIn(document: Uint8Array | undefined): object {
  try {
    const read = own(JSON.parse(new TextDecoder().decode(document)), "metadata");
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {}; // missing or damaged: the names are unknown
  }
}

/** Names of the elements that tables annotate. */
async function annotated(group: ZarrGroup, signal: AbortSignal): Promise<string[]> {
  const opened = (at: string) => ifReadable(group.open(at, { kind: "group", signal }), signal);
  const tables = await opened("tables");
  const listed = textsAt(tables?.attributes, "tables").filter((name) => pathBelow(name) === name);
  const paths = tables ? [...new Set([...listed, "table"])].map((name) => `tables/${name}`) : ["table/table"];
  const found = await Promise.all(paths.slice(0, maxModalities).map(opened));
  return found.flatMap((table) => (table && tableLinks(table)?.regions) ?? []);
}
