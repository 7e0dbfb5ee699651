/** Determines which chunks of a region are read first. */
import { invalidArgument, shown } from "../util/errors.js";
import type { Projection } from "./projections.js";

/**
 * "centre": the chunks nearest to the centre of the selection first. A function of a chunk's coordinates (as
 * for `getChunk`): the chunks with the lowest numbers first.
 */
export type Priority = "centre" | ((coordinates: readonly number[]) => number);

/** Returns the sort key of a chunk, lowest first. */
export type Rank = (projections: readonly Projection[]) => number;

/** @throws InvalidArgument for an invalid priority. */
export function checkPriority(priority: unknown): asserts priority is Priority | undefined {
  if (priority === undefined || priority === "centre" || typeof priority === "function") return;
  throw invalidArgument(
    `priority must be "centre" or a function of a chunk's coordinates, not ${shown(priority)}`,
  );
}

/** @param shape shape of the selection, including dropped dimensions. */
export function rankBy(priority: Priority, shape: readonly number[]): Rank {
  if (priority === "centre") return (projections) => distance(projections, shape);
  return (projections) => {
    const rank = priority(projections.map((projection) => projection.chunk));
    if (typeof rank === "number" && !Number.isNaN(rank)) return rank;
    throw invalidArgument(`priority must give numbers, not ${shown(rank)}`);
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
