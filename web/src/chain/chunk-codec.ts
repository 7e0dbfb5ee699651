/**
 * Chunk codecs convert the bytes of one kind of chunk to elements and back. All reading and writing of chunks
 * goes through them: `get`, `getChunk`, worker pools, `zarr-wasm/codecs`.
 *
 * They work synchronously, in a session of the core acquired beforehand ({@link withSession}).
 */

import type { BlockFrame } from "../codecs/n5.js";
import type { VlenCodec } from "../codecs/vlen-codec.js";
import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import type { ModuleName } from "../engine/compile.js";
import { withDecoder } from "../engine/engine.js";
import { type ChainStep, endianWords, moduleFor, Plan } from "../engine/plan.js";
import type { CodecSession, PlacedStep, Placement, Slab } from "../engine/session.js";
import { repeated } from "../util/buffers.js";
import { withDetails } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import type { ResolvedChain } from "./chain.js";

/** The elements of a chunk in C order: as packed bytes in native byte order, or as a list of values. */
export type Content = Uint8Array | readonly unknown[];

/** Destination of decoded elements: a slab in wasm memory, or a list of values. */
export type DecodeTarget = Slab | unknown[];

export interface ChunkCodec {
  /** Length of each dimension of a chunk. */
  readonly shape: readonly number[];
  /** Whether decoding needs the core. If not, no session is required. */
  readonly usesCore: boolean;
  /** The modules that can decode and encode. */
  readonly decodeModule: ModuleName;
  readonly encodeModule: ModuleName;
  /** Records that a chunk needed the full module, so that all later ones are decoded there. */
  requireFullModule(): void;
  /** Checks and prepares the plans that the session will run. */
  prepare(session: CodecSession): void;
  /** @throws CorruptChunk, naming the codec; NeedsFullModule. */
  decode(session: CodecSession | undefined, encoded: Uint8Array): Content;
  /** Decodes into bytes, or a list, of exactly the chunk's size. Writes nothing on failure. */
  decodeInto(session: CodecSession | undefined, encoded: Uint8Array, out: Uint8Array | unknown[]): void;
  /** @throws InvalidArgument for elements that a codec cannot represent; Unsupported. */
  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer>;
}

/** The codec of chunks that hold elements rather than other chunks. */
export interface LeafCodec extends ChunkCodec {
  /** Upper bound on the encoded size of a chunk; stores reject larger objects. */
  readonly encodedBound: number;
  /** Returns the content of a chunk that is not stored. */
  missing(): Content;
  /**
   * Decodes a chunk and writes the part of it that `place` names to the target; fill value for a chunk that
   * is not stored. Writes nothing on failure.
   */
  decodePlaced(
    session: CodecSession | undefined,
    encoded: Uint8Array | undefined,
    target: DecodeTarget,
    place: Placement,
  ): void;
}

/** Decodes with a chunk codec in this thread; retries in the full module if a chunk needs it. */
export function withSession<T>(
  codec: ChunkCodec,
  work: (session: CodecSession | undefined) => T,
): T | Promise<T> {
  return codec.usesCore ? withDecoder(codec, work) : work(undefined);
}

/** Returns the place of a whole packed chunk. @param width bytes per element, or 1 entry of a list. */
export function wholePlace(shape: readonly number[], width = 1): Placement {
  const strides = stridesOf(shape, width);
  return { offset: 0, axes: shape.map((length, axis) => [0, 1, length, strides[axis]!]) };
}

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

const littleBytes: ChainStep = { core: "bytes", params: [endianWords.little], name: "bytes" };

export class CoreChunkCodec implements LeafCodec {
  readonly type = "core";
  readonly usesCore = true;
  readonly plan: Plan;
  readonly chain: ResolvedChain;
  readonly encodedBound: number;
  readonly #frame: BlockFrame | undefined;
  #elements: Plan | undefined;
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

