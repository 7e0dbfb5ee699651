/** Orders the stored objects of a region, and their chunks, for reading. */

import type { AxisGrid } from "../metadata/grid.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import {
  combinationAt,
  combinations,
  type Group,
  groupByObject,
  type ObjectProjections,
  type Projection,
  type RegionTask,
  selectedCount,
} from "./projections.js";
import { chooseSlabAxis } from "./slab-partition.js";

/** The chunks of one stored object. */
export interface Job {
  readonly object: readonly number[];
  readonly tasks: readonly RegionTask[];
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
      for (const rest of combinations(inner)) yield createJob([...outer, ...rest], group);
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
    for (const at of ranked(ranks)) yield createJob(combinationAt(parts, at), group, rank);
  }
}

function createJob(parts: readonly ObjectProjections[], group: Group, rank?: Rank): Job {
  const tasks: RegionTask[] = [];
  for (const projections of combinations(parts.map((part) => part.projections))) {
    tasks.push({
      coordinates: projections.map((projection) => projection.chunk),
      projections,
      group,
      rank: rank?.(projections),
    });
  }
  return { object: parts.map((part) => part.object), tasks };
}

/**
 * "centre" or "center": the chunks nearest to the centre of the selection first. A function of a chunk's
 * coordinates (as for `getChunk`): the chunks with the lowest numbers first.
 */
export type Priority = "centre" | "center" | ((coordinates: readonly number[]) => number);

/** Returns the sort key of a chunk, lowest first. */
export type Rank = (projections: readonly Projection[]) => number;

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
