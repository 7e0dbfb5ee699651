/** Where chunks go once they are read: sinks, and pools of threads that decode. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { Fetched, Projection, RegionTask } from "../plan/projections.js";
import type { Transport } from "../store/transport.js";
import type { ResultBytes } from "./result.js";

/** Receives the chunks of a region as they arrive. */
export interface Sink {
  /** Called once before the first chunk, to check and prepare plans. */
  start(): Promise<void>;
  /**
   * Decodes a chunk to its place in the result, or fills it with the fill value if it is not stored; in any
   * order.
   * @param signal aborted when the read ends early for any reason.
   */
  put(task: RegionTask, fetched: Fetched, signal: AbortSignal): void | Promise<void>;
  /** Called once, also after a failure. */
  end(): void;
}

/** Adds the chunk's key to an error. */
export type LocateError = (error: unknown, task: RegionTask) => unknown;

/** A pool of threads that decode chunks. */
export interface DecodePool {
  /** Sends requests from the pool's threads, if supported. */
  readonly transport: Transport | undefined;
  /** Whether a chunk is worth decoding on another thread. */
  takes(codec: CoreChunkCodec): boolean;
  /** Decodes one chunk. */
  decode(codec: CoreChunkCodec, encoded: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array>;
  /** Returns a sink that decodes on other threads; undefined if the calling thread should decode. */
  makeSink(
    codec: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    out: ResultBytes,
    located: LocateError,
  ): Sink | undefined;
}
