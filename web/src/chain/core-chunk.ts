/** Chunks that the core decodes: one plan each, plus a header for N5 blocks. */

import type { BlockFrame } from "../codecs/n5.js";
import type { ModuleName } from "../engine/module.js";
import type { Plan } from "../engine/plan.js";
import type { CodecSession, Place, PlacedStep, Slab } from "../engine/session.js";
import { repeated } from "../util/buffers.js";
import type { ResolvedChain } from "./chain.js";
import type { Content, LeafCodec } from "./chunk-codec.js";

/** Components of a core chunk codec. */
export interface CoreParts {
  /** The plan of a chunk; with a frame, of whole chunks in it. */
  readonly plan: Plan;
  readonly chain: ResolvedChain;
  readonly encodedBound: number;
  /** Set if chunks are blocks with a header and their own shape. */
  readonly frame?: BlockFrame | undefined;
  /** Makes the codec of subarrays of a shape, encoded with the chunk's array codecs. */
  makeSubarray?(shape: readonly number[]): CoreChunkCodec;
}

/**
 * Maximum number of cached subarray codecs. One read needs few shapes: inner subarrays, and those at the
 * chunk's edges.
 */
const maxSubarrays = 256;

export class CoreChunkCodec implements LeafCodec {
  readonly type = "core";
  readonly usesCore = true;
  readonly plan: Plan;
  readonly chain: ResolvedChain;
  readonly encodedBound: number;
  readonly #frame: BlockFrame | undefined;
  readonly #subarrays = new Map<string, CoreChunkCodec>();

  constructor(private readonly parts: CoreParts) {
    this.plan = parts.plan;
    this.chain = parts.chain;
    this.encodedBound = parts.encodedBound;
    this.#frame = parts.frame;
  }

  get shape(): readonly number[] {
    return this.plan.array.shape;
  }
  get decodeModule(): ModuleName {
    return this.plan.decodeModule;
  }
  get encodeModule(): ModuleName {
    return this.plan.encodeModule;
  }
  /** Whether encoded chunks are byte for byte identical to decoded ones. */
  get isNative(): boolean {
    return !this.#frame && this.plan.isNative;
  }

  requireFullModule(): void {
    this.plan.requireFullModule();
  }

  prepare(session: CodecSession): void {
    session.prepare(this.plan);
  }

  /** Returns the codec of a subarray of these chunks, without the codecs that follow the array-to-bytes codec. */
  subarray(shape: readonly number[]): CoreChunkCodec {
    const key = shape.join();
    let codec = this.#subarrays.get(key);
    if (!codec) {
      if (this.#subarrays.size >= maxSubarrays) this.#subarrays.clear();
      codec = this.parts.makeSubarray!(shape);
      this.#subarrays.set(key, codec);
    }
    return codec;
  }

  missing(): Uint8Array {
    const { array, decodedBytes } = this.plan;
    return repeated(array.fillItem, decodedBytes);
  }

  decode(session: CodecSession, encoded: Uint8Array): Uint8Array {
    return this.#frame ? this.#frame.decode(session, encoded) : session.decode(this.plan, encoded);
  }

  decodeInto(session: CodecSession, encoded: Uint8Array, out: Uint8Array): void {
    if (this.#frame) out.set(this.#frame.decode(session, encoded));
    else session.decodeInto(this.plan, encoded, out);
  }

  /**
   * Returns the steps that write a chunk to a slab, for a session of this thread or another. @throws
   * CorruptChunk.
   */
  placed(encoded: Uint8Array | undefined, place: Place): readonly PlacedStep[] {
    if (this.#frame && encoded) return this.#frame.placed(encoded, place);
    return [{ plan: this.plan, encoded, offset: place.offset, axes: place.axes }];
  }

  decodePlaced(session: CodecSession, encoded: Uint8Array | undefined, slab: Slab, place: Place): void {
    for (const step of this.placed(encoded, place)) session.place(slab, step);
  }

  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const bytes = content as Uint8Array;
    return this.#frame ? this.#frame.encode(session, bytes) : session.encode(this.plan, bytes);
  }
}
