/** The space of an image whose axes are sheared or turned (OME-Zarr 0.6). */
import { coordinateGraph, isZarrError, type OmeMultiscale, type ZarrGroup } from "zarr-wasm";

/** Maximum size of parameters that are stored as arrays, in bytes; vector fields are larger. */
const maxBytes = 4096;
/** Maximum number of coordinate systems that are tried. */
const maxSystems = 16;

/**
 * The matrix from the intrinsic coordinate system to the first other one to which an affine transformation leads.
 * @returns rows without offsets, one for each axis of the image; undefined if there is none, if it only scales the axes,
 *   or if the other system has axes of other names
 */
export async function imageAffine(
  group: ZarrGroup,
  { intrinsic, coordinateSystems = [], axes }: OmeMultiscale,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly number[])[] | undefined> {
  for (const { name } of coordinateSystems.slice(0, maxSystems)) {
    if (name === intrinsic) continue;
    try {
      const graph = await coordinateGraph(group);
      const { matrix, output } = await graph.between({ name: intrinsic }, { name }, { maxBytes, signal });
      const places = axes.map((axis) => output.axes.findIndex((other) => other.name === axis.name));
      const rows = places.map((place) => matrix?.[place]?.slice(0, -1) ?? []);
      const isSquare = matrix?.length === axes.length && rows.every((row) => row.length === axes.length);
      if (isSquare && rows.some((row, i) => row.some((value, k) => i !== k && value !== 0))) return rows;
    } catch (error) {
      if (!isZarrError(error)) throw error;
    }
  }
  return undefined;
}
