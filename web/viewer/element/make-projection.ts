/** Makes the projection of a plane. */
import { gridProjection } from "../model/grid-projection.js";
import { meshProjection } from "../model/mesh-projection.js";
import { mapPositions, type Projection } from "../model/projection.js";
import type { ViewState } from "../model/state.js";
import type { Dataset, GridPositions } from "../source/dataset.js";

export { Warping } from "../draw/warp.js";
export { equalCells } from "../model/grid-projection.js";

/** @returns `isFinal` false if coordinates have not been read, so that it must be made again */
export function makeProjection(
  dataset: Dataset,
  state: Pick<ViewState, "axes" | "places">,
): { projection: Projection | undefined; isFinal: boolean } {
  const positions = mapPositions(dataset, state);
  if (positions)
    return { projection: meshOf(dataset, positions, state.axes), isFinal: positions.known !== undefined };
  const shown = state.axes.map((axis) => {
    const plain = dataset.axes[axis]!;
    return state.places === "index" && plain.scale === undefined
      ? { ...plain, coordinates: undefined }
      : plain;
  });
  const isRead = shown.every(
    ({ coordinates, length }) =>
      !coordinates || (coordinates.at(0) !== undefined && coordinates.at(length - 1) !== undefined),
  );
  return { projection: gridProjection(shown), isFinal: isRead };
}

function meshOf(dataset: Dataset, positions: GridPositions, axes: readonly number[]): Projection | undefined {
  if (!positions.known) return undefined;
  const [rows, columns] = axes.map((axis) => dataset.axes[axis]!.length) as [number, number];
  const { longitudes, latitudes } = positions.known;
  if (positions.axes[0] === axes[0]) return meshProjection({ rows, columns, longitudes, latitudes });
  const turned = (values: Float64Array) =>
    values.map((_, at) => values[(at % columns) * rows + Math.floor(at / columns)]!);
  return meshProjection({ rows, columns, longitudes: turned(longitudes), latitudes: turned(latitudes) });
}
