/** Encoding the chunks that a write touches. */

import type { CoreChunkCodec } from "../chain/core-chunk.js";
import type { Leaf } from "../chain/layout.js";
import { largerModule } from "../engine/compile.js";
import { sessionOf } from "../engine/engine.js";
import type { CodecSession, Copy } from "../engine/session.js";
import type { RegionTask } from "../plan/task.js";
import type { MaybePromise } from "../store/store.js";
import type { MemoryArray } from "../util/subarray.js";
import { type EncodeStep, encoding, patchStep, runStep, wholeStep } from "./encode-step.js";
import { putValues } from "./gather.js";
import type { WrittenRegion } from "./region-parts.js";
import type { Values } from "./values.js";
import { ValueSlabs } from "./write-slabs.js";

/** An encoded chunk; undefined for one that is not to be stored. */
export type Encoded = Uint8Array | undefined;

/** Other threads that encode. */
export interface Encoders {
  /** Says that a region is being written, and that it is written no more. */
  enter(): void;
  leave(): void;
  /** Whether chunks of a kind are encoded there. */
  takes(codec: CoreChunkCodec): boolean;
  /** Throws as {@link ChunkEncoder.patched} does; the signal's reason. */
  encode(step: EncodeStep, signal: AbortSignal | undefined): Promise<Encoded | "no room">;
}

export interface EncoderOptions {
  /** Whether chunks that are all fill value are stored, too. */
  readonly keepsFill: boolean;
  readonly encoders: Encoders | undefined;
  readonly signal: AbortSignal | undefined;
  /**
   * Whether the values are what is left of elements that are gone: chunks that are covered go, too, and those that are not
   * stored stay so.
   */
  readonly clears?: boolean;
}

/** Scalar chunks that are kept: arrays have few kinds of chunks, but for rectilinear grids. */
const maxScalars = 16;

/** Encodes chunks of one write: in a session of this thread, or by others. */
export class ChunkEncoder {
  #session!: CodecSession;
  #slabs: ValueSlabs | undefined;
  /** Whole chunks of a scalar by what is the same for all that are encoded alike. */
  readonly #scalars = new Map<string, Encoded>();

  constructor(
    private readonly values: Values,
    private readonly region: WrittenRegion,
    private readonly options: EncoderOptions,
  ) {}

  /** @throws what is wrong with the chain, before anything is written. */
  async start(codec: Leaf): Promise<void> {
    // All encoders and all decoders; for codecs that only the images module has, it says that nothing encodes them.
    this.#session = await sessionOf(largerModule("full", codec.encodeModule));
    codec.prepare(this.#session);
    const { content, isScalar, width } = this.values;
    const { counts, hasLists } = this.region;
    this.options.encoders?.enter();
    if (!isPlaced(codec) || isScalar || hasLists || this.#encodersOf(codec)) return;
    this.#slabs = new ValueSlabs(this.#session, content as Uint8Array, counts, width);
  }

  end(): void {
    this.#slabs?.end();
    this.options.encoders?.leave();
  }

  get session(): CodecSession {
    return this.#session;
  }

  /**
   * Encodes a chunk of which the values cover all that lies in the array.
   * @param isFirst false where that has been done before.
   * @param copy what may take the encoded bytes, before this returns.
   * @throws EncodeFailed for values that a codec has no form for.
   */
  whole(task: RegionTask, codec: Leaf, isFirst: boolean, copy?: Copy): MaybePromise<Encoded> {
    if (this.options.clears) return undefined;
    if (this.values.isScalar) return this.#scalar(task, codec);
    const { keepsFill } = this.options;
    if (!isPlaced(codec)) return this.#inContent(task, codec, undefined);
    if (isFirst && this.#slabs) {
      const encoded = encoding(() => this.#slabs!.encode(task, codec, keepsFill, copy));
      if (encoded !== "no room") return encoded;
    }
    return this.#run(task, codec, wholeStep(codec, this.values, task.projections, keepsFill), copy);
  }

  /** Says that a chunk will be patched, maybe more than once. */
  announcePatched(task: RegionTask): void {
    this.#slabs?.skip(task);
  }

  /**
   * Encodes a chunk with the values that it gets.
   * @param stored what its other elements come from, encoded; without it they are fill value.
   * @throws CorruptChunk for what is stored; EncodeFailed.
   */
  patched(task: RegionTask, codec: Leaf, stored: Uint8Array | undefined, copy?: Copy): MaybePromise<Encoded> {
    if (this.options.clears && !stored) return undefined;
    if (!isPlaced(codec)) return this.#inContent(task, codec, stored);
    const step = patchStep(codec, this.values, task.projections, stored, this.options.keepsFill);
    return this.#run(task, codec, step, copy);
  }

  #scalar(task: RegionTask, codec: Leaf): Encoded {
    const key = `${codec.shape}/${task.projections.map(({ count }) => count)}`;
    // Each object has bytes of its own: stores may do with theirs what they like, encrypt them in place say.
    if (this.#scalars.has(key)) return this.#scalars.get(key)?.slice();
    if (this.#scalars.size >= maxScalars) this.#scalars.clear();
    const encoded = this.#inContent(task, codec, undefined);
    this.#scalars.set(key, encoded);
    return encoded?.slice();
  }

  #run(task: RegionTask, codec: CoreChunkCodec, step: EncodeStep, copy?: Copy): MaybePromise<Encoded> {
    const { signal } = this.options;
    const outcome = this.#encodersOf(codec)?.encode(step, signal) ?? runStep(this.#session, step, copy);
    const used = (encoded: Encoded | "no room") =>
      encoded === "no room" ? this.#inContent(task, codec, step.before?.encoded) : encoded;
    return outcome instanceof Promise ? outcome.then(used) : used(outcome);
  }

  #encodersOf(codec: CoreChunkCodec): Encoders | undefined {
    const { encoders } = this.options;
    return encoders?.takes(codec) ? encoders : undefined;
  }

  /** Through the content of a chunk in JavaScript's memory: lists of values, blocks of N5. */
  #inContent({ projections }: RegionTask, codec: Leaf, stored: Uint8Array | undefined): Encoded {
    const before = stored ? codec.decode(this.#session, stored) : codec.missing();
    const content = before as MemoryArray["content"];
    putValues(this.values, projections, { content, shape: codec.shape });
    if (!this.options.keepsFill && isSame(content, codec.missing())) return undefined;
    return encoding(() => codec.encode(this.#session, content));
  }
}

/** Whether the core puts a chunk together and encodes it in one. */
const isPlaced = (codec: Leaf): codec is CoreChunkCodec =>
  codec.type === "core" && codec.chain.toBytes.type === "core";

function isSame(a: readonly unknown[] | Uint8Array, b: readonly unknown[] | Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !isSameBytes(a[i], b[i])) return false;
  return true;
}

const isSameBytes = (a: unknown, b: unknown): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array && a.length === b.length && isSame(a, b);