  /** Whether chunks are blocks with a header and their own shape. */
  get isFramed(): boolean {
    return this.#frame !== undefined;
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
  placed(encoded: Uint8Array | undefined, place: Placement): readonly PlacedStep[] {
    if (this.#frame && encoded) return this.#frame.placed(encoded, place);
    return [
      { plan: encoded ? this.plan : this.#elementsPlan(), encoded, offset: place.offset, axes: place.axes },
    ];
  }

  /**
   * Returns the plan of elements as they are in memory. It writes fill values, too: missing chunks must be readable even
   * if the chain does not fit.
   */
  #elementsPlan(): Plan {
    this.#elements ??= new Plan(this.plan.array, [littleBytes]);
    return this.#elements;
  }

  decodePlaced(session: CodecSession, encoded: Uint8Array | undefined, slab: Slab, place: Placement): void {
    for (const step of this.placed(encoded, place)) session.place(slab, step);
  }

  /** Decodes a chunk in the full module, and writes the part that `place` names to a slab of another session. */
  async decodePlacedInFull(
    session: CodecSession,
    encoded: Uint8Array,
    slab: Slab,
    { offset, axes }: Placement,
  ): Promise<void> {
    this.requireFullModule();
    const decoded = await withDecoder(this, (full) => this.decode(full, encoded));
    session.place(slab, { plan: this.#elementsPlan(), encoded: decoded, offset, axes });
  }

  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const bytes = content as Uint8Array;
    return this.#frame ? this.#frame.encode(session, bytes) : session.encode(this.plan, bytes);
  }
}

/** Components of a codec of variable-length elements. */
export interface VlenParts {
  readonly shape: readonly number[];
  /** Encoded axis i is the array's axis `axes[i]`. */
  readonly axes: readonly number[];
  readonly name: string;
  readonly codec: VlenCodec;
  readonly after: readonly ChainStep[];
  /** Value of elements of missing chunks. */
  readonly fill: unknown;
  readonly limits: Limits;
}

export class VlenChunkCodec implements LeafCodec {
  readonly type = "vlen";
  readonly shape: readonly number[];
  readonly after: readonly ChainStep[];
  readonly encodeModule: ModuleName;
  /** The store limit, because no metadata states the length of the elements. */
  readonly encodedBound: number;
  #decodeModule: ModuleName;

  constructor(private readonly parts: VlenParts) {
    this.shape = parts.shape;
    this.after = parts.after;
    this.encodedBound = parts.limits.encodedBytes;
    this.#decodeModule = moduleFor(parts.after, "decode");
    this.encodeModule = moduleFor(parts.after, "encode");
  }

  get usesCore(): boolean {
    return this.after.length > 0;
  }
  get decodeModule(): ModuleName {
    return this.#decodeModule;
  }
  requireFullModule(): void {
    this.#decodeModule = "full";
  }

  prepare(session: CodecSession): void {
    if (this.usesCore) session.prepare(Plan.bytesOnly(this.after, 1));
  }

  missing(): unknown[] {
    return new Array<unknown>(countOf(this.shape)).fill(this.parts.fill);
  }

  decode(session: CodecSession | undefined, encoded: Uint8Array): unknown[] {
    const out = new Array<unknown>(countOf(this.shape));
    this.decodePlaced(session, encoded, out, wholePlace(this.shape));
    return out;
  }

  decodeInto(session: CodecSession | undefined, encoded: Uint8Array, out: unknown[]): void {
    this.decodePlaced(session, encoded, out, wholePlace(this.shape));
  }

  decodePlaced(
    session: CodecSession | undefined,
    encoded: Uint8Array | undefined,
    out: unknown[],
    place: Placement,
  ): void {
    const { fill } = this.parts;
    const values = encoded && this.#values(session, encoded);
    this.#each(place, (stored, to) => {
      out[to] = values ? values[stored] : fill;
    });
  }

  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const { axes, codec, shape } = this.parts;
    const values = new Array<unknown>(countOf(shape));
    this.#each(wholePlace(shape), (stored, from) => {
      values[stored] = content[from];
    });
    const storedShape = axes.map((axis) => shape[axis]!);
    return encodeBytesIn(session, this.after, codec.encode(values, storedShape));
  }

  /** Returns the values in stored order. */
  #values(session: CodecSession | undefined, encoded: Uint8Array): unknown[] {
    const { codec, limits, name, shape } = this.parts;
    const bytes = decodeBytesIn(session, this.after, encoded, limits.chunkBytes);
    try {
      return codec.decode(bytes, countOf(shape));
    } catch (error) {
      throw withDetails(error, { codec: name });
    }
  }

  /** Visits the values of a place with their stored index and their target index. */
  #each({ offset, axes: placed }: Placement, visit: (stored: number, at: number) => void): void {
    const { axes, shape } = this.parts;
    const strides = stridesOf(axes.map((axis) => shape[axis]!));
    const stored = shape.map((_, axis) => strides[axes.indexOf(axis)]!);
    for (const index of indices(placed.map(([, , count]) => count))) {
      let [from, to] = [0, offset];
      for (let axis = 0; axis < placed.length; axis++) {
        const [start, step, , stride] = placed[axis]!;
        from += (start + index[axis]! * step) * stored[axis]!;
        to += index[axis]! * stride;
      }
      visit(from, to);
    }
  }
}
