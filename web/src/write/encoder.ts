/** Encodes the chunks of a write. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import { largerModule } from "../engine/compile.js";
import { getSession } from "../engine/engine.js";
import type { CodecSession, Copy } from "../engine/session.js";
import type { RegionTask } from "../plan/task.js";
import type { MaybePromise } from "../store/store.js";
import type { MemoryArray } from "../util/buffers.js";
import { type EncodeStep, encoding, patchStep, runStep, wholeStep } from "./encode-step.js";
import type { WrittenRegion } from "./region-parts.js";
import type { Values } from "./values.js";
import { putValues, ValueSlabs } from "./write-slabs.js";

/** An encoded chunk; undefined for one that is not stored. */
export type Encoded = Uint8Array | undefined;

/** Encoding on other threads. */
export interface Encoders {
  /** Called when the write of a region starts and ends. */
  enter(): void;
  leave(): void;
  /** Whether these threads encode chunks of a kind. */
  takes(codec: CoreChunkCodec): boolean;
  /** @throws the errors of {@link ChunkEncoder.patched}; the signal's reason. */
  encode(step: EncodeStep, signal: AbortSignal | undefined): Promise<Encoded | "no room">;
}

export interface EncoderOptions {
  /** Whether to store chunks that contain only the fill value. */
  readonly keepsFill: boolean;
  readonly encoders: Encoders | undefined;
  readonly signal: AbortSignal | undefined;
  /** Whether the write clears removed elements: covered chunks are deleted, and missing ones stay missing. */
  readonly clears?: boolean;
}

/** Maximum number of cached scalar chunks: arrays have few kinds of chunks, except in rectilinear grids. */
const maxScalars = 16;

/** Encodes chunks of one write, on this thread or on others. */
export class ChunkEncoder {
  #session!: CodecSession;
  #slabs: ValueSlabs | undefined;
  /** Encoded whole chunks of a scalar, by the properties that determine their encoding. */
  readonly #scalars = new Map<string, Encoded>();

  constructor(
    private readonly values: Values,
    private readonly region: WrittenRegion,
    private readonly options: EncoderOptions,
  ) {}

  /** @throws errors of an invalid chain, before anything is written. */
  async start(codec: LeafChunkCodec): Promise<void> {
    // Has all encoders and all decoders, and reports codecs of the images module as codecs without an
    // encoder.
    this.#session = await getSession(largerModule("full", codec.encodeModule));
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
   * Encodes a chunk that the values cover as far as it lies in the array.
   * @param isFirst false for a repeated attempt.
   * @param copy may receive the encoded bytes before this returns.
   * @throws EncodeFailed for values that a codec cannot represent.
   */
  whole(task: RegionTask, codec: LeafChunkCodec, isFirst: boolean, copy?: Copy): MaybePromise<Encoded> {
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

  /** Announces that a chunk will be patched, possibly more than once. */
  announcePatched(task: RegionTask): void {
    this.#slabs?.skip(task);
  }

  /**
   * Encodes a chunk with some new values.
   * @param stored the encoded chunk with its other elements. Default: they have the fill value.
   * @throws CorruptChunk for the stored chunk; EncodeFailed.
   */
  patched(
    task: RegionTask,
    codec: LeafChunkCodec,
    stored: Uint8Array | undefined,
    copy?: Copy,
  ): MaybePromise<Encoded> {
    if (this.options.clears && !stored) return undefined;
    if (!isPlaced(codec)) return this.#inContent(task, codec, stored);
    const step = patchStep(codec, this.values, task.projections, stored, this.options.keepsFill);
    return this.#run(task, codec, step, copy);
  }

  #scalar(task: RegionTask, codec: LeafChunkCodec): Encoded {
    const key = `${codec.shape}/${task.projections.map(({ count }) => count)}`;
    // A copy per object: stores may modify the bytes, for example encrypt them in place.
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

  /** Encodes from a chunk's content in JavaScript memory: lists of values, blocks of N5. */
  #inContent({ projections }: RegionTask, codec: LeafChunkCodec, stored: Uint8Array | undefined): Encoded {
    const before = stored ? codec.decode(this.#session, stored) : codec.missing();
    const content = before as MemoryArray["content"];
    putValues(this.values, projections, { content, shape: codec.shape });
    if (!this.options.keepsFill && isSame(content, codec.missing())) return undefined;
    return encoding(() => codec.encode(this.#session, content));
  }
}

/** Whether the core assembles and encodes a chunk in one step. */
const isPlaced = (codec: LeafChunkCodec): codec is CoreChunkCodec =>
  codec.type === "core" && codec.chain.toBytes.type === "core";

function isSame(a: readonly unknown[] | Uint8Array, b: readonly unknown[] | Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !isSameBytes(a[i], b[i])) return false;
  return true;
}

const isSameBytes = (a: unknown, b: unknown): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array && a.length === b.length && isSame(a, b);
