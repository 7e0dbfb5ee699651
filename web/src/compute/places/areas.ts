/** Polygons and rectangles: checks them, and finds the cells whose centres lie inside. */

import { firstPosition } from "../../conventions/sel/coordinates.js";
import { revolution } from "../../conventions/shared/degrees.js";
import { noCell } from "../../engine/box-reduction.js";
import type { AxisRange } from "../../plan/selection.js";
import { isRecord } from "../../util/arguments.js";
import { describeValue, invalidArgument, limitExceeded } from "../../util/errors.js";
import type { Steps } from "../../util/slices.js";
import type { Span } from "../axes.js";
import type { Point } from "./converted-cells.js";
import type { PlaceAxis } from "./place-axis.js";
import { ScatteredCells } from "./scattered-cells.js";

/** [x, y], as in GeoJSON; a third number is ignored. */
export type Position = readonly number[];

/** A part of the plane of longitudes and latitudes, or of x and y. */
export type Area =
  /** [west, south, east, north]; in degrees, west may be greater than east. */
  | readonly [number, number, number, number]
  /** A ring of positions, open or closed. */
  | readonly Position[]
  /** GeoJSON: a Polygon, or a MultiPolygon. The type is a string so that imported JSON files fit. */
  | {
      readonly type: string;
      readonly coordinates: readonly (readonly Position[] | readonly (readonly Position[])[])[];
    }
  /** GeoJSON: a Feature with one of them. */
  | { readonly type: string; readonly geometry: unknown; readonly id?: string | number | undefined };

/** A grid whose cells have an x and a y. */
export interface Surface {
  readonly areDegrees: boolean;
  /** Converts the vertices of areas. */
  readonly convert: (point: Point) => Point;
  readonly cells: ScatteredCells | { readonly x: PlaceAxis; readonly y: PlaceAxis };
}

/** Cells of areas along some axes of an array. */
export interface AreaCells {
  readonly axes: readonly number[];
  /** Indices along each of these axes. */
  readonly ranges: readonly AxisRange[];
  /** Numbers of areas by cell in C order; several if areas overlap. */
  readonly tables: readonly Uint32Array[];
}

/** Maximum number of entries of all tables: 128 MiB. */
const maxEntries = 2 ** 25;
/** Maximum number of edges of all rings of a shape. */
const maxEdges = 2 ** 23;
/** Maximum number of edges that all rows of cells together visit for a shape: some seconds. */
const maxVisits = 2 ** 26;
/** Vertices converted, and edges or cells visited in one step. */
const [stepVertices, stepVisits] = [2 ** 8, 2 ** 12];
/** The pole belongs to areas that reach it, unlike points on other northern edges. */
const abovePole = 90 + 2 ** -40;

/** Returns the areas of an argument that may be one or several. */
export function listAreas(inside: unknown): { areas: readonly unknown[]; isList: boolean } {
  const first: unknown = Array.isArray(inside) ? inside[0] : undefined;
  const isPosition = Array.isArray(first) && first.length < 4 && typeof first[0] === "number";
  const isList = Array.isArray(inside) && inside.length > 0 && typeof first !== "number" && !isPosition;
  return isList ? { areas: inside, isList } : { areas: [inside], isList: false };
}

/** Returns the rings of an area. @throws InvalidArgument. */
function ringsOf(area: unknown): readonly unknown[] {
  if (isRecord(area)) {
    const { type, coordinates, geometry } = area as Record<string, unknown>;
    if (type === "Feature" && !(isRecord(geometry) && geometry["type"] === "Feature"))
      return ringsOf(geometry);
    if (type === "Polygon" && Array.isArray(coordinates)) return coordinates;
    if (type === "MultiPolygon" && Array.isArray(coordinates)) return coordinates.flat(1);
  } else if (Array.isArray(area) && area.length === 4 && typeof area[0] === "number") {
    const [west, south, east, north] = area as unknown as readonly [number, number, number, number];
    return [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
      ],
    ];
  } else if (Array.isArray(area)) return [area];
  const forms = "a GeoJSON Polygon, MultiPolygon or Feature, a ring of [x, y], or [west, south, east, north]";
  throw invalidArgument(`an area must be ${forms}, got ${describeValue(area)}`);
}

