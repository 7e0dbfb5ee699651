/** Finds the resolution levels of a dataset, in any supported convention. */
import { isZarrError, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { multiscales, type OmeMultiscale } from "zarr-wasm/conventions";
import { badRequest, cannotShow } from "./failures.js";

/** Arrays of the same data, in any order, and OME-Zarr metadata if there is any. */
export interface Levels {
  readonly arrays: readonly ZarrArray[];
  readonly image?: OmeMultiscale;
}

const mostLevels = 32;

/** @throws Refusal for a group without levels; errors of `open`. */
export async function levelsOf(
  group: ZarrGroup,
  variable: string | undefined,
  signal: AbortSignal,
): Promise<Levels> {
  const listed = own(group.attributes, "multiscales");
  const isOme = own(own(group.attributes, "ome"), "multiscales") !== undefined || Array.isArray(listed);
  if (isOme && variable === undefined) return omeLevels(group, signal);
  const paths = listed === undefined ? [] : pathsOf(listed);
  if (paths.length > 0) return { arrays: await arraysAt(group, paths, variable, signal) };
  if (variable === undefined) throw badRequest("this dataset is a group of arrays: choose one with variable=NAME");
  return { arrays: [await group.open(variable, { kind: "array", signal })] };
}

/** OME-Zarr 0.1 to 0.6. */
async function omeLevels(group: ZarrGroup, signal: AbortSignal): Promise<Levels> {
  const image = multiscales(group)[0]!;
  const arrays = await Promise.all(image.levels.slice(0, mostLevels).map((level) => level.open({ signal })));
  return { arrays, image };
}

/**
 * Paths of the groups or arrays that are levels. GeoZarr lists them as `{ layout: [{ asset: "0" }] }`, or by the
 * matrices of a tile matrix set; ndpyramid as `[{ datasets: [{ path: "0" }] }]`.
 */
function pathsOf(listed: unknown): string[] {
  const lists = [
    [own(listed, "layout"), "asset"],
    [own(listed, "layout"), "group"],
    [own(own(listed, "tile_matrix_set"), "tileMatrices"), "id"],
    [own(Array.isArray(listed) ? listed[0] : undefined, "datasets"), "path"],
  ] as const;
  const names = lists.flatMap(([list, key]) => (Array.isArray(list) ? list.map((entry) => own(entry, key)) : []));
  return names.filter((name) => typeof name === "string").slice(0, mostLevels);
}

/** The array of each level: the level itself, or the variable in its group. */
async function arraysAt(
  group: ZarrGroup,
  paths: string[],
  variable: string | undefined,
  signal: AbortSignal,
): Promise<ZarrArray[]> {
  const found = await Promise.all(paths.map((path) => arrayAt(group, path, variable, signal)));
  const arrays = found.filter((array) => array !== undefined);
  if (arrays.length > 0) return arrays;
  throw variable === undefined
    ? badRequest("the levels of this dataset are groups of arrays: choose one with variable=NAME")
    : cannotShow(`no level of this dataset has an array "${variable}"`);
}

/** The array at a path; undefined if a level lacks the variable. */
async function arrayAt(
  group: ZarrGroup,
  path: string,
  variable: string | undefined,
  signal: AbortSignal,
): Promise<ZarrArray | undefined> {
  try {
    const node = await group.open(variable === undefined ? path : `${path}/${variable}`, { signal });
    return node.kind === "array" ? node : undefined;
  } catch (error) {
    if (isZarrError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** An own property of a value that may not be an object. */
function own(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
