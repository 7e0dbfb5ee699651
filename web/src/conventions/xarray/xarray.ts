/**
 * Labelled arrays as stored by xarray: dimension names, and the arrays that hold their coordinates. Spec:
 * xarray user guide "Zarr encoding specification"; CF conventions 1.11, section 5 "Coordinate systems".
 */

import type { ZarrArray } from "../../hierarchy/array.js";
import type { ZarrGroup } from "../../hierarchy/group.js";
import { isSegment } from "../../store/path.js";
import { asString, checkSignalIn, ownProperty } from "../../util/arguments.js";
import { isZarrError } from "../../util/errors.js";
import { checkNode } from "../shared/attributes.js";

/** An array that holds coordinates of another array. */
export interface Coordinate {
  /** Name of the array in the group. */
  readonly name: string;
  /** Names of the array's own dimensions, which are dimensions of the other array. */
  readonly dimensions: readonly string[];
  /** Whether the array has the name of its only dimension, and so labels that dimension. */
  readonly isIndex: boolean;
  readonly array: ZarrArray;
}

/** Maximum number of names in a `coordinates` attribute. */
const maxNames = 64;

/**
 * Returns the names of an array's dimensions: `dimension_names` of Zarr v3, xarray's `_ARRAY_DIMENSIONS`, or
 * NCZarr's `_nczarr_array`; undefined if a dimension has no name.
 */
export function dimensionsOf(array: ZarrArray): readonly string[] | undefined {
  checkNode(array, "an array");
  const { attributes, dimensionNames, shape } = array;
  if (shape.length === 0) return [];
  const names = dimensionNames ?? netcdfDimensions(attributes);
  const valid = names?.length === shape.length && names.every((name) => typeof name === "string");
  return valid ? (names as readonly string[]) : undefined;
}

const degreesOf = { longitude: /^degrees?_?(e|east)$/i, latitude: /^degrees?_?(n|north)$/i } as const;

/** Whether an array's numbers are degrees east or north. */
export function measures({ attributes }: ZarrArray, what: "longitude" | "latitude"): boolean {
  if (ownProperty(attributes, "standard_name") === what) return true;
  return degreesOf[what].test(asString(ownProperty(attributes, "units")) ?? "");
}

/** NCZarr names dimensions by absolute paths; the last segment is the name. */
function netcdfDimensions(attributes: ZarrArray["attributes"]): (string | null)[] | undefined {
  const references = ownProperty(ownProperty(attributes, "_nczarr_array"), "dimension_references");
  if (!Array.isArray(references)) return undefined;
  return references.map((path: unknown) => asString(path)?.split("/").at(-1) ?? null);
}

/**
 * Opens the arrays that hold coordinates of an array: those with the names of its dimensions, and those
 * listed in its attribute `coordinates` or the group's, if they exist in the group and lie along its
 * dimensions.
 *
 * @param group the group that contains the array.
 * @returns coordinates in the order of the dimensions, then of the attributes.
 * @throws the errors of `ZarrGroup.open`, except for missing arrays.
 */
export async function coordinatesOf(
  group: ZarrGroup,
  array: ZarrArray,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<Coordinate[]> {
  checkNode(group, "a group");
  checkSignalIn(options);
  const dimensions = dimensionsOf(array) ?? [];
  const names = [
    ...dimensions,
    ...namesIn(ownProperty(array.attributes, "coordinates")),
    ...namesIn(ownProperty(group.attributes, "coordinates")),
  ];
  const usable = [...new Set(names)].filter((name) => isSegment(name));
  const found = await Promise.all(usable.map((name) => openCoordinate(group, name, dimensions, options)));
  return found.filter((coordinate) => coordinate !== undefined);
}

/** Returns the names that an attribute lists. */
export function namesIn(attribute: unknown): string[] {
  return (asString(attribute)?.split(/\s+/) ?? []).filter((name) => name !== "").slice(0, maxNames);
}

async function openCoordinate(
  group: ZarrGroup,
  name: string,
  along: readonly string[],
  options: { signal?: AbortSignal | undefined },
): Promise<Coordinate | undefined> {
  let array: ZarrArray;
  try {
    array = await group.open(name, { ...options, kind: "array" });
  } catch (error) {
    if (isZarrError(error, "NotFound")) return undefined;
    throw error;
  }
  const dimensions = dimensionsOf(array);
  if (!dimensions?.every((dimension) => along.includes(dimension))) return undefined;
  const isIndex = dimensions.length === 1 && dimensions[0] === name;
  return { name, dimensions, isIndex, array };
}