/** The edges of an area: x and y of the lower end, then of the upper end. */
export interface Shape {
  readonly edges: Float64Array;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/**
 * @param convert converts vertices to the coordinates of the grid.
 * @throws InvalidArgument, LimitExceeded.
 */
export function* shapeOf(area: unknown, { areDegrees, convert }: Omit<Surface, "cells">): Steps<Shape> {
  const rings = ringsOf(area);
  const crosses = areDegrees && Array.isArray(area) && area.length === 4 && area[0] > area[2];
  if (rings.length === 0)
    throw invalidArgument("a polygon must have a ring of at least 3 positions, got none");
  const count = rings.reduce<number>((sum, ring) => sum + (Array.isArray(ring) ? ring.length : 0), 0);
  if (count > maxEdges)
    throw limitExceeded(`an area has ${count} vertices, more than the limit of ${maxEdges}`);
  const edges = new Float64Array(4 * count);
  const limit = areDegrees ? 2 * revolution : Number.MAX_VALUE;
  const vertexAt = (ring: readonly unknown[], i: number): Point => {
    const [x, y]: unknown[] = Array.isArray(ring[i]) ? ring[i] : [];
    if (typeof x === "number" && typeof y === "number") {
      const vertex = convert([crosses && x === area[2] ? x + revolution : x, y]);
      if (vertex.every((value) => Math.abs(value) <= limit))
        return areDegrees && vertex[1] === 90 ? [vertex[0], abovePole] : vertex;
    }
    throw invalidArgument(
      `vertex ${i} must be [x, y]${areDegrees ? " in degrees" : ""}, got [${describeValue(x)}, ${describeValue(y)}]`,
    );
  };
  let length = 0;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    if (!Array.isArray(ring) || ring.length < 3)
      throw invalidArgument(
        `a ring must have at least 3 positions, got ${Array.isArray(ring) ? ring.length : describeValue(ring)}`,
      );
    let [x1, y1] = vertexAt(ring, ring.length - 1);
    for (let i = 0; i < ring.length; i++) {
      if (i % stepVertices === 0) yield;
      const [x2, y2] = vertexAt(ring, i);
      if (y1 !== y2) {
        edges.set(y1 < y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1], length);
        length += 4;
        [west, east] = [Math.min(west, x1, x2), Math.max(east, x1, x2)];
        [south, north] = [Math.min(south, y1, y2), Math.max(north, y1, y2)];
      }
      [x1, y1] = [x2, y2];
    }
  }
  return { edges: edges.subarray(0, length), west, south, east, north };
}

/** Rows of cells by rising y; the cells of a row have rising x. */
interface Rows {
  /** Number of cells in each row. */
  readonly width: number;
  readonly west: number;
  readonly east: number;
  y(row: number): number;
  /** Returns the rows from one y up to, not including, another, and perhaps some beside them. */
  between(low: number, high: number): Span;
  /** Returns the first cell of a row whose x is at least a value; the width if there is none. */
  column(row: number, x: number): number;
}

function rowsOf(cells: Surface["cells"]): Rows {
  if (cells instanceof ScatteredCells) {
    const { points } = cells;
    const x = (row: number) => cells.at(points.at(row))[0];
    let [west, east] = [Infinity, -Infinity];
    for (let row = 0; row < points.length; row++)
      [west, east] = [Math.min(west, x(row)), Math.max(east, x(row))];
    return {
      ...{ width: 1, west, east },
      y: (row) => cells.at(points.at(row))[1],
      between: (low, high) => points.between(low, high),
      column: (row, least) => (x(row) >= least ? 0 : 1),
    };
  }
  const [x, y] = [cells.x.view, cells.y.view];
  return {
    width: x.length,
    west: x.at(0),
    east: x.at(x.length - 1),
    y: (row) => y.at(row),
    between: (low, high) => ({ from: firstPosition(y, low), to: firstPosition(y, high) }),
    column: (_, least) => firstPosition(x, least),
  };
}

/** Rows and columns that a shape spans. Longitudes count modulo 360: the shape is shifted by whole turns. */
interface Window {
  readonly area: number;
  readonly shape: Shape;
  readonly shift: number;
  readonly rows: Span;
  readonly columns: Span;
}

function windowsOf(shape: Shape, area: number, rows: Rows, areDegrees: boolean): Window[] {
  const { west, south, east, north } = shape;
  if (!(rows.west <= rows.east) || !(west <= east)) return [];
  const span = rows.between(south, north);
  const [first, last] = areDegrees
    ? [Math.ceil((rows.west - east) / revolution), Math.floor((rows.east - west) / revolution)]
    : [0, 0];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const shift = (first + i) * revolution;
    const isOne = rows.width === 1;
    const columns = isOne
      ? { from: 0, to: 1 }
      : { from: rows.column(0, west + shift), to: rows.column(0, east + shift) };
    return { area, shape, shift, rows: span, columns };
  }).filter(({ columns, rows: own }) => own.from < own.to && columns.from < columns.to);
}

