/** The space of an image whose axes are sheared or turned (OME-Zarr 0.6). */
import { coordinateGraph, isZarrError, type OmeMultiscale, type ZarrGroup } from "zarr-wasm";

/** Maximum size of parameters that are stored as arrays, in bytes; vector fields are larger. */
const maxBytes = 4096;

/**
 * The matrix from the intrinsic coordinate system to the first other one to which an affine transformation leads.
 * @returns rows without offsets; undefined if there is none, or it only scales the axes
 */
export async function imageAffine(
  group: ZarrGroup,
  { intrinsic, coordinateSystems = [], axes }: OmeMultiscale,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly number[])[] | undefined> {
  for (const { name } of coordinateSystems) {
    if (name === intrinsic) continue;
    try {
      const graph = await coordinateGraph(group);
      const { matrix } = await graph.between({ name: intrinsic }, { name }, { maxBytes, signal });
      const rows = matrix?.map((row) => row.slice(0, -1));
      const isSquare = rows?.length === axes.length && rows.every((row) => row.length === axes.length);
      if (isSquare && rows.some((row, i) => row.some((value, k) => i !== k && value !== 0))) return rows;
    } catch (error) {
      if (!isZarrError(error)) throw error;
    }
  }
  return undefined;
}
