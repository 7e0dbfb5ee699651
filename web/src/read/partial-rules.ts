/**
 * Decides which chunks may be read in part (see partial.ts), so that the implementation is loaded only for
 * these.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import type { ChunkTask, Fetched, Projection } from "../plan/projections.js";
import { countOf } from "../util/shapes.js";
import type { ObjectBytes, StoredRange } from "./object-bytes.js";

/** Uncompressed chunks smaller than this are read whole: one request costs more than their bytes. */
const minPlainBytes = 2 ** 16;
/** Blosc chunks smaller than this (decoded) are read whole: two requests cost more. */
const minBloscBytes = 2 ** 20;
/** A subarray of a chunk, along the array's axes. */
export interface Subarray {
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

export interface PartialReader {
  /**
   * Reads the subarray; undefined if the chunk is missing, "whole" if the whole chunk should be read instead.
   */
  read(
    object: ObjectBytes,
    part: StoredRange,
    signal: AbortSignal | undefined,
  ): Promise<Fetched<CoreChunkCodec> | "whole" | undefined>;
}

/** Returns the smallest subarray that holds the projections of a chunk. */
export function subarrayOf(projections: readonly Projection[]): Subarray {
  return {
    start: projections.map((projection) => projection.start),
    shape: projections.map((projection) => (projection.count - 1) * projection.step + 1),
  };
}

export type Kind = "plain" | "blosc";

/** Returns the kind of partial reads that chunks support, if any. */
export function kindOf({ chain, plan }: CoreChunkCodec): Kind | undefined {
  const { before, toBytes, after } = chain;
  const movesWholeElements =
    before.every((step) => step.core === "transpose") &&
    toBytes.type === "core" &&
    toBytes.step.core === "bytes";
  if (!movesWholeElements) return undefined;
  if (after.length === 0) return plan.decodedBytes >= minPlainBytes ? "plain" : undefined;
  const isBlosc = after.length === 1 && after[0]!.core === "blosc";
  return isBlosc && plan.decodedBytes >= minBloscBytes ? "blosc" : undefined;
}

/**
 * Whether some of these chunks may be read in part: their codecs support it, and at most half of a chunk is
 * selected.
 */
export function anyReadInPart(leaf: LeafChunkCodec, tasks: readonly ChunkTask[]): boolean {
  if (leaf.type !== "core" || kindOf(leaf) === undefined) return false;
  const maxCount = countOf(leaf.shape) / 2;
  return tasks.some(({ projections }) => projections && countOf(subarrayOf(projections).shape) <= maxCount);
}
