/** Geometry of a displayed plane: its content, the position of its elements on the screen, and of the cursor over them. */
import type { Point } from "../input/gestures.js";
import {
  aligned,
  type Camera,
  fitted,
  inside,
  type Rectangle,
  type Size,
  visible,
  worldAt,
} from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { Projection, SeenPart } from "../model/projection.js";
import type { Interval, ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Tile, TileGap } from "../tiles/tile.js";
import { chooseLevel, type Viewpoint } from "../tiles/tile-selection.js";
import { homeCamera } from "./home-camera.js";

/** A dataset with the state to show. */
export interface PlaneContent {
  readonly dataset: Dataset;
  readonly state: ViewState;
  readonly layers: readonly Layer[];
  /** Layers that will be shown soon: the next slice. */
  readonly next: readonly Layer[];
  /** Whether the slices pass: another one follows soon, and a draft is enough. */
  readonly isPassing?: boolean | undefined;
  readonly aspect: number;
  /** How elements are placed; undefined for equal cells in stored order. */
  readonly projection?: Projection | undefined;
}

/** Numbers of rows and columns. */
export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

export const isLine = ({ state }: Pick<PlaneContent, "state">): boolean => state.axes.length === 1;

/** Whether two planes have the same elements, regardless of camera and colours. */
export function isSamePlane(a: PlaneContent, b: PlaneContent): boolean {
  const key = ({ layers }: PlaneContent) =>
    layers
      .map(({ id, axes, index, field, part, isRaw }) => [id, axes, index, field, part, isRaw].join())
      .join("|");
  return key(a) === key(b) && a.projection === b.projection;
}

/** Size of the whole plane, in elements. */
export function planeExtent({ dataset, state }: Pick<PlaneContent, "dataset" | "state">): Extent {
  const shape = datasetShape(dataset);
  const { axes } = state;
  return { rows: axes.length > 1 ? shape[axes[0]!]! : 1, columns: shape[axes.at(-1)!]! };
}

/** The index along every axis of an element of a plane. */
export function cellIndex({ axes, index }: ViewState, { row, column }: Cell): number[] {
  const full = [...index];
  if (axes.length > 1) full[axes[0]!] = row;
  full[axes.at(-1)!] = column;
  return full;
}

/** Size of the world that is drawn. */
export const worldExtent = (shown: PlaneContent): Extent => shown.projection ?? planeExtent(shown);

/**
 * The viewpoint in a box of a given size; undefined without a size. On a map that wraps around, its coordinates
 * begin at the edge of the map, half a turn west of the centre.
 */
export function resolveViewpoint(shown: PlaneContent, size: Size, ratio: number): Viewpoint | undefined {
  if (size.width === 0 || size.height === 0) return undefined;
  const { dataset, state, aspect, projection } = shown;
  const wanted = state.camera ?? homeCamera(dataset, state, { size, ratio, aspect, projection });
  const shift = projection?.isPeriodic ? shiftOf(wanted, size, projection, ratio) : 0;
  const camera = aligned({ ...wanted, column: wanted.column - shift }, size, ratio, aspect);
  return { camera, size, ratio, aspect, ...(shift === 0 ? {} : { shift }) };
}

/** The first column of a map in view: only maps that leave their stored bounds begin elsewhere. */
function shiftOf(
  { column, scale }: Camera,
  { width }: Size,
  { columns, aspect }: Projection,
  ratio: number,
): number {
  const half = width / scale / 2;
  if (column - half >= 0 && column + half <= columns) return 0;
  // Maps begin at a pixel, so that moving them keeps most pixels.
  const perUnit = aspect === undefined ? 1 : Math.max(1, Math.round(columns * scale * ratio)) / columns;
  return Math.round((column - columns / 2) * perUnit) / perUnit;
}

/**
 * The requested camera, the start of further moves: a viewpoint's camera is rounded to the nearest one that
 * can be drawn.
 */
export const requestedCamera = ({ state }: PlaneContent, { camera, shift = 0 }: Viewpoint): Camera =>
  state.camera ?? { ...camera, column: camera.column + shift };

