/**
 * Reads axes and coordinate systems of OME-Zarr. Spec: "axes", and since 0.6 "coordinateSystems"; RFC-4 for
 * orientations.
 */

import { asString, isRecord, ownProperty } from "../../util/arguments.js";
import { unsupported } from "../../util/errors.js";
import { badAttribute, finiteNumber } from "../shared/attributes.js";

/** One dimension of an image's levels, or of another coordinate system. */
export interface OmeAxis {
  readonly name: string;
  /** "space", "time", "channel" or another type; undefined if not stated. */
  readonly type: string | undefined;
  /** Unit of the scale and the translation along this axis, such as "micrometer". */
  readonly unit: string | undefined;
  /** Descriptive name (0.6). */
  readonly longName?: string;
  /** Whether the axis is discrete, without positions between elements, as for channels (0.6). */
  readonly discrete?: boolean;
  /** Orientation, such as { type: "anatomical", value: "left-to-right" } (RFC-4). */
  readonly orientation?: { readonly type: string | undefined; readonly value: string };
}

/** A coordinate system with its axes (0.6). */
export interface OmeCoordinateSystem {
  readonly name: string;
  readonly axes: readonly OmeAxis[];
}

/** Axes of versions 0.1 and 0.2, which do not state them. */
const impliedAxes = ["t", "c", "z", "y", "x"];

/** Axis types by name, for versions without types. */
const typeOfName: ReadonlyMap<string, string> = new Map([
  ["t", "time"],
  ["c", "channel"],
  ["z", "space"],
  ["y", "space"],
  ["x", "space"],
]);

/** @param mayBeImplied whether axes may be absent: the version always has the same ones. */
export function readAxes(axes: unknown, where: string, mayBeImplied = false): OmeAxis[] {
  const list = axes === undefined && mayBeImplied ? impliedAxes : axes;
  const what = `${where}: "axes" must be a list of 1 to 32 axes, with unique names`;
  if (!Array.isArray(list) || list.length === 0 || list.length > 32) throw badAttribute(what, axes);
  const read = list.map((axis: unknown): OmeAxis => {
    const name = typeof axis === "string" ? axis : ownProperty(axis, "name");
    if (typeof name !== "string" || name === "") throw badAttribute(what, axes);
    const type = typeof axis === "string" ? typeOfName.get(axis) : asString(ownProperty(axis, "type"));
    return { name, type, unit: asString(ownProperty(axis, "unit")), ...details(axis) };
  });
  if (new Set(read.map(({ name }) => name)).size < read.length) throw badAttribute(what, axes);
  return read;
}

/** Returns rarely used properties; malformed ones are omitted. */
function details(axis: unknown): Pick<OmeAxis, "longName" | "discrete" | "orientation"> {
  const longName = asString(ownProperty(axis, "longName"));
  const discrete = ownProperty(axis, "discrete");
  const orientation = ownProperty(axis, "orientation");
  const value = asString(ownProperty(orientation, "value"));
  return {
    ...(longName === undefined ? {} : { longName }),
    ...(typeof discrete === "boolean" ? { discrete } : {}),
    ...(value === undefined
      ? {}
      : { orientation: { type: asString(ownProperty(orientation, "type")), value } }),
  };
}

/** Maximum number of coordinate systems of one image or scene. */
const maxSystems = 1000;

/** @throws InvalidMetadata unless the value is a list of coordinate systems with unique names. */
export function readCoordinateSystems(list: unknown, where: string): OmeCoordinateSystem[] {
  const what = `${where}: "coordinateSystems" must be a list of 1 to ${maxSystems}, with unique names`;
  if (!Array.isArray(list) || list.length === 0 || list.length > maxSystems) throw badAttribute(what, list);
  const systems = list.map((system: unknown, i) => {
    const name = asString(ownProperty(system, "name"));
    if (name === undefined || name === "") throw badAttribute(what, system);
    const place = `${where}.coordinateSystems[${i}]`;
    return { name, axes: readAxes(ownProperty(system, "axes"), place) };
  });
  if (new Set(systems.map(({ name }) => name)).size < systems.length) throw badAttribute(what, list);
  return systems;
}

