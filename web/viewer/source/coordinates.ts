/**
 * Properties of an axis that need no reading: from its name, its array's attributes, or a scale and
 * translation.
 */
import type { ZarrArray } from "zarr-wasm";
import { own, textAt } from "./attributes.js";
import type { AxisCoordinates, AxisRole, DatasetAxis } from "./dataset.js";

/** Evenly spaced coordinates. */
export function linearCoordinates(first: number, step: number): AxisCoordinates {
  return { kind: "numbers", at: (index) => first + index * step, read: async () => {} };
}

/** An axis with only a name. */
export const plainAxis = (name: string | undefined, length: number): DatasetAxis => ({
  name,
  length,
  role: name === undefined ? undefined : roleOfName(name),
});

/**
 * Whether an array declares that it holds latitudes or longitudes, of any number of dimensions. Spec: CF
 * 1.11, 4.1 and 4.2.
 */
export function isPosition(array: ZarrArray): boolean {
  const role = axisRole(undefined, array);
  return role === "latitude" || role === "longitude";
}

/** Spec: CF conventions 1.11, section 4 "Coordinate types". */
export function axisRole(name: string | undefined, { attributes, dtype }: ZarrArray): AxisRole | undefined {
  const [units, standard] = [textAt(attributes, "units"), textAt(attributes, "standard_name")];
  if (standard === "latitude" || /^degrees?_?n(orth)?$/i.test(units ?? "")) return "latitude";
  if (standard === "longitude" || /^degrees?_?e(ast)?$/i.test(units ?? "")) return "longitude";
  if (standard === "projection_y_coordinate" || standard === "grid_latitude") return "y";
  if (standard === "projection_x_coordinate" || standard === "grid_longitude") return "x";
  if (dtype.core === "datetime64" || /^\s*\S+\s+since\s/i.test(units ?? "") || standard === "time")
    return "time";
  if (own(attributes, "positive") !== undefined) return "z";
  const axis = textAt(attributes, "axis")?.toUpperCase();
  const byName = name === undefined ? undefined : roleOfName(name);
  const roles: Readonly<Record<string, AxisRole>> = { X: "x", Y: "y", Z: "z", T: "time" };
  return byName ?? (axis === undefined ? undefined : roles[axis]);
}

const names: Readonly<Record<string, AxisRole>> = {
  lat: "latitude",
  latitude: "latitude",
  lon: "longitude",
  long: "longitude",
  longitude: "longitude",
  x: "x",
  easting: "x",
  y: "y",
  northing: "y",
  z: "z",
  lev: "z",
  level: "z",
  depth: "z",
  height: "z",
  plev: "z",
  isobaricinhpa: "z",
  time: "time",
};

export const roleOfName = (name: string): AxisRole | undefined =>
  Object.hasOwn(names, name.toLowerCase()) ? names[name.toLowerCase()] : undefined;