/** A camera moved to the nearest place with a part of the world in view; around the globe, to the same place. */
export function reachable(shown: PlaneContent, camera: Camera): Camera {
  const { rows, columns } = worldExtent(shown);
  const near = inside(camera, rows, columns);
  if (!shown.projection?.isPeriodic) return near;
  return { ...near, column: ((camera.column % columns) + columns) % columns };
}

/** The parts of the plane in view; undefined if they are the visible rectangle of the world. */
function partsInView({ projection }: PlaneContent, view: Viewpoint): readonly SeenPart[] | undefined {
  if (!projection) return undefined;
  const { top, left, bottom, right } = visible(view.camera, view.size, view.aspect);
  const shift = view.shift ?? 0;
  return projection.partsIn({ top, bottom, left: left + shift, right: right + shift });
}

/** Viewpoints of the elements to read: without a projection the view itself. */
export function readingViews(shown: PlaneContent, view: Viewpoint): readonly Viewpoint[] {
  const parts = partsInView(shown, view);
  if (!parts || parts.length === 0) return [view];
  return parts.map(({ elements, world }) => {
    const { scale } = view.camera;
    const [rows, columns] = [elements.bottom - elements.top, elements.right - elements.left];
    const width = (world.right - world.left) * scale;
    const height = (world.bottom - world.top) * scale * Math.abs(view.aspect);
    const perElement = width / columns;
    const camera = {
      row: (elements.top + elements.bottom) / 2,
      column: (elements.left + elements.right) / 2,
      scale: perElement,
    };
    return { camera, size: { width, height }, ratio: view.ratio, aspect: height / rows / perElement };
  });
}

/** The level to draw. */
export function drawnLevel(shown: PlaneContent, view: Viewpoint): number {
  const { dataset, state } = shown;
  const [down, across] = [state.axes[0]!, state.axes.at(-1)!];
  const isOne = isLine({ state });
  const factors = dataset.levels.map(({ factor }) => [isOne ? 1 : factor[down]!, factor[across]!] as const);
  return chooseLevel(factors, readingViews(shown, view)[0]!);
}

/** The visible elements: the smallest rectangle that holds them, clipped to the plane. */
export function visibleRectangle(shown: PlaneContent, view: Viewpoint): Rectangle {
  const { rows, columns } = planeExtent(shown);
  const parts = partsInView(shown, view)?.map(({ elements }) => elements);
  const seen = parts ?? [visible(view.camera, view.size, view.aspect)];
  return {
    top: Math.max(0, Math.min(...seen.map(({ top }) => top))),
    left: Math.max(0, Math.min(...seen.map(({ left }) => left))),
    bottom: Math.min(rows, Math.max(...seen.map(({ bottom }) => bottom))),
    right: Math.min(columns, Math.max(...seen.map(({ right }) => right))),
  };
}

/** The scale at which the whole plane is in view. */
export function wholeScale({ dataset, state, projection }: PlaneContent, view: Viewpoint): number {
  const all = { ...state, window: state.window.map(() => null) };
  return homeCamera(dataset, all, { ...view, projection }, true).scale;
}

/** The cell at a point of the box; undefined outside the array. */
export function cellAt(shown: PlaneContent, view: Viewpoint, at: Point): Cell | undefined {
  const place = positionInside(shown, view, at);
  return place && { row: Math.floor(place.row), column: Math.floor(place.column) };
}

/** Row and column at a point of the box, as in `positionAt`; undefined outside the array. */
export function positionInside(shown: PlaneContent, view: Viewpoint, at: Point): Cell | undefined {
  const { row, column } = worldAt(view.camera, view.size, at, view.aspect);
  const { rows, columns } = worldExtent(shown);
  const isInside = (isLine(shown) || (row >= 0 && row < rows)) && column >= 0 && column < columns;
  return isInside ? positionAt(shown, view, at) : undefined;
}

/**
 * Row and column at a point of the box; the fraction is the position inside the cell. Undefined outside a projection;
 * equal cells continue beyond the array.
 */
