/** The coordinate systems of an image: of SpatialData, and since OME-Zarr 0.6 those of its graph. */

import { isZarrError, type ZarrGroup } from "zarr-wasm";
import { coordinateGraph, type OmeMultiscale } from "zarr-wasm/conventions";
import type { Rows } from "#internal";
import { InvalidLayer } from "./features.js";
import type { Spaces } from "./spaces.js";
import { spatialSystems } from "./spatial-transform.js";

/** Maximum size of parameters that are stored as arrays, in bytes; vector fields are larger. */
const maxBytes = 4096;
/** Maximum number of coordinate systems that are tried. */
const maxSystems = 16;

/** @param list the transformations of the image as a whole */
export async function imageSpaces(
  group: ZarrGroup,
  image: OmeMultiscale,
  list: unknown,
  signal: AbortSignal | undefined,
): Promise<Spaces> {
  if (!image.coordinateSystems) {
    const names = image.axes.map(({ name }) => name);
    return { systems: spatialSystems(list, names), isFromEdge: true };
  }
  return { systems: await graphSystems(group, image, signal), isFromEdge: false };
}

/** From the intrinsic coordinate system to the others that have the same axes, in any order. */
async function graphSystems(
  group: ZarrGroup,
  { intrinsic, coordinateSystems = [], axes }: OmeMultiscale,
  signal: AbortSignal | undefined,
): Promise<Spaces["systems"]> {
  const systems = new Map<string, Rows | Error>();
  for (const { name } of coordinateSystems.slice(0, maxSystems)) {
    if (name === intrinsic) continue;
    try {
      const graph = await coordinateGraph(group);
      const { matrix, output } = await graph.between({ name: intrinsic }, { name }, { maxBytes, signal });
      const places = axes.map((axis) => output.axes.findIndex((other) => other.name === axis.name));
      const rows = places.map((place) => matrix?.[place] ?? []);
      if (rows.every((row) => row.length === axes.length + 1)) systems.set(name, rows);
      else if (!matrix) systems.set(name, new InvalidLayer(`its transformation to ${name} is not affine`));
    } catch (error) {
      if (!isZarrError(error)) throw error;
      if (error._tag !== "NotFound") systems.set(name, error);
    }
  }
  return systems;
}

/** The rows, without shifts, of the first system in which the axes are sheared or turned. */
export function shearedRows({ systems }: Spaces): Rows | undefined {
  for (const rows of systems.values()) {
    if (rows instanceof Error) continue;
    const own = rows.map((row) => row.slice(0, -1));
    if (own.some((row, i) => row.some((value, k) => i !== k && value !== 0))) return own;
  }
  return undefined;
}
