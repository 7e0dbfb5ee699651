/**
 * Orders the stored objects of a region for reading, and divides the result into slabs: the places of chunks in them, and
 * of slabs in the result.
 */

import type { Placement, Slab } from "../engine/session.js";
import type { AxisGrid } from "../metadata/grid.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import {
  type ChunkList,
  combinationAt,
  combinations,
  type Group,
  groupByObject,
  type ObjectProjections,
  type Projection,
  type Rank,
  type RegionTask,
  selectedCount,
} from "./projections.js";

/** The chunks of one stored object, in C order. */
export class Job implements ChunkList<RegionTask> {
  readonly object: readonly number[];
  readonly count: number;
  /** Projections of the object, by axis. */
  readonly projections: readonly (readonly Projection[])[];
  #tasks: RegionTask[] | undefined;

  constructor(
    parts: readonly ObjectProjections[],
    private readonly group: Group,
    readonly rank?: Rank,
  ) {
    this.object = parts.map((part) => part.object);
    this.projections = parts.map((part) => part.projections);
    this.count = countOf(this.projections.map((list) => list.length));
  }

  /** All chunks as objects. */
  get tasks(): readonly RegionTask[] {
    this.#tasks ??= Array.from({ length: this.count }, (_, n) => this.task(n));
    return this.#tasks;
  }

  task(n: number): RegionTask {
    const projections = combinationAt(this.projections, n);
    const coordinates = projections.map((projection) => projection.chunk);
    return { coordinates, projections, group: this.group };
  }
}

/** The grids of chunks and of stored objects. */
interface Grids {
  readonly axes: readonly AxisGrid[];
  readonly objectAxes: readonly AxisGrid[];
}

/** All jobs of a region. */
export class Jobs {
  /** For each axis, the stored objects with their projections. */
  readonly #parts: readonly (readonly ObjectProjections[])[];

  constructor(
    { axes, objectAxes }: Grids,
    private readonly projections: readonly (readonly Projection[])[],
    /** Size of an element in bytes, which determines the size of slabs. */
    private readonly itemBytes: number,
  ) {
    this.#parts = projections.map((list, axis) => groupByObject(list, axes[axis]!, objectAxes[axis]!));
  }

  get count(): number {
    return countOf(this.#parts.map((list) => list.length));
  }

  /** Yields the jobs, lowest rank first; without a priority, in C order. */
  inOrder(priority: Priority | undefined): Generator<Job> {
    return priority ? this.#ranked(rankBy(priority, this.projections.map(selectedCount))) : this.#grouped();
  }

  /** Yields jobs group by group, so that few slabs of the result are open at a time. */
  *#grouped(): Generator<Job> {
    const parts = this.#parts;
    const shape = this.projections.map(selectedCount);
    const lengths = parts.map((list) => list.map((part) => part.count));
    const axis = chooseSlabAxis(shape, lengths, this.itemBytes);
    const inner = parts.slice(axis);
    for (const outer of combinations(parts.slice(0, axis))) {
      const group: Group = {
        origin: [...outer.map((part) => part.out), ...inner.map(() => 0)],
        shape: [...outer.map((part) => part.count), ...shape.slice(axis)],
        projections: [...outer.map((part) => part.projections), ...this.projections.slice(axis)],
      };
      for (const rest of combinations(inner)) yield new Job([...outer, ...rest], group);
    }
  }

  /**
   * Yields jobs in the order of their lowest rank. Keeps two numbers per job instead of the jobs themselves.
   */
  *#ranked(rank: Rank): Generator<Job> {
    const parts = this.#parts;
    const { projections } = this;
    const shape = projections.map(selectedCount);
    const group: Group = { origin: shape.map(() => 0), shape, projections, isLoose: true };
    const ranks = new Float64Array(this.count);
    let count = 0;
    for (const list of combinations(parts)) {
      let minRank = Number.POSITIVE_INFINITY;
      for (const chunk of combinations(list.map((part) => part.projections)))
        minRank = Math.min(minRank, rank(chunk));
      ranks[count++] = minRank;
    }
    for (const at of ranked(ranks)) yield new Job(combinationAt(parts, at), group, rank);
  }
}

