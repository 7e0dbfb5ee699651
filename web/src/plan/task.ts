/** Chunks to read, and what was read of them. */

import type { Leaf } from "../chain/layout.js";
import type { Projection } from "./projections.js";

/** One chunk to read. */
export interface ChunkTask {
  /** Position in the grid of the chunks that are decoded (of the inner chunks, where there are shards). */
  readonly coordinates: readonly number[];
  /** The part of it that is wanted, per axis; without them all of it. */
  readonly projections?: readonly Projection[];
  /** Chunks of one object with lower ranks are read first; all have one, or none. */
  readonly rank?: number | undefined;
}

/** What was read of a chunk, encoded: all of it, or a subarray of its elements. */
export interface Fetched<L extends Leaf = Leaf> {
  /** What decodes it. */
  readonly codec: L;
  /** undefined where nothing is stored. The bytes may be lent: who is done with them may release them. */
  readonly encoded: Uint8Array | undefined;
  /** Of a subarray its first element in the chunk; its shape is that of its codec. */
  readonly start?: readonly number[] | undefined;
}

/** A chunk of a region, with the part of it that is wanted. */
export interface RegionTask extends ChunkTask {
  readonly projections: readonly Projection[];
  readonly group: Group;
}

/** A box of the result that is put together from the chunks of whole stored objects. */
export interface Group {
  /** First element of the box in the result, and its extent, per axis. */
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  /** The projections of the box, axis by axis. */
  readonly projections: readonly (readonly Projection[])[];
  /** Chunks go to the result one by one, as they come: those that are asked for first are to be there first. */
  readonly isLoose?: boolean;
}
