/** Splits a selection into chunks. A projection is the part of one chunk that is selected along one axis. */

import type { LeafChunkCodec } from "../chain/layout.js";
import type { AxisGrid } from "../metadata/grid.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import type { AxisIndices, AxisRange, AxisSelection } from "./selection.js";

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
 * Returns an upper bound on the number of projections of {@link projectRange}. Takes constant time, even for
 * a grid of 10^18 chunks.
 */
export function projectionCount({ start, step, count }: AxisRange, axis: AxisGrid): number {
  if (count === 0) return 0;
  return Math.min(count, axis.find(start + (count - 1) * step) - axis.find(start) + 1);
}

/**
 * Returns the projections of one axis, in order. Their number is bounded by the number of selected elements.
 */
export function projectRange(range: AxisRange, axis: AxisGrid): Projection[] {
  const projections: Projection[] = [];
  let out = 0;
  while (out < range.count) {
    const index = range.start + out * range.step;
    const chunk = axis.find(index);
    const start = index - axis.start(chunk);
    const fitting = Math.ceil((axis.size(chunk) - start) / range.step);
    const count = Math.min(fitting, range.count - out);
    projections.push({ chunk, start, step: Math.min(range.step, axis.size(chunk)), count, out });
    out += count;
  }
  return projections;
}

/** Returns the number of result elements along an axis. */
export function selectedCount(projections: readonly Projection[]): number {
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
export function groupByObject(
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

/** One chunk to read. */
export interface ChunkTask {
  /** Position in the grid of chunks (of inner chunks, if the array has shards). */
  readonly coordinates: readonly number[];
  /** Selected part of the chunk, per axis. Default: the whole chunk. */
  readonly projections?: readonly Projection[];
}

/** Returns the sort key of a chunk, lowest first. */
export type Rank = (projections: readonly Projection[]) => number;

/** The chunks of one stored object to read, by number: thousands of them need no objects. */
export interface ChunkList<T extends ChunkTask> {
  readonly count: number;
  /** Returns a chunk as an object. */
  task(n: number): T;
  /** If the chunks are all {@link combinations} of projections, in their order: the projections. */
  readonly projections?: readonly (readonly Projection[])[] | undefined;
  /** Chunks of lower ranks are read first. */
  readonly rank?: Rank | undefined;
}

/** Returns a list of any chunks of one object. */
export const taskList = <T extends ChunkTask>(tasks: readonly T[]): ChunkList<T> => ({
  count: tasks.length,
  task: (n) => tasks[n]!,
});

/** Encoded data of a chunk: the whole chunk, or a subarray of its elements. */
export interface Fetched<L extends LeafChunkCodec = LeafChunkCodec> {
  /** Codec that decodes it. */
  readonly codec: L;
  /** Undefined if nothing is stored. The bytes may be lent: the consumer may release them after use. */
  readonly encoded: Uint8Array | undefined;
  /** First element of a subarray in the chunk; the subarray's shape is that of its codec. */
  readonly start?: readonly number[] | undefined;
}

/** A chunk of a region, with its selected part. */
export interface RegionTask extends ChunkTask {
  readonly projections: readonly Projection[];
  readonly group: Group;
}

/** A chunk that was read for a task. */
export interface FetchedChunk<T extends ChunkTask> extends Fetched {
  readonly task: T;
}

/** A chunk of a region that was read. */
export type RegionChunk = FetchedChunk<RegionTask>;

/** A box of the result that is assembled from the chunks of whole stored objects. */
export interface Group {
  /** First element of the box in the result, and its extent, per axis. */
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  /** Projections of the box, by axis. */
  readonly projections: readonly (readonly Projection[])[];
  /**
   * Whether chunks are copied to the result one by one, as they arrive: chunks that are read first should
   * also be available first.
   */
  readonly isLoose?: boolean;
}

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

/** Returns an upper bound on the number of projections of {@link projectPicks}. */
export function pickCount(selection: AxisSelection, axis: AxisGrid): number {
  return "indices" in selection ? Math.min(selection.count, axis.count) : projectionCount(selection, axis);
}

/** Converts the selection of one axis to projections. */
export function projectPicks(selection: AxisSelection, axis: AxisGrid): AxisPicks {
  if (!("indices" in selection))
    return { projections: projectRange(selection, axis), length: selection.count, picks: undefined };
  return stretches(selection, axis);
}

function stretches({ indices: listed }: AxisIndices, axis: AxisGrid): AxisPicks {
  const ends = new Map<number, { min: number; max: number }>();
  for (const index of listed) {
    const chunk = axis.find(index);
    const end = ends.get(chunk);
    if (!end) ends.set(chunk, { min: index, max: index });
    else if (index < end.min) end.min = index;
    else if (index > end.max) end.max = index;
  }
  const projections: Projection[] = [];
  const shift = new Map<number, number>(); // difference between an index and its position
  let out = 0;
  for (const [chunk, { min, max }] of [...ends].sort(([a], [b]) => a - b)) {
    const count = max - min + 1;
    projections.push({ chunk, start: min - axis.start(chunk), step: 1, count, out });
    shift.set(chunk, min - out);
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
