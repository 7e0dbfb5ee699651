/** A chunk that is asked for, and what is read of it. */
import type { Leaf } from "../chain/layout.js";
import type { Projection } from "../plan/projections.js";

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
