/** Places the cursor and the marked rectangle over a plane. */
import type { Point } from "../input/gestures.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Cell } from "./cell-reading.js";
import {
  cellBounds,
  cellCentre,
  isLine,
  type PlaneContent,
  planeExtent,
  visibleRectangle,
} from "./plane-geometry.js";

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
