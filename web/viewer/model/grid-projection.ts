/** Planes of rows and columns at the coordinates of their axes, and world maps that wrap around. */
import type { DatasetAxis } from "../source/dataset.js";
import { type AxisPlaces, equalPlaces, irregularPlaces } from "./axis-places.js";
import type { Rectangle } from "./camera.js";
import type { ElementPosition, Projection, SeenPart } from "./projection.js";

/** Whether the cells of an axis of longitudes cover the globe once. */
export function wrapsAround({ role, scale, length }: DatasetAxis): boolean {
  if (role !== "longitude" || scale === undefined) return false;
  return Math.abs(Math.abs(scale) * length - 360) < Math.abs(scale) / 10;
}

/** @returns undefined if the elements are equal cells that do not wrap around. */
export function gridProjection(shown: readonly DatasetAxis[]): Projection | undefined {
  const places = shown.map((axis) => irregularPlaces(axis) ?? equalPlaces(axis));
  const across = places.at(-1)!;
  const down = shown.length > 1 ? places[0]! : undefined;
  const isPeriodic = down !== undefined && wrapsAround(shown.at(-1)!);
  if (places.every(({ isIdentity }) => isIdentity) && !isPeriodic) return undefined;
  return new GridProjection(down, across, isPeriodic);
}

/** A projection of equal cells in stored order. */
export const equalCells = (shown: readonly DatasetAxis[]): Projection =>
  new GridProjection(equalPlaces(shown[0]!), equalPlaces(shown.at(-1)!), false);

class GridProjection implements Projection {
  readonly axes: readonly DatasetAxis[];
  readonly rows: number;
  readonly columns: number;
  readonly isIdentity: boolean;
  readonly smallest: number;

  constructor(
    private readonly down: AxisPlaces | undefined,
    private readonly across: AxisPlaces,
    readonly isPeriodic: boolean,
  ) {
    this.axes = down ? [down.axis, across.axis] : [across.axis];
    this.rows = down?.axis.length ?? 1;
    this.columns = across.axis.length;
    this.isIdentity = across.isIdentity && (down?.isIdentity ?? true);
    this.smallest = Math.min(across.smallest, down?.smallest ?? 1);
  }

  elementAt(row: number, column: number): ElementPosition | undefined {
    const at = { row: this.#toRow(row), column: this.across.toElement(this.#turned(column)) };
    const isInside = at.row >= 0 && at.row < this.rows && at.column >= 0 && at.column < this.columns;
    return isInside ? at : undefined;
  }

  placeOf({ row, column }: ElementPosition): ElementPosition {
    return { row: this.down ? this.down.toWorld(row) : row, column: this.across.toWorld(column) };
  }

  boundsOf({ top, bottom, left, right }: Rectangle): Rectangle {
    const [start, end] = [
      { row: top, column: left },
      { row: bottom, column: right },
    ].map((at) => this.placeOf(at)) as [ElementPosition, ElementPosition];
    return { top: start.row, bottom: end.row, left: start.column, right: end.column };
  }

  partsIn(world: Rectangle): readonly SeenPart[] {
    const { columns } = this;
    const [from, to] = [Math.max(0, world.top), Math.min(this.rows, world.bottom)];
    if (!(to > from)) return [];
    const part = (left: number, right: number): SeenPart => ({
      elements: {
        top: this.#toRow(from),
        bottom: this.#toRow(to),
        left: this.across.toElement(left),
        right: this.across.toElement(right),
      },
      world: { top: from, bottom: to, left, right },
    });
    if (!this.isPeriodic) {
      const [left, right] = [Math.max(0, world.left), Math.min(columns, world.right)];
      return right > left ? [part(left, right)] : [];
    }
    if (world.right - world.left >= columns) return [part(0, columns)];
    const [left, right] = [this.#turned(world.left), this.#turned(world.right)];
    if (left < right) return [part(left, right)];
    return [part(left, columns), part(0, right)].filter(({ world: { left: a, right: b } }) => b > a);
  }

  raster(world: Rectangle, width: number, height: number): Int32Array {
    const lines = this.rasterLines(world, width, height);
    const cells = new Int32Array(width * height).fill(-1);
    for (let y = 0; y < height; y++) {
      const row = Math.floor(lines.rows[y]!);
      if (row < 0 || row >= this.rows) continue;
      for (let x = 0; x < width; x++) {
        const column = Math.floor(lines.columns[x]!);
        if (column >= 0 && column < this.columns) cells[y * width + x] = row * this.columns + column;
      }
    }
    return cells;
  }

  rasterLines(world: Rectangle, width: number, height: number) {
    const columns = new Float64Array(width);
    for (let x = 0; x < width; x++) {
      const at = world.left + ((x + 0.5) / width) * (world.right - world.left);
      columns[x] = this.across.toElement(this.#turned(at));
    }
    const rows = new Float64Array(height);
    for (let y = 0; y < height; y++)
      rows[y] = this.#toRow(world.top + ((y + 0.5) / height) * (world.bottom - world.top));
    return { rows, columns };
  }

  toColumn(element: number): number {
    return this.across.toWorld(element);
  }

  toElement(column: number): number {
    return this.across.toElement(column);
  }

  columnOf(longitude: number): number | undefined {
    const { role, scale, translation } = this.across.axis;
    if (role !== "longitude" || scale === undefined || translation === undefined) return undefined;
    return this.#turned((longitude - translation) / scale + 0.5);
  }

  #toRow(row: number): number {
    return this.down ? this.down.toElement(row) : row;
  }

  #turned(column: number): number {
    const { columns } = this;
    return this.isPeriodic ? ((column % columns) + columns) % columns : column;
  }
}
