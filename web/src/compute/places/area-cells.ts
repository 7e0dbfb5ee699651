/** Cells whose centres lie inside areas, and the sizes of cells. */

import { noCell } from "../../engine/box-reduction.js";
import type { AxisRange } from "../../plan/selection.js";
import { limitExceeded } from "../../util/errors.js";
import type { Steps } from "../../util/slices.js";
import type { Labels } from "../labelled.js";
import type { JointTable } from "../tables.js";
import { bandSizes, boundsOf, midpoints, sizesBetween } from "../weights.js";
import { ConvertedCells, type Point } from "./converted-cells.js";
import type { GridPart } from "./grid-part.js";
import type { PlaceAxis } from "./place-axis.js";
import { ScatteredCells } from "./scattered-cells.js";
import { Shape } from "./shapes.js";

/** Maximum number of entries of all tables: 128 MiB. */
const maxEntries = 2 ** 25;
/** Cells tested in one step. */
const stepCells = 256;
const radians = Math.PI / 180;

/** Cells of areas along some axes of an array. */
export interface AreaCells {
  readonly axes: readonly number[];
  /** Indices along each of these axes. */
  readonly ranges: readonly AxisRange[];
  /** Numbers of areas by cell in C order; several if areas overlap. */
  readonly tables: readonly Uint32Array[];
}

/** A grid whose cells have an x and a y. */
export interface Surface {
  readonly areDegrees: boolean;
  /** Converts the vertices of areas. */
  readonly convert: (point: Point) => Point;
  readonly cells: ScatteredCells | { readonly x: PlaceAxis; readonly y: PlaceAxis };
}

/** Combines the parts of a grid on a surface. */
export function surfaceOf([first, second]: readonly GridPart[]): Surface {
  const convert = (point: Point) => point;
  if (first instanceof ScatteredCells) return { areDegrees: first.areDegrees, convert, cells: first };
  if (first instanceof ConvertedCells)
    return { areDegrees: false, convert: (point) => first.convert(point), cells: first };
  const [x, y] = [first as PlaceAxis, second as PlaceAxis];
  return { areDegrees: x.coordinates.isLongitude, convert, cells: { x, y } };
}

/** Finds the cells of areas. @throws LimitExceeded; the errors of {@link Shape.make}. */
export function* cellsInside(surface: Surface, areas: readonly unknown[]): Steps<AreaCells> {
  const { areDegrees, convert, cells } = surface;
  const shapes: Shape[] = [];
  for (const area of areas) shapes.push(yield* Shape.make(area, areDegrees, convert));
  if (cells instanceof ScatteredCells) {
    const layers = new Layers(cells.count);
    let tests = 0;
    for (let cell = 0; cell < cells.count; cell++) {
      const [x, y] = cells.at(cell);
      for (const [i, shape] of shapes.entries()) {
        if (tests++ % stepCells === 0) yield;
        if (!shape.spansY(y)) continue;
        yield* shape.enter(y);
        if (shape.contains(x)) layers.add(cell, i);
      }
    }
    const ranges = cells.shape.map((length) => rangeFrom(0, length));
    return { axes: cells.axes, ranges, tables: layers.tables };
  }
  const { x, y } = cells;
  const [columns, rows]: [Uint32Array[], Uint32Array[]] = [[], []];
  for (const shape of shapes) {
    columns.push(yield* indicesIn(x, (value) => shape.spansX(value)));
    rows.push(yield* indicesIn(y, (value) => shape.spansY(value)));
  }
  const [across, down] = [rangeAround(columns), rangeAround(rows)];
  const isRowMajor = y.axis < x.axis;
  const [byRow, byColumn] = isRowMajor ? [across.count, 1] : [1, down.count];
  const layers = new Layers(across.count * down.count);
  for (const [i, shape] of shapes.entries())
    for (const row of rows[i]!) {
      yield* shape.enter(y.coordinates.at(row));
      for (const [n, column] of columns[i]!.entries()) {
        if (n % stepCells === 0) yield;
        if (shape.contains(x.coordinates.at(column)))
          layers.add((row - down.start) * byRow + (column - across.start) * byColumn, i);
      }
    }
  const inOrder = <T>(ofY: T, ofX: T): T[] => (isRowMajor ? [ofY, ofX] : [ofX, ofY]);
  return { axes: inOrder(y.axis, x.axis), ranges: inOrder(down, across), tables: layers.tables };
}

export const rangeFrom = (start: number, end: number): AxisRange => ({
  start,
  step: 1,
  count: end - start,
  dropped: false,
});

function* indicesIn(axis: PlaceAxis, isIn: (value: number) => boolean): Steps<Uint32Array> {
  const found: number[] = [];
  for (let i = 0; i < axis.length; i++) {
    if (i % stepCells === 0) yield;
    if (isIn(axis.coordinates.at(i))) found.push(i);
  }
  return Uint32Array.from(found);
}

/** Returns the range of sorted lists; one element if all are empty. */
function rangeAround(lists: readonly Uint32Array[]): AxisRange {
  const some = lists.filter((list) => list.length > 0);
  if (some.length === 0) return rangeFrom(0, 1);
  const ends = some.map((list) => list.at(-1)! + 1);
  return rangeFrom(Math.min(...some.map((list) => list[0]!)), Math.max(...ends));
}

/** Tables of the numbers of areas; a further one for cells that belong to several. */
class Layers {
  readonly tables: Uint32Array[] = [];

  constructor(private readonly cells: number) {
    this.#grow();
  }

  add(cell: number, area: number): void {
    let layer = 0;
    while (this.tables[layer]?.[cell] !== noCell) if (++layer === this.tables.length) this.#grow();
    this.tables[layer]![cell] = area;
  }

  #grow(): void {
    const entries = this.cells * (this.tables.length + 1);
    if (entries > maxEntries)
      throw limitExceeded(
        `the areas span ${this.cells} cells in ${this.tables.length + 1} layers, more than the limit of ${maxEntries}; pass fewer areas or a coarser level`,
      );
    this.tables.push(new Uint32Array(this.cells).fill(noCell));
  }
}

/** Returns the relative sizes of all cells along their axes, as factors; none if all are equal. */
export async function cellSizes(
  { areDegrees, cells }: Surface,
  labels: Labels,
  signal: AbortSignal | undefined,
): Promise<JointTable<Float64Array>[]> {
  if (cells instanceof ScatteredCells)
    return cells.shape.length === 2 ? [{ axes: cells.axes, values: curvilinearSizes(cells) }] : [];
  const { x, y } = cells;
  const edges = ({ coordinates, length }: PlaceAxis) =>
    midpoints(Float64Array.from({ length }, (_, i) => coordinates.at(i)));
  const latitude = (await labels.coordinates()).find(({ name }) => areDegrees && name === y.names[0]);
  const bounds = (latitude && (await boundsOf(latitude, signal))) ?? edges(y);
  const sizes = [
    { axes: x.axes, values: sizesBetween(edges(x)) },
    { axes: y.axes, values: areDegrees ? bandSizes(bounds) : sizesBetween(bounds) },
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
