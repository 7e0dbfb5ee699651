/**
 * Reads axes and coordinate systems of OME-Zarr. Spec: "axes", and since 0.6 "coordinateSystems"; RFC-4 for
 * orientations.
 */
import { own, textOf } from "../../util/own-property.js";
import { badAttribute } from "../shared/attributes.js";

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
  const what = `${where}: "axes" must be a list of 1 to 32 axes, each with a name of its own`;
  if (!Array.isArray(list) || list.length === 0 || list.length > 32)
    throw badAttribute(what, axes, "bad-ome");
  const read = list.map((axis: unknown): OmeAxis => {
    const name = typeof axis === "string" ? axis : own(axis, "name");
    if (typeof name !== "string" || name === "") throw badAttribute(what, axes, "bad-ome");
    const type = typeof axis === "string" ? typeOfName.get(axis) : textOf(own(axis, "type"));
    return { name, type, unit: textOf(own(axis, "unit")), ...details(axis) };
  });
  if (new Set(read.map(({ name }) => name)).size < read.length) throw badAttribute(what, axes, "bad-ome");
  return read;
}

/** Returns rarely used properties; malformed ones are omitted. */
function details(axis: unknown): Pick<OmeAxis, "longName" | "discrete" | "orientation"> {
  const longName = textOf(own(axis, "longName"));
  const discrete = own(axis, "discrete");
  const orientation = own(axis, "orientation");
  const value = textOf(own(orientation, "value"));
  return {
    ...(longName === undefined ? {} : { longName }),
    ...(typeof discrete === "boolean" ? { discrete } : {}),
    ...(value === undefined ? {} : { orientation: { type: textOf(own(orientation, "type")), value } }),
  };
}

/** Maximum number of coordinate systems of one image or scene. */
const maxSystems = 1000;

/** @throws InvalidMetadata unless the value is a list of coordinate systems with unique names. */
export function readCoordinateSystems(list: unknown, where: string): OmeCoordinateSystem[] {
  const what = `${where}: "coordinateSystems" must be a list of 1 to ${maxSystems}, each with a name of its own`;
  if (!Array.isArray(list) || list.length === 0 || list.length > maxSystems)
    throw badAttribute(what, list, "bad-ome");
  const systems = list.map((system: unknown, i) => {
    const name = textOf(own(system, "name"));
    if (name === undefined || name === "") throw badAttribute(what, system, "bad-ome");
    const place = `${where}.coordinateSystems[${i}]`;
    return { name, axes: readAxes(own(system, "axes"), place) };
  });
  if (new Set(systems.map(({ name }) => name)).size < systems.length)
    throw badAttribute(what, list, "bad-ome");
  return systems;
}
