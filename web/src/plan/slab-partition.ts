/** How groups are cut into slabs, and which of them are under way. */
import { countOf } from "../util/strides.js";
import type { Group, RegionTask } from "./task.js";

/** Shortest run, in bytes, that is worth a copy of its own. */
const minRunBytes = 4096;
/** Largest slab, unless a single chunk is larger. */
export const maxSlabBytes = 32 * 2 ** 20;

/**
 * Chooses from which axis on slabs span the whole result: the last one that makes runs long enough,
 * within the size limit. Axes before it are cut into single parts.
 * @param parts lengths of the parts that each axis may be cut into
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

/** A slab under way, with what its owner keeps for it. */
export interface OpenSlab<T> {
  readonly content: T;
  readonly group: Group;
  readonly partition: GroupPartition<T>;
  readonly key: string;
  /** Chunks that have not come yet. */
  pending: number;
}

/** How one group is cut into slabs: along the axes before `axis`, chunk by chunk. */
interface GroupPartition<T> {
  readonly axis: number;
  /** By the positions in the result of the chunks along the cut axes. */
  readonly open: Map<string, OpenSlab<T>>;
  /** Chunks of the group that have not come yet. */
  pending: number;
}

export class SlabPartition<T> {
  readonly #partition = new Map<Group, GroupPartition<T>>();

  constructor(
    /** From which axis on the slabs of a group span it; `lengths` are those of its chunks, axis by axis. */
    private readonly axisOf: (group: Group, lengths: readonly (readonly number[])[]) => number,
    /** Makes what is kept for a new slab, from where it starts in the result and its shape. */
    private readonly make: (origin: readonly number[], shape: readonly number[]) => T,
  ) {}

  /** The slab that a chunk belongs to. */
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

  /** Says that a chunk of a slab has come; true for the last one, after which it is under way no more. */
  isLast(slab: OpenSlab<T>): boolean {
    const { partition, group, key } = slab;
    if (--partition.pending === 0) this.#partition.delete(group);
    if (--slab.pending > 0) return false;
    return partition.open.delete(key);
  }

  /** Forgets all slabs; returns what was kept for those under way. */
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
