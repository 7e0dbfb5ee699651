/** Chunks to read, and their encoded data. */

import type { LeafChunkCodec } from "../chain/layout.js";
import type { Projection } from "./projections.js";

/** One chunk to read. */
export interface ChunkTask {
  /** Position in the grid of chunks (of inner chunks, if the array has shards). */
  readonly coordinates: readonly number[];
  /** Selected part of the chunk, per axis. Default: the whole chunk. */
  readonly projections?: readonly Projection[];
  /** Chunks of one object with lower ranks are read first. Either all chunks have a rank, or none. */
  readonly rank?: number | undefined;
}

/** Encoded data of a chunk: the whole chunk, or a subarray of its elements. */
export interface Fetched<L extends LeafChunkCodec = LeafChunkCodec> {
  /** Codec that decodes it. */
  readonly codec: L;
  /** Undefined if nothing is stored. The bytes may be lent: the consumer may release them after use. */
  readonly encoded: Uint8Array | undefined;
  /** First element of a subarray in the chunk; the subarray's shape is that of its codec. */
  readonly start?: readonly number[] | undefined;
}

/** A chunk of a region, with its selected part. */
export interface RegionTask extends ChunkTask {
  readonly projections: readonly Projection[];
  readonly group: Group;
}

/** A box of the result that is assembled from the chunks of whole stored objects. */
export interface Group {
  /** First element of the box in the result, and its extent, per axis. */
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  /** Projections of the box, by axis. */
  readonly projections: readonly (readonly Projection[])[];
  /**
   * Whether chunks are copied to the result one by one, as they arrive: chunks that are read first should
   * also be available first.
   */
  readonly isLoose?: boolean;
}
