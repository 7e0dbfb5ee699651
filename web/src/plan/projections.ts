/** Splits a selection into chunks. A projection is the part of one chunk that is selected along one axis. */
import type { AxisGrid } from "../metadata/grid.js";
import type { AxisRange } from "./selection.js";

export interface Projection {
  /** Position of the chunk in the grid. */
  readonly chunk: number;
  /** First element, step and number of elements inside the chunk. */
  readonly start: number;
  readonly step: number;
  readonly count: number;
  /** Position of the first of them in the result. */
  readonly out: number;
}

/**
 * Returns an upper bound on the number of projections of {@link projectionsOf}. Takes constant time, even for
 * a grid of 10^18 chunks.
 */
export function projectionCount({ start, step, count }: AxisRange, axis: AxisGrid): number {
  if (count === 0) return 0;
  return Math.min(count, axis.find(start + (count - 1) * step) - axis.find(start) + 1);
}

/**
 * Returns the projections of one axis, in order. Their number is bounded by the number of selected elements.
 */
export function projectionsOf(range: AxisRange, axis: AxisGrid): Projection[] {
  const projections: Projection[] = [];
  let out = 0;
  while (out < range.count) {
    const index = range.start + out * range.step;
    const chunk = axis.find(index);
    const start = index - axis.start(chunk);
    const fitting = Math.ceil((axis.size(chunk) - start) / range.step);
    const count = Math.min(fitting, range.count - out);
    projections.push({ chunk, start, step: range.step, count, out });
    out += count;
  }
  return projections;
}

/** Returns the number of result elements along an axis. */
export function extentOf(projections: readonly Projection[]): number {
  return projections.reduce((sum, projection) => sum + projection.count, 0);
}

/** The projections that lie in one stored object (one shard or one chunk) along an axis. */
export interface ObjectProjections {
  /** Position of the object in its grid. */
  readonly object: number;
  readonly projections: readonly Projection[];
  /** Position of the first element in the result, and the number of elements. */
  readonly out: number;
  readonly count: number;
}

/** Groups the projections of an axis by stored object. */
export function partsOf(
  projections: readonly Projection[],
  axis: AxisGrid,
  objects: AxisGrid,
): ObjectProjections[] {
  const parts: (ObjectProjections & { projections: Projection[]; count: number })[] = [];
  for (const projection of projections) {
    const object = axis === objects ? projection.chunk : objects.find(axis.start(projection.chunk));
    const last = parts.at(-1);
    if (last?.object === object) {
      last.projections.push(projection);
      last.count += projection.count;
    } else {
      parts.push({ object, projections: [projection], out: projection.out, count: projection.count });
    }
  }
  return parts;
}

/** Returns the combination at a position in {@link combinations}. */
export function combinationAt<T>(lists: readonly (readonly T[])[], position: number): T[] {
  const combination = new Array<T>(lists.length);
  let rest = position;
  for (let axis = lists.length - 1; axis >= 0; axis--) {
    const list = lists[axis]!;
    combination[axis] = list[rest % list.length]!;
    rest = Math.floor(rest / list.length);
  }
  return combination;
}

/**
 * Yields every combination of one entry per list, the last list varying fastest. With no lists, yields one
 * empty combination.
 */
export function* combinations<T>(lists: readonly (readonly T[])[]): Generator<T[]> {
  if (lists.some((list) => list.length === 0)) return;
  const at = lists.map(() => 0);
  for (;;) {
    yield at.map((index, i) => lists[i]![index]!);
    let axis = lists.length - 1;
    while (axis >= 0 && ++at[axis]! === lists[axis]!.length) at[axis--] = 0;
    if (axis < 0) return;
  }
}
