/** Geometry of a displayed plane: its content, and the position of its elements on the screen. */

import type { Point } from "../input/gestures.js";
import { aligned, type Camera, type Rectangle, type Size, visible, worldAt } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { Interval, ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { chooseLevel, type Viewpoint } from "../tiles/tile-selection.js";
import type { Cell } from "./cell-reading.js";
import { homeCamera } from "./home-camera.js";

/** A dataset with the state to show. */
export interface PlaneContent {
  readonly dataset: Dataset;
  readonly state: ViewState;
  readonly layers: readonly Layer[];
  /** Layers that will be shown soon: the next slice. */
  readonly next: readonly Layer[];
  readonly aspect: number;
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
  return key(a) === key(b);
}

/** Size of the whole plane. */
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

/** The viewpoint in a box of a given size; undefined without a size. */
export function resolveViewpoint(
  { dataset, state, aspect }: PlaneContent,
  size: Size,
): Viewpoint | undefined {
  if (size.width === 0 || size.height === 0) return undefined;
  const ratio = window.devicePixelRatio || 1;
  const camera = state.camera ?? homeCamera(dataset, state, { size, ratio, aspect });
  return { camera: aligned(camera, size, ratio, aspect), size, ratio, aspect };
}

/**
 * The requested camera, the start of further moves: a viewpoint's camera is rounded to the nearest one that
 * can be drawn.
 */
export const requestedCamera = ({ state }: PlaneContent, view: Viewpoint): Camera =>
  state.camera ?? view.camera;

/** The level to draw. */
export function drawnLevel({ dataset, state }: PlaneContent, view: Viewpoint): number {
  const [down, across] = [state.axes[0]!, state.axes.at(-1)!];
  const isOne = isLine({ state });
  const factors = dataset.levels.map(({ factor }) => [isOne ? 1 : factor[down]!, factor[across]!] as const);
  return chooseLevel(factors, view);
}

/** The visible rectangle, clipped to the plane. */
export function visibleRectangle(shown: PlaneContent, view: Viewpoint): Rectangle {
  const { rows, columns } = planeExtent(shown);
  const { top, left, bottom, right } = visible(view.camera, view.size, view.aspect);
  return {
    top: Math.max(0, top),
    left: Math.max(0, left),
    bottom: Math.min(rows, bottom),
    right: Math.min(columns, right),
  };
}

/** The scale at which the whole plane is in view. */
export function wholeScale({ dataset, state }: PlaneContent, view: Viewpoint): number {
  return homeCamera(dataset, { ...state, window: state.window.map(() => null) }, view, true).scale;
}

/** The cell at a point of the box; undefined outside the array. */
export function cellAt(shown: PlaneContent, view: Viewpoint, at: Point): Cell | undefined {
  const { row, column } = worldAt(view.camera, view.size, at, view.aspect);
  const { rows, columns } = planeExtent(shown);
  const cell = { row: isLine(shown) ? 0 : Math.floor(row), column: Math.floor(column) };
  return cell.row >= 0 && cell.row < rows && cell.column >= 0 && cell.column < columns ? cell : undefined;
}

/** Position of an element's centre in the box. */
export function cellCentre({ camera, size, aspect }: Viewpoint, { row, column }: Cell): Point {
  return {
    x: size.width / 2 + (column + 0.5 - camera.column) * camera.scale,
    y: size.height / 2 + (row + 0.5 - camera.row) * camera.scale * aspect,
  };
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