/**
 * Finds the cells of areas by the even-odd rule. A cell on an edge lies inside if the area is to its right or above it.
 * @throws LimitExceeded; the errors of {@link shapeOf}.
 */
export function* cellsInside(surface: Surface, areas: readonly unknown[]): Steps<AreaCells> {
  const { areDegrees, cells } = surface;
  const rows = rowsOf(cells);
  const windows: Window[] = [];
  for (const [i, area] of areas.entries())
    windows.push(...windowsOf(yield* shapeOf(area, surface), i, rows, areDegrees));
  if (cells instanceof ScatteredCells) {
    const layers = new Layers(cells.count);
    for (const window of windows)
      yield* fill(window, rows, (row) => layers.add(cells.points.at(row), window.area));
    const ranges = cells.shape.map((length) => rangeFrom(0, length));
    return { axes: cells.axes, ranges, tables: layers.tables };
  }
  const { x, y } = cells;
  const across = rangeAround(
    x,
    windows.map((window) => window.columns),
  );
  const down = rangeAround(
    y,
    windows.map((window) => window.rows),
  );
  const isRowMajor = y.axis < x.axis;
  const [byRow, byColumn] = isRowMajor ? [across.count, 1] : [1, down.count];
  const layers = new Layers(across.count * down.count);
  for (const window of windows)
    yield* fill(window, rows, (row, column) => {
      const cell = (y.index(row) - down.start) * byRow + (x.index(column) - across.start) * byColumn;
      layers.add(cell, window.area);
    });
  const inOrder = <T>(ofY: T, ofX: T): T[] => (isRowMajor ? [ofY, ofX] : [ofX, ofY]);
  return { axes: inOrder(y.axis, x.axis), ranges: inOrder(down, across), tables: layers.tables };
}

/**
 * Visits the cells of a window that lie inside its shape: marks the first cell to the right of each crossing of an edge with
 * a row; cells after an odd number of marks lie inside.
 */
function* fill(window: Window, rows: Rows, add: (row: number, column: number) => void): Steps<void> {
  const { shape, shift, columns } = window;
  const { edges } = shape;
  const [width, count] = [columns.to - columns.from, window.rows.to - window.rows.from];
  const marks = new Uint8Array(width * count);
  let visits = 0;
  for (let at = 0; at < edges.length; at += 4) {
    const [x1, y1, x2, y2] = [edges[at]! + shift, edges[at + 1]!, edges[at + 2]! + shift, edges[at + 3]!];
    const { from, to } = rows.between(y1, y2);
    if (++visits % stepVisits === 0) yield;
    for (let row = from; row < to; row++) {
      if (++visits % stepVisits === 0) yield;
      const y = rows.y(row);
      if (y < y1 || y >= y2) continue;
      const column = rows.column(row, x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) - columns.from;
      if (column < width) marks[(row - window.rows.from) * width + Math.max(0, column)]! ^= 1;
    }
    if (visits > maxVisits)
      throw limitExceeded("a polygon has too many edges for the number of cells; simplify it");
  }
  for (let [at, isInside] = [0, 0]; at < marks.length; at++) {
    if (at % stepVisits === 0) yield;
    if (at % width === 0) isInside = 0;
    isInside ^= marks[at]!;
    if (isInside) add(window.rows.from + Math.floor(at / width), columns.from + (at % width));
  }
}

export const rangeFrom = (start: number, end: number): AxisRange => ({
  start,
  step: 1,
  count: end - start,
  dropped: false,
});

/** Returns the indices of spans of positions; one element if there are none. */
function rangeAround(axis: PlaceAxis, spans: readonly Span[]): AxisRange {
  if (spans.length === 0) return rangeFrom(0, 1);
  const from = spans.reduce((least, span) => Math.min(least, span.from), Infinity);
  const to = spans.reduce((most, span) => Math.max(most, span.to), 0);
  const [first, last] = [axis.index(from), axis.index(to - 1)];
  return rangeFrom(Math.min(first, last), Math.max(first, last) + 1);
}

/** Tables of the numbers of areas; a further one for cells that belong to several. */
class Layers {
  readonly tables: Uint32Array[] = [];

  constructor(private readonly cells: number) {
    this.#grow();
  }

  add(cell: number, area: number): void {
    for (let layer = 0; ; layer++) {
      if (layer === this.tables.length) this.#grow();
      const table = this.tables[layer]!;
      if (table[cell] !== noCell && table[cell] !== area) continue;
      table[cell] = area;
      return;
    }
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
