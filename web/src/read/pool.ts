/** The interface of decoding threads, as used by reads. */
import type { CoreChunkCodec } from "../chain/core-chunk.js";
import type { Projection } from "../plan/projections.js";
import type { Transport } from "../store/transport.js";
import type { ResultBytes } from "./result.js";
import type { LocateError, Sink } from "./sink.js";

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