export function positionAt(shown: PlaneContent, view: Viewpoint, at: Point): Cell | undefined {
  const { row, column } = worldPlace(view, at);
  const place = { row: isLine(shown) ? 0.5 : row, column };
  return shown.projection ? shown.projection.elementAt(place.row, column) : place;
}

/** The inverse of `positionAt`: the point of the box at a position between the corners of cells. */
export function pointAt(shown: PlaneContent, view: Viewpoint, position: Cell): Point {
  const { row, column } = shown.projection?.placeOf(position) ?? position;
  return worldPoint(view, { row, column: column + turnIntoView(shown, view, column) });
}

/** Bounds of a cell in the box, in CSS pixels; `top` is above `bottom`. */
function cellBounds(shown: PlaneContent, view: Viewpoint, { row, column }: Cell): Rectangle {
  const { camera, size, aspect } = view;
  const elements = { top: row, left: column, bottom: row + 1, right: column + 1 };
  const { top, bottom, left, right } = worldBounds(shown, view, elements);
  const y = [top, bottom].map((at) => size.height / 2 + (at - camera.row) * camera.scale * aspect);
  return {
    top: Math.min(...y),
    bottom: Math.max(...y),
    left: size.width / 2 + (left - camera.column) * camera.scale,
    right: size.width / 2 + (right - camera.column) * camera.scale,
  };
}

/** Bounds of a rectangle of elements in the coordinates of a view. */
function worldBounds(shown: PlaneContent, view: Viewpoint, elements: Rectangle): Rectangle {
  if (!shown.projection) return elements;
  const bounds = shown.projection.boundsOf(elements);
  const move = turnIntoView(shown, view, (bounds.left + bounds.right) / 2) - (view.shift ?? 0);
  return { ...bounds, left: bounds.left + move, right: bounds.right + move };
}

/** Distance by which a column of the world must be moved into view: whole turns around the globe. */
function turnIntoView({ projection }: PlaneContent, { shift = 0 }: Viewpoint, column: number): number {
  if (!projection?.isPeriodic) return 0;
  const { columns } = projection;
  const isInView = column >= shift && column <= shift + columns;
  return isInView ? 0 : columns * Math.ceil((shift - column) / columns);
}

/** A position of the world, which stays the same when the view moves. */
export interface WorldPlace {
  readonly row: number;
  readonly column: number;
}

export function worldPlace({ camera, size, aspect, shift = 0 }: Viewpoint, at: Point): WorldPlace {
  const { row, column } = worldAt(camera, size, at, aspect);
  return { row, column: column + shift };
}

/** The inverse of `worldPlace`. */
export const worldPoint = (
  { camera, size, aspect, shift = 0 }: Viewpoint,
  { row, column }: WorldPlace,
): Point => ({
  x: size.width / 2 + (column - shift - camera.column) * camera.scale,
  y: size.height / 2 + (row - camera.row) * camera.scale * aspect,
});

