/** Slabs of a result, the places of chunks in them, and the places of slabs in the result. */

import type { Placement } from "../engine/session.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import type { Group, Projection, RegionTask } from "./projections.js";

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

  /** Records that a chunk of a slab was received. Returns true for the last one, which closes the slab. */
  isLast(slab: OpenSlab<T>): boolean {
    const { partition, group, key } = slab;
    if (--partition.pending === 0) this.#partition.delete(group);
    if (--slab.pending > 0) return false;
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