/** One step: positions are multiplied by the scale, or the translation is added to them. */
export type Transform =
  | { readonly type: "scale"; readonly values: readonly number[] }
  | { readonly type: "translation"; readonly values: readonly number[] };

/**
 * Reads a list of transformations; identities are omitted.
 *
 * @param rank number of axes, and thus of values in each transformation.
 * @param of "level": exactly one scale, then at most one translation (spec 0.4 and 0.5). "whole": the list of
 *   an image, which may be absent.
 * @throws InvalidMetadata for a list that does not follow the specification; Unsupported for transformations
 *   that are stored as arrays.
 */
export function readTransforms(
  list: unknown,
  rank: number,
  where: string,
  of: "level" | "whole",
): Transform[] {
  if (list === undefined && of === "whole") return [];
  const place = `${where}: "coordinateTransformations"`;
  if (!Array.isArray(list) || !list.every(isRecord))
    throw badAttribute(`${place} must be a list of objects`, list);
  const steps = list.flatMap((entry) => readTransform(entry, rank, place));
  if (of === "level") checkLevel(steps, place, list);
  return steps;
}

function readTransform(entry: unknown, rank: number, place: string): Transform[] {
  // SpatialData adds entries that lead to its own coordinate systems; they are not part of this sequence.
  return isRecord(ownProperty(entry, "output")) ? [] : readStep(entry, rank, place);
}

/** Reads a scale or a translation; identity gives no step. */
function readStep(entry: unknown, rank: number, place: string): Transform[] {
  const type = ownProperty(entry, "type");
  if (type === "identity") return [];
  if (type !== "scale" && type !== "translation")
    throw badAttribute(`${place} must be of type scale, translation or identity`, type);
  if (ownProperty(entry, "path") !== undefined) {
    throw unsupported(`${place}: a ${type} stored as an array is not supported`, {
      code: "unsupported-ome",
    });
  }
  const values = ownProperty(entry, type);
  const numbers = Array.isArray(values) ? values.map(finiteNumber) : [];
  const valid = numbers.length === rank && numbers.every((value) => value !== undefined);
  if (!valid) throw badAttribute(`${place}: a ${type} must have ${rank} numbers, one per axis`, values);
  return [{ type, values: numbers as number[] }];
}

/**
 * Returns the name of the coordinate system that a level's transformation leads to (0.6); undefined if there
 * is none.
 */
export function outputName(list: unknown): string | undefined {
  const output = ownProperty(Array.isArray(list) ? list[0] : undefined, "output");
  return asString(output) ?? asString(ownProperty(output, "name")); // drafts of 0.6 have only the name
}

/**
 * Reads the only transformation of a level: identity, a scale, or a sequence of a scale and a translation
 * (spec 0.6).
 * @throws InvalidMetadata for any other.
 */
export function readLevelTransform(list: unknown, rank: number, where: string): Transform[] {
  const place = `${where}: "coordinateTransformations"`;
  const [only] = Array.isArray(list) && list.length === 1 ? (list as unknown[]) : [];
  const isSequence = ownProperty(only, "type") === "sequence";
  const parts = isSequence ? ownProperty(only, "transformations") : [only];
  if (Array.isArray(parts) && parts.length === (isSequence ? 2 : 1) && parts.every(isRecord)) {
    const steps = parts.flatMap((part) => readStep(part, rank, place));
    const order = steps.map(({ type }) => type).join();
    if (order === (isSequence ? "scale,translation" : "scale") || (!isSequence && order === "")) return steps;
  }
  throw badAttribute(
    `${place} of a level must be one: identity, a scale, or a sequence of a scale and a translation`,
    list,
  );
}