/**
 * "centre" or "center": the chunks nearest to the centre of the selection first. A function of a chunk's
 * coordinates (as for `getChunk`): the chunks with the lowest numbers first.
 */
export type Priority = "centre" | "center" | ((coordinates: readonly number[]) => number);

/** @throws InvalidArgument for an invalid priority. */
export function checkPriority(priority: unknown): asserts priority is Priority | undefined {
  if ([undefined, "centre", "center"].includes(priority as string) || typeof priority === "function") return;
  throw invalidArgument(
    `priority must be "centre" or a function of a chunk's coordinates, got ${describeValue(priority)}`,
  );
}

/** @param shape shape of the selection, including dropped dimensions. */
export function rankBy(priority: Priority, shape: readonly number[]): Rank {
  if (typeof priority === "string") return (projections) => distance(projections, shape);
  return (projections) => {
    const rank = priority(projections.map((projection) => projection.chunk));
    if (typeof rank === "number" && !Number.isNaN(rank)) return rank;
    throw invalidArgument(`priority must return numbers, got ${describeValue(rank)}`);
  };
}

/**
 * Returns the squared distance between the centre of a chunk's part of the selection and the centre of the
 * selection, in half elements.
 */
function distance(projections: readonly Projection[], shape: readonly number[]): number {
  return projections.reduce((sum, { out, count }, axis) => sum + (2 * out + count - shape[axis]!) ** 2, 0);
}

/** Returns the indices 0, 1, … sorted by rank; equal ranks keep their order. */
export function ranked(ranks: Float64Array): Uint32Array {
  return Uint32Array.from(ranks, (_, i) => i).sort((a, b) => ranks[a]! - ranks[b]! || a - b);
}

/** Minimum length of a run that is worth a separate copy, in bytes. */
const minRunBytes = 4096;
/** Maximum size of a slab, unless a single chunk is larger. */
export const maxSlabBytes = 32 * 2 ** 20;

/**
 * Returns the axis from which slabs span the whole result: the last one for which runs are long enough,
 * within the size limit. Axes before it are divided into single parts.
 * @param parts lengths of the parts into which each axis may be divided.
 */
export function chooseSlabAxis(
  shape: readonly number[],
  parts: readonly (readonly number[])[],
  itemBytes: number,
  minRun = minRunBytes,
): number {
  const longest = parts.map((list) => list.reduce((most, length) => Math.max(most, length), 0));
  let axis = shape.length;
  let tail = itemBytes; // bytes of the axes that the slab spans
  while (axis > 0) {
    const run = tail * longest[axis - 1]!;
    if (run >= minRun) return axis;
    const widened = tail * shape[axis - 1]!;
    const bytes = longest.slice(0, axis - 1).reduce((a, b) => a * b, widened);
    if (bytes > maxSlabBytes && parts[axis - 1]!.length > 1) return axis;
    tail = widened;
    axis--;
  }
  return 0;
}

/** An open slab, with the data kept for its owner. */
export interface OpenSlab<T> {
  readonly content: T;
  readonly group: Group;
  readonly partition: GroupPartition<T>;
  readonly key: string;
  /** Number of chunks not yet received. */
  pending: number;
}

/** Division of one group into slabs: along the axes before `axis`, chunk by chunk. */
interface GroupPartition<T> {
  readonly axis: number;
  /** Open slabs by the result positions of their chunks along the divided axes. */
  readonly open: Map<string, OpenSlab<T>>;
  /** Number of chunks of the group not yet received. */
  pending: number;
}

export class SlabPartition<T> {
  readonly #partition = new Map<Group, GroupPartition<T>>();

  constructor(
    /** Returns the axis from which slabs span the group; `lengths` are the lengths of its chunks, by axis. */
    private readonly chooseAxis: (group: Group, lengths: readonly (readonly number[])[]) => number,
    /** Creates the data kept for a new slab, from its origin in the result and its shape. */
    private readonly make: (origin: readonly number[], shape: readonly number[]) => T,
  ) {}

  /** Returns the slab of a chunk. */
  slabFor(task: RegionTask): OpenSlab<T> {
    const partition = this.#partitionFor(task.group);
    const key = task.projections
      .slice(0, partition.axis)
      .map((projection) => projection.out)
      .join();
    let slab = partition.open.get(key);
    if (!slab) {
      slab = this.#open(task, partition, key);
      partition.open.set(key, slab);
    }
    return slab;
  }

