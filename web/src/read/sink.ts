/** Where chunks go once they are read: sinks, the bytes of a result, and pools of threads that decode. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { Fetched, Projection, RegionTask } from "../plan/projections.js";
import type { Transport } from "../store/transport.js";
import { limitExceeded, unsupported } from "../util/errors.js";

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

/**
 * Allocates the bytes on first use. If one chunk, or a single copy from wasm memory, provides all of them, it becomes
 * the result: allocating and then filling memory would touch it twice.
 */
export class ResultBytes {
  #bytes: Uint8Array | undefined;
  readonly #adopts: boolean;

  /** @param given the caller's bytes; or whether to share new ones between threads. */
  constructor(
    readonly byteLength: number,
    private readonly given: Uint8Array | { readonly isShared: boolean },
  ) {
    if (given instanceof Uint8Array) this.#bytes = given;
    this.#adopts = !(given instanceof Uint8Array) && !given.isShared;
  }

  /** @throws LimitExceeded ("out-of-memory"); Unsupported if shared memory is not available. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#make();
    return this.#bytes;
  }

  /** Whether the bytes are new and shared between threads. */
  get isShared(): boolean {
    return !(this.given instanceof Uint8Array) && this.given.isShared;
  }

  /** The bytes if they are new and shared: the caller does not see them before the read is complete. */
  get shared(): Uint8Array<SharedArrayBuffer> | undefined {
    return this.isShared ? (this.bytes as Uint8Array<SharedArrayBuffer>) : undefined;
  }

  /**
   * Uses other bytes as the result; false if the result already exists or is given.
   * @param take returns all the bytes, which fill their buffer; undefined if it has none.
   */
  adopt(take: () => Uint8Array | undefined): boolean {
    if (!this.#adopts || this.#bytes) return false;
    this.#bytes = take();
    return this.#bytes !== undefined;
  }

  #make(): Uint8Array {
    const { byteLength, isShared } = this;
    // Engines hide it from pages that are not cross-origin isolated.
    if (isShared && typeof SharedArrayBuffer === "undefined")
      throw unsupported("SharedArrayBuffer is not available; the page must be cross-origin isolated", {
        code: "no-shared-memory",
      });
    try {
      return new Uint8Array(isShared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength));
    } catch (cause) {
      throw limitExceeded(`no memory for a result of ${byteLength} bytes`, { code: "out-of-memory", cause });
    }
  }
}
