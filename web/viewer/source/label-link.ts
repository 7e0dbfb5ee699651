/** Labels positioned by their image: a transformation between their coordinate systems (OME-Zarr 0.6). */
import type { ZarrGroup } from "zarr-wasm";
import { coordinateGraph, multiscales, type OmeMultiscale } from "zarr-wasm/conventions";

/**
 * Labels in the coordinates of their image.
 * @param path of the labels, from the image's group.
 * @returns the unchanged labels if the two differ by more than scales and translations, or have no
 *   connection.
 * @throws as `coordinateGraph` and its `between` do.
 */
export async function inImage(group: ZarrGroup, path: string, labels: OmeMultiscale): Promise<OmeMultiscale> {
  const graph = await coordinateGraph(group);
  if (!graph.spaces.some((space) => space.path === path)) return labels;
  const to = { name: multiscales(group)[0]!.intrinsic };
  const { matrix } = await graph.between({ path, name: labels.intrinsic }, to);
  const rank = labels.axes.length;
  const isAligned =
    matrix?.length === rank &&
    matrix.every((row, i) => row.every((value, k) => k === i || k === rank || value === 0));
  if (!isAligned) return labels;
  const levels = labels.levels.map((level) => ({
    ...level,
    scale: level.scale?.map((scale, i) => scale * matrix[i]![i]!),
    translation: level.translation?.map((start, i) => start * matrix[i]![i]! + matrix[i]![rank]!),
  }));
  return { ...labels, levels };
}
