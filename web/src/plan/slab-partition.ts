/** Divides groups into slabs, and tracks the open ones. */
import { countOf } from "../util/strides.js";
import type { Group, RegionTask } from "./task.js";

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
    private readonly axisOf: (group: Group, lengths: readonly (readonly number[])[]) => number,
    /** Creates the data kept for a new slab, from its origin in the result and its shape. */
    private readonly make: (origin: readonly number[], shape: readonly number[]) => T,
  ) {}

  /** Returns the slab of a chunk. */
  of(task: RegionTask): OpenSlab<T> {
    const partition = this.#partitionOf(task.group);
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

  #partitionOf(group: Group): GroupPartition<T> {
    let partition = this.#partition.get(group);
    if (!partition) {
      const lengths = group.projections.map((list) => list.map((projection) => projection.count));
      const pending = countOf(lengths.map((list) => list.length));
      partition = { axis: this.axisOf(group, lengths), open: new Map(), pending };
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
