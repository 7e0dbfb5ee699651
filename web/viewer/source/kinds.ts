/**
 * Determines the kind of a node, and thus how it is shown: an array, an OME-Zarr image, a plate, an xarray
 * dataset, … Attributes decide; members only if the attributes do not. A node with an invalid declaration is
 * shown as a plain group, with the reason.
 */

import { isZarrError, type Member, type OpenedNode, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { dimensionsOf, fieldPaths, multiscales, type OmeMultiscale, wellPaths } from "zarr-wasm/conventions";
import { text } from "../language/text.js";
import { omeAttributes, own, pathBelow, pathsOfLayout, textAt, wordsAt } from "./attributes.js";
import type { Contents } from "./browse.js";
import { isPosition } from "./coordinates.js";
import { ifReadable } from "./nodes.js";
import type { PlateKind } from "./plate.js";

/** An array of a dataset. */
export interface Variable {
  readonly name: string;
  readonly array: ZarrArray;
  readonly dimensions: readonly string[] | undefined;
}

export type Kind =
  | { readonly kind: "array"; readonly array: ZarrArray }
  /** An OME-Zarr image; usually a single one. */
  | { readonly kind: "image"; readonly images: readonly OmeMultiscale[]; readonly isLabel: boolean }
  /** Several images, from bioformats2raw, a scene, or SpatialData's `images`: paths from the group. */
  | { readonly kind: "images"; readonly paths: readonly string[] }
  | PlateKind
  | { readonly kind: "well"; readonly fields: readonly string[] }
  /** The group `labels` of an image: paths of its label images. */
  | { readonly kind: "labels"; readonly paths: readonly string[] }
  /**
   * Arrays with named dimensions. `first` is the default; coordinates, bounds and the like are not variables.
   */
  | {
      readonly kind: "dataset";
      readonly variables: readonly Variable[];
      readonly coordinates: readonly Variable[];
      readonly first: Variable;
      readonly contents: Contents;
    }
  /** The same dataset at several resolutions (GeoZarr, ndpyramid): paths of groups from the attributes. */
  | { readonly kind: "levels"; readonly paths: readonly string[] }
  | { readonly kind: "anndata" | "mudata" | "spatialdata" | "dataframe"; readonly contents: Contents }
  /** Anything else; `problem` explains an invalid declaration. */
  | { readonly kind: "group"; readonly contents: Contents; readonly problem: string | undefined };

/** Maximum number of arrays opened in a group to determine its kind. */
const maxArrays = 200;

/** Maximum number of images probed in a bioformats2raw layout without a list. */
const maxSeries = 64;

/**
 * Determines the kind of a node.
 * @throws errors of the store.
 */
export async function nodeKind(node: OpenedNode, signal?: AbortSignal): Promise<Kind> {
  if (node.kind === "array") return { kind: "array", array: node };
  let problem: string | undefined;
  try {
    const known = (await omeKind(node, signal)) ?? levelsKind(node);
    if (known) return known;
  } catch (error) {
    if (!isZarrError(error, "InvalidMetadata", "Unsupported")) throw error;
    problem = error.message;
  }
  // Images, the most common kind, do not need it.
  const { folderContents } = await import("./browse.js");
  const contents = await folderContents(node, signal);
  const encoding = textAt(node.attributes, "encoding-type");
  if (encoding === "dataframe") return { kind: "dataframe", contents };
  if (encoding === "anndata") return { kind: "anndata", contents };
  if (encoding === "MuData") return { kind: "mudata", contents };
  if (own(node.attributes, "spatialdata_attrs") !== undefined && contents.members.some(isSpatialPart))
    return { kind: "spatialdata", contents };
  const levels = await plainLevels(node, contents, signal);
  if (levels) return { kind: "levels", paths: levels };
  return (await datasetKind(node, contents, signal)) ?? { kind: "group", contents, problem };
}

const isSpatialPart = ({ name }: Member): boolean => /^(images|labels|points|shapes|tables?)$/.test(name);

async function omeKind(group: ZarrGroup, signal: AbortSignal | undefined): Promise<Kind | undefined> {
  const ome = omeAttributes(group.attributes);
  const images = own(ome, "multiscales");
  if (images !== undefined && !isGeographic(images))
    return { kind: "image", images: multiscales(group), isLabel: own(ome, "image-label") !== undefined };
  const wells = wellPaths(group);
  if (wells) return (await import("./plate.js")).plateKind(own(ome, "plate"), wells, signal);
  const fields = fieldPaths(group);
  if (fields) return { kind: "well", fields };
  if (own(ome, "bioformats2raw.layout") !== undefined) {
    const paths = await findSeries(group, signal);
    return paths.length > 0 ? { kind: "images", paths } : undefined;
  }
  const scene = sceneImages(own(ome, "scene"));
  if (scene.length > 0) return { kind: "images", paths: scene };
  const labels = own(ome, "labels");
  if (Array.isArray(labels)) {
    const paths = labels.map(pathBelow).filter((path) => path !== undefined);
    return paths.length > 0 ? { kind: "labels", paths } : undefined;
  }
  return undefined;
}

/** Images combined by a scene (0.6): those whose coordinate systems its transformations name. */
function sceneImages(scene: unknown): string[] {
  const list = own(scene, "coordinateTransformations");
  const ends = Array.isArray(list)
    ? list.flatMap((one) => [own(one, "input"), own(one, "output")].map((end) => pathBelow(own(end, "path"))))
    : [];
  return [...new Set(ends.filter((path) => path !== undefined))];
}

/** Images of a bioformats2raw layout: those listed in `OME`, otherwise 0, 1, … until one is missing. */
async function findSeries(group: ZarrGroup, signal: AbortSignal | undefined): Promise<string[]> {
  const listed = await openIfThere(group, "OME", signal);
  const series = listed?.kind === "group" ? own(omeAttributes(listed.attributes), "series") : undefined;
  if (Array.isArray(series) && series.length > 0)
    return series.map(pathBelow).filter((path) => path !== undefined);
  const paths: string[] = [];
  while (
    paths.length < maxSeries &&
    (await openIfThere(group, String(paths.length), signal))?.kind === "group"
  )
    paths.push(String(paths.length));
  return paths;
}

async function openIfThere(
  group: ZarrGroup,
  path: string,
  signal: AbortSignal | undefined,
): Promise<OpenedNode | undefined> {
  try {
    return await group.open(path, { signal });
  } catch (error) {
    if (isZarrError(error, "NotFound")) return undefined;
    throw error;
  }
}

/**
 * Whether `multiscales` follow another convention: an object (GeoZarr), or map tiles (ndpyramid), whose
 * levels are groups.
 */
function isGeographic(images: unknown): boolean {
  if (!Array.isArray(images)) return pathsOfLayout(images).length > 0;
  const datasets = own(images[0], "datasets");
  const dataset: unknown = Array.isArray(datasets) ? datasets[0] : undefined;
  return ["crs", "pixels_per_tile"].some((name) => own(dataset, name) !== undefined);
}

function levelsKind({ attributes }: ZarrGroup): Kind | undefined {
  const images = own(attributes, "multiscales");
  if (images === undefined || !isGeographic(images)) return undefined;
  const datasets = Array.isArray(images) ? own(images[0], "datasets") : undefined;
  const listed = Array.isArray(datasets) ? datasets.map((entry) => pathBelow(own(entry, "path"))) : [];
  const paths = [...listed.filter((path) => path !== undefined), ...pathsOfLayout(images)];
  return paths.length > 0 ? { kind: "levels", paths: [...new Set(paths)] } : undefined;
}

/** Names of the levels of a pyramid without metadata: 0, 1, 2 or s0, s1, s2. */
const levelName = /^(?:s|level_?|scale_?)?(\d{1,2})$/i;
/** Maximum number of levels that are compared. */
const maxLevels = 16;

/** Paths of arrays that are numbered from 0, of the same type, each about half as long as the one before it, or equal. */
async function plainLevels(
  group: ZarrGroup,
  { members }: Contents,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  const count = members.length;
  if (
    count < 2 ||
    count > maxLevels ||
    members.some(({ name, kind }) => kind !== "array" || !levelName.test(name))
  )
    return undefined;
  const number = ({ name }: Member) => Number(levelName.exec(name)![1]);
  const sorted = [...members].sort((a, b) => number(a) - number(b));
  if (sorted.some((one, i) => number(one) !== i)) return undefined;
  const found = await Promise.all(sorted.map(({ name }) => variableAt(group, name, signal)));
  const arrays = found.flatMap((variable) => (variable ? [variable.array] : []));
  const isLevel = (array: ZarrArray, i: number) => i === 0 || isHalf(arrays[i - 1]!, array);
  return arrays.length === count && arrays.every(isLevel) ? sorted.map(({ name }) => name) : undefined;
}

function isHalf(fine: ZarrArray, coarse: ZarrArray): boolean {
  if (fine.dtype.name !== coarse.dtype.name || fine.shape.length !== coarse.shape.length) return false;
  const ratios = coarse.shape.map((length, axis) => [fine.shape[axis]!, length] as const);
  // Odd lengths are rounded up or down.
  const isHalved = ratios.filter(([from, to]) => from > 1 && Math.abs(from - 2 * to) <= 1);
  return isHalved.length > 0 && ratios.every(([from, to]) => from === to || Math.abs(from - 2 * to) <= 1);
}

/** Attributes with which an array names auxiliary arrays: CF 1.11, sections 5, 7 and 5.6. */
const referring = [
  ...["coordinates", "bounds", "climatology", "grid_mapping", "cell_measures", "formula_terms"],
  // UGRID
  ...["mesh", "node_coordinates", "edge_coordinates", "face_coordinates"],
  ...["edge_node_connectivity", "face_node_connectivity", "face_edge_connectivity", "face_face_connectivity"],
];

async function datasetKind(
  group: ZarrGroup,
  contents: Contents,
  signal: AbortSignal | undefined,
): Promise<Kind | undefined> {
  const listed = contents.members.filter(({ kind }) => kind === "array");
  const arrays = listed.slice(0, maxArrays);
  const opened = await Promise.all(arrays.map(({ name }) => variableAt(group, name, signal)));
  const all = opened.filter((variable) => variable !== undefined);
  const named = all.filter(({ dimensions }) => dimensions !== undefined);
  if (!named.some(({ dimensions }) => dimensions!.length > 0)) return undefined;
  const referred = new Set(
    [group, ...all.map(({ array }) => array)].flatMap(({ attributes }) => [
      ...referredBy(attributes),
      ...wordsAt(own(attributes, "dggs"), "coordinate"),
    ]),
  );
  const names = new Set(all.map(({ name }) => name));
  const isAuxiliary = ({ name, dimensions, array }: Variable) =>
    referred.has(name) ||
    isPosition(array) ||
    isBoundsOf(name, names) ||
    (dimensions?.length === 1 && dimensions[0] === name) ||
    (array.shape.length === 0 && own(array.attributes, "grid_mapping_name") !== undefined);
  const variables = all.filter((variable) => !isAuxiliary(variable));
  const coordinates = all.filter(isAuxiliary);
  const first = mostInformative(variables) ?? mostInformative(coordinates);
  const left = listed.length - arrays.length;
  const note = text.sources.arrays(listed.length, maxArrays);
  const told = left > 0 ? { ...contents, note: [contents.note, note].filter(Boolean).join(" ") } : contents;
  return first && { kind: "dataset", variables, coordinates, first, contents: told };
}

/** Bounds without a reference are recognised by name: `lat_bnds` for `lat`. */
const isBoundsOf = (name: string, others: ReadonlySet<string>): boolean => {
  const [, of] = /^(.+)_(?:bnds?|bounds|vertices)$/i.exec(name) ?? [];
  return of !== undefined && others.has(of);
};

const referredBy = (attributes: unknown): string[] =>
  referring.flatMap((name) => wordsAt(attributes, name)).filter((word) => !word.endsWith(":"));

/** Undefined for an unreadable one, which must not hide the others. */
async function variableAt(
  group: ZarrGroup,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Variable | undefined> {
  const array = await ifReadable(group.open(name, { kind: "array", signal }), signal);
  return array && { name, array, dimensions: dimensionsOf(array) };
}

/**
 * The numeric variable with the most dimensions longer than 1, then with the most dimensions; the first of
 * several. Flags are chosen only if no other has two dimensions, text only if nothing is numeric.
 */
function mostInformative(variables: readonly Variable[]): Variable | undefined {
  const isNumeric = ({ array }: Variable) => /^(u?int|b?float|complex|bool)/.test(array.dtype.core);
  const spans = ({ array }: Variable) => array.shape.filter((length) => length > 1).length;
  const numbers = variables.filter(isNumeric);
  const pictures = numbers.filter((variable) => spans(variable) >= 2 && !isFlag(variable));
  const [candidates] = [pictures, numbers, variables].filter((list) => list.length > 0);
  const rank = ({ array }: Variable) => array.shape.length;
  // Sorting is stable: of equal ones, the first comes first.
  return [...(candidates ?? [])].sort((a, b) => spans(b) - spans(a) || rank(b) - rank(a))[0];
}

/** Masks and flags are data, but not the best choice for the first view. */
const isFlag = ({ array }: Variable): boolean => own(array.attributes, "flag_meanings") !== undefined;
