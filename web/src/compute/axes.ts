/**
 * Axes of a reduction: which elements are read along each axis of the array, and which cells of the result each of them
 * belongs to.
 */

import { noCell } from "../engine/box-reduction.js";
import type { AxisGrid } from "../metadata/grid.js";
import type { AxisRange, AxisSelection } from "../plan/selection.js";
import { limitExceeded } from "../util/errors.js";

/** One axis of the array. Positions count the elements of the range that is read. */
export interface PlanAxis {
  readonly range: AxisRange;
  readonly grid: AxisGrid;
  /**
   * "keep": each position is a cell; "single": all positions are one cell; "table": tables tell the cell of each position.
   */
  readonly kind: "keep" | "single" | "table";
  readonly cells: number;
  /** Several if elements belong to more than one cell. */
  readonly tables: readonly Uint32Array[];
}

/** Cells of the elements that are selected along an axis. */
export interface Grouping {
  readonly cells: number;
  /** Cells by the index in the selection. */
  readonly tables: readonly Uint32Array[];
}

export const rangeFrom = (start: number, count: number, step = 1): AxisRange => ({
  start,
  step,
  count,
  dropped: false,
});

/** Returns the index of a selected element. */
export const indexAt = (selection: AxisSelection, i: number): number =>
  "indices" in selection ? selection.indices[i]! : selection.start + i * selection.step;

/** A range of the elements between the first and the last selected one. */
function rangeOf(selection: AxisSelection): AxisRange {
  if (!("indices" in selection)) return selection;
  const { indices } = selection;
  let [first, last] = [indices[0]!, indices[0]!];
  for (const index of indices) {
    if (index < first) first = index;
    else if (index > last) last = index;
  }
  return rangeFrom(first, last - first + 1);
}

/** Returns the plan of an axis. @param grouping undefined to keep the axis; "single" to reduce it. */
export function planAxis(
  selection: AxisSelection,
  grid: AxisGrid,
  grouping: Grouping | "single" | undefined,
): PlanAxis {
  const range = rangeOf(selection);
  if ("indices" in selection) {
    const own = grouping === "single" ? singleCell(selection.count) : (grouping ?? ownCells(selection.count));
    return {
      range,
      grid,
      kind: "table",
      cells: own.cells,
      tables: listTables(selection.indices, range, own),
    };
  }
  if (grouping === "single") return { range, grid, kind: "single", cells: 1, tables: [] };
  if (!grouping) return { range, grid, kind: "keep", cells: range.count, tables: [] };
  return { range, grid, kind: "table", ...grouping };
}

const singleCell = (count: number): Grouping => ({ cells: 1, tables: [new Uint32Array(count)] });
const ownCells = (count: number): Grouping => ({
  cells: count,
  tables: [Uint32Array.from({ length: count }, (_, i) => i)],
});

/** Maximum number of entries in the tables of an axis. */
export const maxTable = 2 ** 26;

/** Converts tables by the index in a list to tables by position. */
function listTables(
  indices: readonly number[],
  { start, count }: AxisRange,
  { tables }: Grouping,
): Uint32Array[] {
  const entries = count * tables.length;
  if (entries > maxTable)
    throw limitExceeded(
      `a list of indices needs tables of ${entries} elements, more than the limit of ${maxTable}; select a part with slices`,
    );
  return tables.map((table) => {
    const made = new Uint32Array(count).fill(noCell);
    for (const [i, index] of indices.entries()) made[index - start] = table[i]!;
    return made;
  });
}

/** Positions of an axis from `from` up to, not including, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the end of a part that starts at a position: at the start of a chunk if the part is not inside one. */
function cutEnd(axis: PlanAxis, { from, to }: Span, extent: number): number {
  const { grid, range } = axis;
  const end = Math.min(to, from + extent);
  const chunkAt = (position: number) => grid.find(range.start + position * range.step);
  const most = 2 * Math.ceil(extent / chunkExtent(axis)) + 2; // chunks may be smaller than the first one
  const first = chunkAt(from);
  const chunk = Math.min(chunkAt(Math.min(end, to - 1)), first + most);
  if (end === to && chunk < first + most) return to;
  const boundary = Math.ceil((grid.start(chunk) - range.start) / range.step);
  return boundary > from ? boundary : end;
}

/**
 * Cuts positions into parts of about an extent, at the starts of chunks; parts of tables without cells are left out.
 * @param tables of the positions of the span.
 */
export function* cuts(
  axis: PlanAxis,
  span: Span,
  extent: number,
  tables: readonly Uint32Array[] = [],
): Generator<Span> {
  const isIn = (at: number) =>
    tables.length === 0 || tables.some((table) => table[at - span.from] !== noCell);
  for (let from = span.from; from < span.to; ) {
    while (from < span.to && !isIn(from)) from++;
    if (from === span.to) return;
    const to = cutEnd(axis, { from, to: span.to }, extent);
    let last = to;
    while (!isIn(last - 1)) last--;
    yield { from, to: last };
    from = to;
  }
}

/** Returns the number of positions in a chunk, as far as all chunks have the length of the first. */
export function chunkExtent({ range, grid }: PlanAxis): number {
  const chunk = grid.find(range.start);
  const size = Math.ceil(grid.size(chunk) / range.step);
  return Math.max(1, Math.min(size, range.count));
}

/** Returns tables of the positions of a span, with cells counted from the first one. */
export function tablesOf(axis: PlanAxis, span: Span, cells: Span): readonly Uint32Array[] {
  const all = cells.from === 0 && cells.to === axis.cells;
  return axis.tables.flatMap((table) => {
    const part = table.subarray(span.from, span.to);
    if (all) return [part];
    const isCell = (cell: number) => cell >= cells.from && cell < cells.to;
    return part.some(isCell) ? [part.map((cell) => (isCell(cell) ? cell - cells.from : noCell))] : [];
  });
}

/** Returns the positions that belong to some cells; undefined if there are none. */
export function spanOf(axis: PlanAxis, cells: Span): Span | undefined {
  let [from, to] = [axis.range.count, 0];
  for (const table of axis.tables) {
    const isCell = (cell: number) => cell >= cells.from && cell < cells.to;
    const first = table.findIndex(isCell);
    if (first < 0) continue;
    from = Math.min(from, first);
    to = Math.max(to, table.findLastIndex(isCell) + 1);
  }
  return from < to ? { from, to } : undefined;
}