function checkLevel(steps: readonly Transform[], place: string, list: unknown): void {
  const order = steps.map(({ type }) => type).join();
  if (order === "scale" || order === "scale,translation") return;
  throw badAttribute(`${place} of a level must be one scale and at most one translation after it`, list);
}

/** Combines steps, in order, into one scale and one translation: position = index · scale + translation. */
export function combine(
  steps: readonly Transform[],
  rank: number,
): { scale: readonly number[]; translation: readonly number[] } {
  const scale = new Array<number>(rank).fill(1);
  const translation = new Array<number>(rank).fill(0);
  for (const { type, values } of steps) {
    values.forEach((value, axis) => {
      if (type === "scale") {
        scale[axis]! *= value;
        translation[axis]! *= value;
      } else translation[axis]! += value;
    });
  }
  return { scale, translation };
}

/**
 * A coordinate system: by `name`, with the `path` of its image's group if that is another group; or, by
 * `path` alone, the indices of a level's array. A string is a name.
 */
export type CoordinateReference =
  | string
  | { readonly name?: string | undefined; readonly path?: string | undefined };

/** A coordinate system, or the indices of an array. */
export interface CoordinateSpace {
  /** Undefined for an array. */
  readonly name: string | undefined;
  /** Path of the image or array, relative to the group of the graph; "" for that group itself. */
  readonly path: string;
  /** Axes; for an array, those of its image's intrinsic coordinate system. */
  readonly axes: readonly OmeAxis[];
}

/** An entry of `coordinateTransformations`. */
export interface CoordinateTransformation {
  /** "scale", "affine", "displacements", …; may be a type that this library does not support. */
  readonly type: string;
  readonly name: string | undefined;
  readonly input: CoordinateSpace;
  readonly output: CoordinateSpace;
}

/** A mapping from one coordinate system to another. */
export interface CoordinateMapping {
  readonly input: CoordinateSpace;
  readonly output: CoordinateSpace;
  /** Transformations of the mapping, in order, and whether each is inverted. */
  readonly steps: readonly { readonly transformation: CoordinateTransformation; readonly inverse: boolean }[];
  /**
   * The upper rows of a matrix in homogeneous coordinates: one row per output axis, with one factor per input
   * axis and then an offset. Undefined if a step is a vector field.
   */
  readonly matrix: readonly (readonly number[])[] | undefined;
  /**
   * Maps points to the output.
   * @param points coordinates of one point after the other, one per axis of the input.
   * @returns one coordinate per axis of the output; NaN for points outside a vector field.
   * @throws InvalidArgument if the number of coordinates is not a multiple of the input axes.
   */
  apply(points: ArrayLike<number>): Float64Array;
}

export interface MappingOptions {
  /** Interpolation of vector fields. Default: as stated in their metadata. */
  interpolation?: "linear" | "nearest" | undefined;
  /** Maximum size in bytes of the vector fields of one mapping, as float64. Default: 256 MiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The coordinate systems of an image or a scene. */
export interface CoordinateGraph {
  /** Coordinate systems of the group first, then of the images that it refers to. */
  readonly spaces: readonly CoordinateSpace[];
  readonly transformations: readonly CoordinateTransformation[];
  /**
   * Returns the mapping from one coordinate system to another over the fewest transformations; of several
   * such paths, the one whose transformations are listed first. Transformations that have an inverse are also
   * used inverted. Reads parameters that are stored as arrays, and vector fields.
   * @throws NotFound for an unknown coordinate system, and if no path exists (no-transformation); Unsupported if the
   *   only path needs an inverse that does not exist (not-invertible), and for unknown types and interpolations;
   *   InvalidMetadata for invalid transformations; LimitExceeded; the errors of `open` and `get`.
   */
  between(
    from: CoordinateReference,
    to: CoordinateReference,
    options?: MappingOptions,
  ): Promise<CoordinateMapping>;
}
