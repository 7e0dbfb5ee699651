/** Which chunks of a region are read first. */
import { invalidArgument, shown } from "../util/errors.js";
import type { Projection } from "./projections.js";

/**
 * The chunks nearest to the centre of the selection, or those to which a function of their coordinates (as
 * `getChunk` takes them) gives the least numbers.
 */
export type Priority = "centre" | ((coordinates: readonly number[]) => number);

/** What chunks are sorted by: the least first. */
export type Rank = (projections: readonly Projection[]) => number;

/** @throws InvalidArgument for what is no priority. */
export function checkPriority(priority: unknown): asserts priority is Priority | undefined {
  if (priority === undefined || priority === "centre" || typeof priority === "function") return;
  throw invalidArgument(
    `priority must be "centre" or a function of a chunk's coordinates, not ${shown(priority)}`,
  );
}

/** @param shape of the selection, dimensions that it drops included. */
export function rankBy(priority: Priority, shape: readonly number[]): Rank {
  if (priority === "centre") return (projections) => distance(projections, shape);
  return (projections) => {
    const rank = priority(projections.map((projection) => projection.chunk));
    if (typeof rank === "number" && !Number.isNaN(rank)) return rank;
    throw invalidArgument(`priority must give numbers, not ${shown(rank)}`);
  };
}

/** From the middle of a chunk's part of the selection to the middle of the selection: squared, in half elements. */
function distance(projections: readonly Projection[], shape: readonly number[]): number {
  return projections.reduce((sum, { out, count }, axis) => sum + (2 * out + count - shape[axis]!) ** 2, 0);
}

/** Numbers from 0 on in the order of their ranks, equal ones as they are. */
export function ranked(ranks: Float64Array): Uint32Array {
  return Uint32Array.from(ranks, (_, i) => i).sort((a, b) => ranks[a]! - ranks[b]! || a - b);
}
