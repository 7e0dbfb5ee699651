/** Which chunks of a region are read first. */
import { invalidArgument } from "../../base/errors.js";
import type { Piece } from "./projections.js";

/**
 * The chunks nearest to the centre of the selection, or those to which a function of their coordinates (as
 * `getChunk` takes them) gives the least numbers.
 */
export type Priority = "centre" | ((coordinates: readonly number[]) => number);

/** What chunks are sorted by: the least first. */
export type Rank = (pieces: readonly Piece[]) => number;

/** @throws InvalidArgument for what is no priority. */
export function checkPriority(priority: unknown): asserts priority is Priority | undefined {
  if (priority === undefined || priority === "centre" || typeof priority === "function") return;
  throw invalidArgument(`priority must be "centre" or a function of a chunk's coordinates, not ${priority}`);
}

/** @param shape of the selection, dimensions that it drops included. */
export function rankBy(priority: Priority, shape: readonly number[]): Rank {
  if (priority === "centre") return (pieces) => distance(pieces, shape);
  return (pieces) => {
    const rank = priority(pieces.map((piece) => piece.chunk));
    if (typeof rank === "number" && !Number.isNaN(rank)) return rank;
    throw invalidArgument(`priority must give numbers, not ${rank}`);
  };
}

/** From the middle of a chunk's part of the selection to the middle of the selection: squared, in half elements. */
function distance(pieces: readonly Piece[], shape: readonly number[]): number {
  return pieces.reduce((sum, { out, count }, axis) => sum + (2 * out + count - shape[axis]!) ** 2, 0);
}

/** Numbers from 0 on in the order of their ranks, equal ones as they are. */
export function ranked(ranks: Float64Array): Uint32Array {
  return Uint32Array.from(ranks, (_, i) => i).sort((a, b) => ranks[a]! - ranks[b]! || a - b);
}