  /** Records that chunks of a slab were received. Returns true for the last ones, which close the slab. */
  isLast(slab: OpenSlab<T>, count = 1): boolean {
    const { partition, group, key } = slab;
    partition.pending -= count;
    if (partition.pending === 0) this.#partition.delete(group);
    slab.pending -= count;
    if (slab.pending > 0) return false;
    return partition.open.delete(key);
  }

  /** Closes all slabs; returns the data kept for the open ones. */
  clear(): T[] {
    const open = [...this.#partition.values()].flatMap((partition) => [...partition.open.values()]);
    this.#partition.clear();
    return open.map((slab) => slab.content);
  }

  #partitionFor(group: Group): GroupPartition<T> {
    let partition = this.#partition.get(group);
    if (!partition) {
      const lengths = group.projections.map((list) => list.map((projection) => projection.count));
      const pending = countOf(lengths.map((list) => list.length));
      partition = { axis: this.chooseAxis(group, lengths), open: new Map(), pending };
      this.#partition.set(group, partition);
    }
    return partition;
  }

  #open({ projections, group }: RegionTask, partition: GroupPartition<T>, key: string): OpenSlab<T> {
    const { axis } = partition;
    const cutProjections = projections.slice(0, axis);
    const origin = [...cutProjections.map((projection) => projection.out), ...group.origin.slice(axis)];
    const shape = [...cutProjections.map((projection) => projection.count), ...group.shape.slice(axis)];
    const pending = countOf(group.projections.slice(axis).map((list) => list.length));
    return { content: this.make(origin, shape), group, partition, key, pending };
  }
}

/** A box of the result in separate memory. */
export interface PlaceBox {
  /** First element of the box in the result. */
  readonly origin: readonly number[];
  /** Distance between neighbours in the box: in bytes, or in entries of a list. */
  readonly strides: readonly number[];
}

/** The same in wasm memory. */
export interface SlabBox extends PlaceBox {
  readonly slab: Slab;
}

/** @param start first element that was read of the chunk, if not the chunk's first. */
export function chunkPlace(
  projections: readonly Projection[],
  start: readonly number[] | undefined,
  { origin, strides }: PlaceBox,
): Placement {
  let offset = 0;
  const axes = projections.map((projection, axis) => {
    const stride = strides[axis]!;
    offset += (projection.out - origin[axis]!) * stride;
    const first = projection.start - (start?.[axis] ?? 0);
    return [first, projection.step, projection.count, stride] as const;
  });
  return { offset, axes };
}

/** A box of a result. */
export interface SlabPlace {
  /** First element of the box in the result, and its extent, per axis. */
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  /** Shape of the whole result. */
  readonly whole: readonly number[];
  readonly itemBytes: number;
}

/** Copies a packed box to its place in the result, in runs as long as the layout allows. */
export function copyToPlace(
  box: Uint8Array,
  { origin, shape, whole, itemBytes }: SlabPlace,
  result: Uint8Array,
): void {
  let runAxis = shape.length; // the box spans all axes from here on: one run
  while (runAxis > 0 && shape[runAxis - 1] === whole[runAxis - 1]) runAxis--;
  // Along the preceding axis, the box is contiguous in the result: also part of the run.
  runAxis = Math.max(0, runAxis - 1);
  const strides = stridesOf(whole, itemBytes);
  const bytes = countOf(shape.slice(runAxis)) * itemBytes;
  const start = origin.reduce((sum, first, axis) => sum + first * strides[axis]!, 0);
  // A plain loop over the runs along one axis: there may be millions of short ones.
  const outer = Math.max(0, runAxis - 1);
  const [count, step] = runAxis > 0 ? [shape[outer]!, strides[outer]!] : [1, 0];
  let from = 0;
  for (const index of indices(shape.slice(0, outer))) {
    let to = index.reduce((sum, i, axis) => sum + i * strides[axis]!, start);
    for (let run = 0; run < count; run++, from += bytes, to += step)
      result.set(box.subarray(from, from + bytes), to);
  }
}
