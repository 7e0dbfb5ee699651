/** Which chunks may be read in part (see partial.ts), so that what does it is only loaded for them. */
import type { CoreLeaf } from "../../chain/layout.js";
import type { ObjectPart, ReadPart } from "./stored-range.js";
import type { Piece } from "../selection/projections.js";
import { countOf } from "../../base/strides.js";

/** Uncompressed chunks smaller than this are read whole: one request costs more than their bytes. */
const minPlainBytes = 2 ** 16;
/** Blosc chunks smaller than this (decoded) are read whole: two requests cost more. */
const minBloscBytes = 2 ** 20;
/** A box of a chunk, in the array's axes. */
export interface Box {
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

/** Elements of a box, encoded as the chunk's array codecs encode an array of that shape. */
export interface BoxBytes {
  readonly box: Box;
  readonly bytes: Uint8Array;
}

export interface PartialReader {
  /** Reads the box; undefined where the chunk is missing, "whole" where reading all of it turns out better. */
  read(
    read: ReadPart,
    part: ObjectPart,
    signal: AbortSignal | undefined,
  ): Promise<BoxBytes | "whole" | undefined>;
}

/** The smallest box that holds the pieces of a chunk. */
export function boxOf(pieces: readonly Piece[]): Box {
  return {
    start: pieces.map((piece) => piece.start),
    shape: pieces.map((piece) => (piece.count - 1) * piece.step + 1),
  };
}

export type Kind = "plain" | "blosc";

/** Which way of partial reading chunks allow, if any. */
export function kindOf({ chain, plan }: CoreLeaf): Kind | undefined {
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

/** Whether a box may be read by itself: what it holds is at least as much as is read, and more than half is not worth it. */
export function mayReadInPart(leaf: CoreLeaf, box: Box): boolean {
  return kindOf(leaf) !== undefined && countOf(box.shape) <= countOf(leaf.shape) / 2;
}
