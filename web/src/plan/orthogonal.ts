/**
 * Lists of indices. Each chunk is read once, whatever the order of a list: first the range between the
 * smallest and the greatest index in every chunk is read, in order; then the elements are picked from that.
 */

import type { AxisGrid } from "../metadata/grid.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import { type Projection, projectionCount, projectionsOf } from "./projections.js";
import type { AxisIndices, AxisSelection } from "./selection.js";

/**
 * One axis of a read with lists: the projections to read, and the position of each result element in them.
 */
export interface AxisPicks {
  readonly projections: readonly Projection[];
  /** Number of elements read along the axis. */
  readonly length: number;
  /**
   * For each element of the result, its position in the elements read; undefined for all elements in order.
   */
  readonly picks: readonly number[] | undefined;
}

/** Returns an upper bound on the number of projections of {@link picksOf}. */
export function pickCount(selection: AxisSelection, axis: AxisGrid): number {
  return "indices" in selection ? Math.min(selection.count, axis.count) : projectionCount(selection, axis);
}

/** Converts the selection of one axis to projections. */
export function picksOf(selection: AxisSelection, axis: AxisGrid): AxisPicks {
  if (!("indices" in selection))
    return { projections: projectionsOf(selection, axis), length: selection.count, picks: undefined };
  return stretches(selection, axis);
}

function stretches({ indices: listed }: AxisIndices, axis: AxisGrid): AxisPicks {
  const ends = new Map<number, { least: number; most: number }>();
  for (const index of listed) {
    const chunk = axis.find(index);
    const end = ends.get(chunk);
    if (!end) ends.set(chunk, { least: index, most: index });
    else if (index < end.least) end.least = index;
    else if (index > end.most) end.most = index;
  }
  const projections: Projection[] = [];
  const shift = new Map<number, number>(); // difference between an index and its position
  let out = 0;
  for (const [chunk, { least, most }] of [...ends].sort(([a], [b]) => a - b)) {
    const count = most - least + 1;
    projections.push({ chunk, start: least - axis.start(chunk), step: 1, count, out });
    shift.set(chunk, least - out);
    out += count;
  }
  const picks = listed.map((index) => index - shift.get(axis.find(index))!);
  return { projections, length: out, picks };
}

/** Copies the picked elements, C order to C order. `copy` copies `count` consecutive elements. */
export function pickElements(
  axes: readonly AxisPicks[],
  copy: (from: number, to: number, count: number) => void,
): void {
  const strides = stridesOf(axes.map((axis) => axis.length));
  const shape = axes.map(({ picks, length }) => picks?.length ?? length);
  // Axes after the last list are copied unchanged.
  let inner = axes.length;
  while (inner > 0 && !axes[inner - 1]!.picks) inner--;
  const run = countOf(shape.slice(inner));
  if (run === 0) return;
  let to = 0;
  for (const index of indices(shape.slice(0, inner))) {
    const from = index.reduce((sum, i, axis) => sum + (axes[axis]!.picks?.[i] ?? i) * strides[axis]!, 0);
    copy(from, to, run);
    to += run;
  }
}
