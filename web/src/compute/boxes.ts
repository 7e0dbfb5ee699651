/**
 * Divides a reduction into blocks of results, the blocks into tasks that are read together, and tasks into slabs that are
 * decoded and reduced together. All are found lazily: an array may have 10^12 chunks.
 */

import { combinations } from "../plan/projections.js";
import { type Box, countOf } from "../util/shapes.js";
import { chunkExtent, cuts, type PlanAxis, type Span, spanOf, tablesOf } from "./axes.js";

/** Sizes in bytes that decide the division. */
export interface Sizes {
  /** Of an element. */
  readonly item: number;
  /** Of the accumulators of a cell, for all labels. */
  readonly cell: number;
  /** Maximum of the accumulators of a block. */
  readonly state: number;
  /**
   * Maximum of the decoded elements of a task, unless one chunk has more: for blocks with few accumulators, and for others,
   * whose accumulators take longer to read and write than elements of small tasks.
   */
  readonly task: { readonly least: number; readonly most: number };
}

/** Blocks grow to this size of decoded elements. */
const minBlock = 2 ** 22;
/** Least size that a chunk counts in tasks: its place, its request and its buffer take memory of their own. */
const chunkCost = 2 ** 10;
/** Slabs of this size are still in a cache when they are reduced. */
const minSlab = 2 ** 19;
/** Sizes of tasks and slabs per byte of accumulators. */
const perState = 8;
/** Accumulators of blocks that have grown. */
const grownState = 2 ** 22;

/** Cells of the result that are computed together. */
export interface Block {
  /** Along each axis of the array. */
  readonly cells: readonly Span[];
  /** Positions that belong to the cells; empty if no element does. */
  readonly spans: readonly Span[];
  /** Tables of these positions, by axis; none for axes without tables. */
  readonly tables: readonly (readonly Uint32Array[])[];
}

/** Returns the size of an element as tasks count it: more than its bytes if chunks are small. */
function itemCost(axes: readonly PlanAxis[], item: number): number {
  return Math.max(item, chunkCost / countOf(axes.map(chunkExtent)));
}

/** Returns the cells of blocks along each axis. */
function blockCells(axes: readonly PlanAxis[], { item, cell, state }: Sizes): number[] {
  const extents = axes.map((axis) => (axis.kind === "keep" ? chunkExtent(axis) : axis.cells));
  const stateBytes = () => countOf(extents) * cell;
  const halve = (kind: PlanAxis["kind"]) => {
    for (const [i, axis] of axes.entries())
      while (axis.kind === kind && extents[i]! > 1 && stateBytes() > state)
        extents[i] = Math.ceil(extents[i]! / 2);
  };
  halve("table");
  halve("keep");
  const decoded = () =>
    axes.reduce(
      (bytes, axis, i) => bytes * (axis.kind === "keep" ? extents[i]! : axis.range.count),
      itemCost(axes, item),
    );
  for (let i = axes.length - 1; i >= 0; i--) {
    const axis = axes[i]!;
    if (axis.kind !== "keep" || extents[i]! < chunkExtent(axis)) continue;
    const factor = Math.floor(Math.min(minBlock / decoded(), grownState / stateBytes()));
    if (factor > 1) extents[i] = Math.min(axis.cells, extents[i]! * factor);
  }
  return extents;
}

/** Yields the blocks, in C order of their cells. */
export function* blocks(axes: readonly PlanAxis[], sizes: Sizes): Generator<Block> {
  const extents = blockCells(axes, sizes);
  for (const cells of product(axes.map((axis, i) => () => cellCuts(axis, extents[i]!)))) {
    const spans = axes.map((axis, i) => spanOfCells(axis, cells[i]!) ?? { from: 0, to: 0 });
    yield { cells, spans, tables: axes.map((axis, i) => tablesOf(axis, spans[i]!, cells[i]!)) };
  }
}

function cellCuts(axis: PlanAxis, extent: number): Iterable<Span> {
  if (axis.kind === "keep") return cuts(axis, { from: 0, to: axis.cells }, extent);
  return evenCuts(axis.cells, extent);
}

function* evenCuts(count: number, extent: number): Generator<Span> {
  for (let from = 0; from < count; from += extent) yield { from, to: Math.min(count, from + extent) };
}

function spanOfCells(axis: PlanAxis, cells: Span): Span | undefined {
  if (axis.kind === "keep") return cells;
  return axis.kind === "table" ? spanOf(axis, cells) : { from: 0, to: axis.range.count };
}

/** Yields combinations of one entry of each list, the last varying fastest; lists are made as often as needed. */
function* product(lists: readonly (() => Iterable<Span>)[], axis = 0): Generator<Span[]> {
  if (axis === lists.length) yield [];
  else
    for (const first of lists[axis]!()) for (const rest of product(lists, axis + 1)) yield [first, ...rest];
}

/** Yields the tasks of a block: boxes of positions. */
export function* tasks(axes: readonly PlanAxis[], block: Block, sizes: Sizes): Generator<Box> {
  const extents = partExtents(axes, block, sizes, sizes.task.least);
  for (const spans of product(axes.map((axis, i) => () => parts(axis, i, block, extents[i]!))))
    yield boxOf(spans);
}

/** Returns the slabs of a task along each axis. */
export function slabSpans(
  axes: readonly PlanAxis[],
  block: Block,
  { from, to }: Box,
  sizes: Sizes,
): Span[][] {
  const extents = partExtents(axes, block, sizes, minSlab);
  return axes.map((axis, i) => {
    const span = { from: from[i]!, to: to[i]! };
    return axis.kind === "keep" ? [span] : [...cuts(axis, span, extents[i]!)];
  });
}

const boxOf = (spans: readonly Span[]): Box => ({
  from: spans.map((span) => span.from),
  to: spans.map((span) => span.to),
});

/** Returns the boxes of all combinations of spans in C order. */
export const boxesOf = (spans: readonly (readonly Span[])[]): Box[] => [...combinations(spans)].map(boxOf);

function parts(axis: PlanAxis, i: number, { spans, tables }: Block, extent: number): Iterable<Span> {
  return axis.kind === "keep" ? [spans[i]!] : cuts(axis, spans[i]!, extent, tables[i]);
}

/** Returns lengths of parts of a block: those of the block along kept axes, as many chunks as fit along others. */
function partExtents(
  axes: readonly PlanAxis[],
  { cells, spans }: Block,
  sizes: Sizes,
  least: number,
): number[] {
  const { task } = sizes;
  const item = itemCost(axes, sizes.item);
  const state = countOf(cells.map(({ from, to }) => to - from)) * sizes.cell;
  const most = Math.max(Math.min(least, task.least), Math.min(task.most - state / 3, perState * state));
  const lengths = spans.map(({ from, to }) => to - from);
  const extents = axes.map((axis, i) => (axis.kind === "keep" ? lengths[i]! : chunkExtent(axis)));
  for (let i = axes.length - 1; i >= 0; i--) {
    if (axes[i]!.kind === "keep") continue;
    const factor = Math.floor(most / (countOf(extents) * item));
    if (factor > 1) extents[i] = Math.min(lengths[i]!, extents[i]! * factor);
  }
  return extents;
}
