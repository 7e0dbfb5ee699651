/** Sizes of cells, by which means inside areas are weighted. */

import { radians } from "../../conventions/shared/degrees.js";
import type { Labels } from "../labelled.js";
import type { JointTable } from "../tables.js";
import { cellLengths } from "../weights.js";
import type { Surface } from "./areas.js";
import type { Point } from "./converted-cells.js";
import type { PlaceAxis } from "./place-axis.js";
import { ScatteredCells } from "./scattered-cells.js";

/** Returns the relative sizes of all cells along their axes, as factors; none if all are equal. */
export async function cellSizes(
  { areDegrees, cells }: Surface,
  labels: Labels,
  signal: AbortSignal | undefined,
): Promise<JointTable<Float64Array>[]> {
  if (cells instanceof ScatteredCells)
    return cells.shape.length === 2 ? [{ axes: cells.axes, values: curvilinearSizes(cells) }] : [];
  const { x, y } = cells;
  const positions = ({ coordinates, length }: PlaceAxis) =>
    Float64Array.from({ length }, (_, i) => coordinates.at(i));
  const latitude = (await labels.coordinates()).find(({ name }) => areDegrees && name === y.names[0]);
  const sizes = [
    { axes: x.axes, values: await cellLengths(positions(x), undefined, false, signal) },
    { axes: y.axes, values: await cellLengths(positions(y), latitude, areDegrees, signal) },
  ];
  return sizes.filter(({ values }) => !isEven(values));
}

/** Whether sizes are equal up to the rounding of float32 coordinates. */
const isEven = (sizes: Float64Array): boolean => {
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return sizes.every((size) => Math.abs(size - mean) <= 1e-3 * mean);
};

type Vector = readonly [number, number, number];

/** Returns the areas that the neighbours of cells span, on the sphere or on the plane; 0 for cells without coordinates. */
function curvilinearSizes(cells: ScatteredCells): Float64Array {
  const [rows, columns] = cells.shape as Point;
  const vectorAt = (row: number, column: number): Vector => {
    const isCell = row >= 0 && row < rows && column >= 0 && column < columns;
    const [x, y] = isCell ? cells.at(row * columns + column) : [Number.NaN, Number.NaN];
    if (!cells.areDegrees) return [x, y, 0];
    const [east, north] = [x * radians, y * radians];
    return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  };
  /** Returns the extent of a cell between its neighbours that have coordinates. */
  const extent = (at: Vector, before: Vector, after: Vector): Vector => {
    const from = Number.isNaN(before[0]) ? at : before;
    const to = Number.isNaN(after[0]) ? at : after;
    const steps = from !== at && to !== at ? 2 : 1;
    return [(to[0] - from[0]) / steps, (to[1] - from[1]) / steps, (to[2] - from[2]) / steps];
  };
  return Float64Array.from({ length: rows * columns }, (_, cell) => {
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    const at = vectorAt(row, column);
    const [a, b, c] = extent(at, vectorAt(row, column - 1), vectorAt(row, column + 1));
    const [d, e, f] = extent(at, vectorAt(row - 1, column), vectorAt(row + 1, column));
    return Math.hypot(b * f - c * e, c * d - a * f, a * e - b * d) || 0;
  });
}