/** Position of an element's centre in the box. */
export function cellCentre(shown: PlaneContent, view: Viewpoint, cell: Cell): Point {
  const { top, bottom, left, right } = cellBounds(shown, view, cell);
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

/** Centre of an element in the world. */
export function worldCentre({ projection }: PlaneContent, { row, column }: Cell): Cell {
  const cell = { top: row, left: column, bottom: row + 1, right: column + 1 };
  const { top, bottom, left, right } = projection?.boundsOf(cell) ?? cell;
  return { row: (top + bottom) / 2, column: (left + right) / 2 };
}

/** The whole elements between two points of the box: rows and columns. */
export function markedIntervals(
  shown: PlaneContent,
  view: Viewpoint,
  [a, b]: readonly [Point, Point],
): [rows: Interval, columns: Interval] {
  const [from, to] = [a, b].map((at) => worldAt(view.camera, view.size, at, view.aspect));
  const { rows, columns } = planeExtent(shown);
  const interval = (x: number, y: number, length: number): Interval => {
    const first = Math.min(Math.max(0, Math.floor(Math.min(x, y))), length - 1);
    return [first, Math.max(first + 1, Math.min(length, Math.floor(Math.max(x, y)) + 1))];
  };
  return [interval(from!.row, to!.row, rows), interval(from!.column, to!.column, columns)];
}

/** The camera that fits the rectangle between two points of the box. */
export function markedCamera(view: Viewpoint, [a, b]: readonly [Point, Point]): Camera {
  const { camera, size, ratio, aspect, shift = 0 } = view;
  const [from, to] = [a, b].map((at) => worldAt(camera, size, at, aspect)) as [Cell, Cell];
  const rectangle = {
    top: Math.min(from.row, to.row),
    bottom: Math.max(from.row, to.row),
    left: Math.min(from.column, to.column) + shift,
    right: Math.max(from.column, to.column) + shift,
  };
  return fitted(rectangle, size, ratio, aspect, false);
}

/** An element of the plane, in elements of level 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The value of an element in one layer. */
export interface Reading {
  readonly layer: Layer;
  readonly tile: Tile;
  /** Position in the tile. */
  readonly row: number;
  readonly column: number;
  readonly gap: TileGap | undefined;
}

/** @param at a position in elements of the layer. @param tile contains it */
export function readCell(layer: Layer, tile: Tile, { row, column }: Cell): Reading {
  const { world, plane } = tile;
  const place = (at: number, from: number, to: number, count: number) =>
    Math.min(Math.floor(((at - from) / (to - from)) * count), count - 1);
  const own = {
    row: place(row, world.top, world.bottom, plane.rows),
    column: place(column, world.left, world.right, plane.columns),
  };
  const gap = tile.gaps.find(
    ({ rows, columns }) =>
      own.row >= rows[0] && own.row < rows[1] && own.column >= columns[0] && own.column < columns[1],
  );
  return { layer, tile, ...own, gap };
}

/** Moves the cursor to an element. */
export function placeCursor({ style }: HTMLElement, cell: Cell, shown: PlaneContent, view: Viewpoint): void {
  const { top, bottom, left, right } = cellBounds(shown, view, cell);
  const isWholeHeight = isLine(shown);
  style.width = `${right - left}px`;
  style.height = `${isWholeHeight ? view.size.height : bottom - top}px`;
  style.left = `${left}px`;
  style.top = isWholeHeight ? "0" : `${top}px`;
}

/** Draws the marked rectangle between two points. */
export function placeMark(
  { style }: HTMLElement,
  [a, b]: readonly [Point, Point],
  isWholeHeight: boolean,
): void {
  style.left = `${Math.min(a.x, b.x)}px`;
  style.top = isWholeHeight ? "0" : `${Math.min(a.y, b.y)}px`;
  style.width = `${Math.abs(a.x - b.x)}px`;
  style.height = isWholeHeight ? "100%" : `${Math.abs(a.y - b.y)}px`;
}

/** The cell a number of rows and columns away; without a start, the centre of the view. */
export function movedCell(
  shown: PlaneContent,
  view: Viewpoint,
  from: Cell | undefined,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Cell {
  const extent = planeExtent(shown);
  const clamp = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
  if (from)
    return { row: clamp(from.row + rows, extent.rows), column: clamp(from.column + columns, extent.columns) };
  const seen = visibleRectangle(shown, view);
  const middle = (a: number, b: number, count: number) => clamp(Math.ceil((a + b) / 2) - 1, count);
  return {
    row: middle(seen.top, seen.bottom, extent.rows),
    column: middle(seen.left, seen.right, extent.columns),
  };
}

/** Distance by which the view must move, in CSS pixels, to bring a cell well inside it. */
export function distanceInto(shown: PlaneContent, view: Viewpoint, cell: Cell): { dx: number; dy: number } {
  const at = cellCentre(shown, view, cell);
  const { width, height } = view.size;
  const out = (x: number, most: number) => (x < 0 ? x - most / 4 : x > most ? x - most + most / 4 : 0);
  return { dx: out(at.x, width), dy: isLine(shown) ? 0 : out(at.y, height) };
}
