/** How groups are cut into slabs, and which of them are under way. */
import { countOf } from "../../base/strides.js";
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
): number {
  const longest = parts.map((list) => list.reduce((most, length) => Math.max(most, length), 0));
  let axis = shape.length;
  let tail = itemBytes; // bytes of the axes that the slab spans
  while (axis > 0) {
    const run = tail * longest[axis - 1]!;
    if (run >= minRunBytes) return axis;
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
  readonly cut: Cut<T>;
  readonly key: string;
  /** Chunks that have not come yet. */
  pending: number;
}

/** How one group is cut: along the axes before `axis`, chunk by chunk. */
interface Cut<T> {
  readonly axis: number;
  /** By the positions in the result of the chunks along the cut axes. */
  readonly open: Map<string, OpenSlab<T>>;
  /** Chunks of the group that have not come yet. */
  pending: number;
}

export class SlabCuts<T> {
  readonly #cuts = new Map<Group, Cut<T>>();

  constructor(
    /** From which axis on the slabs of a group span it; `lengths` are those of its chunks, axis by axis. */
    private readonly axisOf: (group: Group, lengths: readonly (readonly number[])[]) => number,
    /** Makes what is kept for a new slab, from where it starts in the result and its shape. */
    private readonly make: (origin: readonly number[], shape: readonly number[]) => T,
  ) {}

  /** The slab that a chunk belongs to. */
  of(task: RegionTask): OpenSlab<T> {
    const cut = this.#cutOf(task.group);
    const key = task.pieces
      .slice(0, cut.axis)
      .map((piece) => piece.out)
      .join();
    let slab = cut.open.get(key);
    if (!slab) {
      slab = this.#open(task, cut, key);
      cut.open.set(key, slab);
    }
    return slab;
  }

  /** Says that a chunk of a slab has come; true for the last one, after which it is under way no more. */
  isLast(slab: OpenSlab<T>): boolean {
    const { cut, group, key } = slab;
    if (--cut.pending === 0) this.#cuts.delete(group);
    if (--slab.pending > 0) return false;
    return cut.open.delete(key);
  }

  /** Forgets all slabs; returns what was kept for those under way. */
  clear(): T[] {
    const open = [...this.#cuts.values()].flatMap((cut) => [...cut.open.values()]);
    this.#cuts.clear();
    return open.map((slab) => slab.content);
  }

  #cutOf(group: Group): Cut<T> {
    let cut = this.#cuts.get(group);
    if (!cut) {
      const lengths = group.pieces.map((list) => list.map((piece) => piece.count));
      const pending = countOf(lengths.map((list) => list.length));
      cut = { axis: this.axisOf(group, lengths), open: new Map(), pending };
      this.#cuts.set(group, cut);
    }
    return cut;
  }

  #open({ pieces, group }: RegionTask, cut: Cut<T>, key: string): OpenSlab<T> {
    const { axis } = cut;
    const cutPieces = pieces.slice(0, axis);
    const origin = [...cutPieces.map((piece) => piece.out), ...group.origin.slice(axis)];
    const shape = [...cutPieces.map((piece) => piece.count), ...group.shape.slice(axis)];
    const pending = countOf(group.pieces.slice(axis).map((list) => list.length));
    return { content: this.make(origin, shape), group, cut, key, pending };
  }
}
