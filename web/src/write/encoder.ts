/** Encodes the chunks of a write. */

import { type CoreChunkCodec, wholePlace } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import { largerModule } from "../engine/compile.js";
import { getSession } from "../engine/engine.js";
import type { PlanWords } from "../engine/plan.js";
import type { CodecSession, Copy, Placement } from "../engine/session.js";
import type { RegionTask } from "../plan/projections.js";
import { maxSlabBytes } from "../plan/slabs.js";
import type { MaybePromise } from "../store/store.js";
import { BufferPool, type MemoryArray, repeated } from "../util/buffers.js";
import { isSameBytes } from "../util/bytes.js";
import { encodeFailed, isZarrError } from "../util/errors.js";
import { countOf, stridesOf } from "../util/shapes.js";
import { layOutBox, type Move, moveItems } from "../util/strided-copy.js";
import { checkNotDetached, type Values, type WritePart, type WrittenRegion } from "./region.js";
import { chunkMove, putValues, tryMakeSlab, ValueSlabs } from "./write-slabs.js";

/** An encoded chunk; undefined for one that is not stored. */
export type Encoded = Uint8Array | undefined;

/** Encoding on other threads. */
export interface Encoders {
  /** Called when the write of a region starts and ends. */
  enter(): void;
  leave(): void;
  /** Whether these threads encode chunks of a kind. @param values memory of the elements. */
  takes(codec: CoreChunkCodec, values: Uint8Array): boolean;
  /** @throws the errors of {@link ChunkEncoder.patched}; the signal's reason. */
  encode(step: EncodeStep, signal: AbortSignal | undefined): Promise<Encoded | "no room">;
}

interface EncoderOptions {
  /** Whether to store chunks that contain only the fill value. */
  readonly keepsFill: boolean;
  readonly encoders: Encoders | undefined;
  readonly signal: AbortSignal | undefined;
  /** Whether the write clears removed elements: covered chunks are deleted, and missing ones stay missing. */
  readonly clears?: boolean;
}

/** Maximum number of unused buffers: as many as are written at a time by default. */
const maxBuffers = 16;
/** Maximum number of cached scalar chunks: arrays have few kinds of chunks, except in rectilinear grids. */
const maxScalars = 16;

/** Encodes chunks of one write, on this thread or on others. */
export class ChunkEncoder {
  #session!: CodecSession;
  #slabs: ValueSlabs | undefined;
  /** Memory of shards and of chunks without codecs, and the buffers in use. */
  readonly #buffers = new BufferPool();
  readonly #lent = new WeakSet<ArrayBufferLike>();
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
    if (!isPlaced(codec) || isScalar || hasLists) return;
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
    if (!isPlaced(codec)) return this.#encodeContent(task, codec, undefined);
    if (codec.isNative && !copy) return this.#copyValues(task, codec, isFirst);
    const encoders = this.#encodersFor(codec);
    if (isFirst && encoders) this.#slabs?.skip(task);
    else if (isFirst && this.#slabs) {
      const encoded = encoding(() => this.#slabs!.encode(task, codec, keepsFill, copy));
      if (encoded !== "no room") return encoded;
    }
    return this.#run(task, codec, wholeStep(codec, this.values, task.projections, keepsFill), encoders, copy);
  }

  /** Returns a chunk that is stored as it is in memory. */
  #copyValues(task: RegionTask, { plan, shape }: CoreChunkCodec, isFirst: boolean): Encoded {
    if (isFirst) this.#slabs?.skip(task);
    const { projections } = task;
    const { fillItem } = plan.array;
    const isCovered = !this.region.hasLists && projections.every(({ count }, axis) => count === shape[axis]);
    const content = isCovered ? this.lend(plan.decodedBytes) : repeated(fillItem, plan.decodedBytes);
    putValues(this.values, projections, { content, shape });
    return this.options.keepsFill || !isRepeated(content, fillItem) ? content : undefined;
  }

  /** Lends memory for an object; {@link release} takes it back. */
  readonly lend = (bytes: number): Uint8Array<ArrayBuffer> => {
    const memory = this.#buffers.takeOrMake(bytes);
    this.#lent.add(memory.buffer);
    return memory;
  };

  /** Takes back the memory of an object that was written to a store that does not keep it. */
  release(chunk: Uint8Array): void {
    if (this.#lent.delete(chunk.buffer)) this.#buffers.give(chunk.buffer as ArrayBuffer, maxBuffers);
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
    if (!isPlaced(codec)) return this.#encodeContent(task, codec, stored);
    const step = chunkStep(codec, this.values, task.projections, stored, this.options.keepsFill);
    return this.#run(task, codec, step, this.#encodersFor(codec), copy);
  }

  #scalar(task: RegionTask, codec: LeafChunkCodec): Encoded {
    const key = `${codec.shape}/${task.projections.map(({ count }) => count)}`;
    // A copy per object: stores may modify the bytes, for example encrypt them in place.
    if (this.#scalars.has(key)) return this.#scalars.get(key)?.slice();
    if (this.#scalars.size >= maxScalars) this.#scalars.clear();
    const encoded = this.#encodeContent(task, codec, undefined);
    this.#scalars.set(key, encoded);
    return encoded?.slice();
  }

  #run(
    task: RegionTask,
    codec: CoreChunkCodec,
    step: EncodeStep,
    encoders: Encoders | undefined,
    copy?: Copy,
  ): MaybePromise<Encoded> {
    const outcome = encoders?.encode(step, this.options.signal) ?? runStep(this.#session, step, copy);
    const used = (encoded: Encoded | "no room") =>
      encoded === "no room" ? this.#encodeContent(task, codec, step.before?.encoded) : encoded;
    return outcome instanceof Promise ? outcome.then(used) : used(outcome);
  }

  #encodersFor(codec: CoreChunkCodec): Encoders | undefined {
    const { encoders } = this.options;
    return encoders?.takes(codec, this.values.content as Uint8Array) ? encoders : undefined;
  }

  /** Encodes from a chunk's content in JavaScript memory: lists of values, blocks of N5. */
  #encodeContent(
    { projections }: RegionTask,
    codec: LeafChunkCodec,
    stored: Uint8Array | undefined,
  ): Encoded {
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

/** Whether contents of a chunk are equal: packed bytes, or values. */
function isSame(a: readonly unknown[] | Uint8Array, b: readonly unknown[] | Uint8Array): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return isSameBytes(a, b);
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [a[i], b[i]];
    const areBytes = one instanceof Uint8Array && other instanceof Uint8Array;
    if (areBytes ? !isSameBytes(one, other) : one !== other) return false;
  }
  return true;
}

export interface EncodeStep {
  readonly plan: PlanWords;
  /** Size of the slab in which the chunk is assembled, and the position of the elements there. */
  readonly bytes: number;
  readonly place: Placement;
  /**
   * Source of the elements that get no value: a stored chunk, or the fill value. Undefined if all elements
   * get a value.
   */
  readonly before: { readonly encoded: Uint8Array | undefined } | undefined;
  /** The values, and their move into the slab. */
  readonly source: Uint8Array;
  readonly move: Move;
  /** Whether to encode chunks that contain only the fill value. */
  readonly keepsFill: boolean;
}

/** Returns the step for a chunk that the parts cover as far as it lies in the array. */
function wholeStep(
  codec: CoreChunkCodec,
  values: Values,
  parts: readonly WritePart[],
  keepsFill: boolean,
): EncodeStep {
  const source = values.content as Uint8Array;
  const isBox = parts.every(({ listed, step, count }) => !listed && (step === 1 || count === 1));
  if (!isBox) return chunkStep(codec, values, parts, undefined, keepsFill);
  const { plan } = codec;
  const shape = parts.map(({ count }) => count);
  const strides = stridesOf(shape, values.width);
  const place = {
    offset: 0,
    axes: parts.map(({ start, count }, axis) => [start, 1, count, strides[axis]!] as const),
  };
  const box = parts.map((part) => ({ ...part, start: 0, step: 1 }));
  const bytes = countOf(shape) * values.width;
  return { plan, bytes, place, before: undefined, source, move: chunkMove(values, box, shape), keepsFill };
}

/** Returns the step for a chunk whose other elements come from a stored chunk, or have the fill value. */
function chunkStep(
  { plan }: CoreChunkCodec,
  values: Values,
  parts: readonly WritePart[],
  encoded: Uint8Array | undefined,
  keepsFill: boolean,
): EncodeStep {
  const { shape } = plan.array;
  return {
    plan,
    bytes: plan.decodedBytes,
    place: wholePlace(shape, values.width),
    before: { encoded },
    source: values.content as Uint8Array,
    move: chunkMove(values, parts, shape),
    keepsFill,
  };
}

/** Chunks that are encoded from one slab. */
export interface EncodeBatch extends Omit<EncodeStep, "place"> {
  /** Position of each chunk's elements in the slab; a batch with `before` has one chunk. */
  readonly places: readonly Placement[];
  /** Size of the chunks' elements; the slab may hold others between them. */
  readonly contentBytes: number;
}

/**
 * Runs a batch.
 * @param each gets a function that encodes one chunk (undefined if it contains only the fill value and is not
 *   kept) and returns its result.
 * @param copy receives the encoded bytes. Default: copies them to new memory.
 * @returns "no room" if a slab cannot be allocated.
 * @throws CorruptChunk for the stored chunk; errors that `each` passes on: EncodeFailed.
 */
export function runBatch<T>(
  session: CodecSession,
  { plan, bytes, places, before, source, move, keepsFill }: EncodeBatch,
  each: (encode: () => Uint8Array<ArrayBuffer> | undefined) => T,
  copy?: Copy,
): T[] | "no room" {
  checkNotDetached(source);
  const slab = tryMakeSlab(session, bytes);
  if (!slab) return "no room";
  try {
    if (before) session.place(slab, { plan, encoded: before.encoded, ...places[0]! });
    session.withSlab(slab, (target) => moveItems(source, target, move));
    return places.map((place) =>
      each(() => encoding(() => session.encodePlaced(slab, { plan, ...place }, keepsFill, copy))),
    );
  } finally {
    session.freeSlab(slab);
  }
}

/** Runs a single step; see {@link runBatch}. */
export function runStep(
  session: CodecSession,
  { place, ...step }: EncodeStep,
  copy?: Copy,
): Uint8Array<ArrayBuffer> | undefined | "no room" {
  const batch = { ...step, places: [place], contentBytes: step.bytes };
  const outcome = runBatch(session, batch, (encode) => encode(), copy);
  return outcome === "no room" ? outcome : outcome[0];
}

/** Minimum row length in bytes for copying chunks separately. */
const enoughRow = 4096;
/** Chunks are not added to a batch of this size. */
const enoughBytes = 4 * 2 ** 20;

/**
 * Combines steps into batches: adjacent chunks along the last axis are copied together as long as their rows
 * are short. Their values are then copied in longer runs and gathered by the core.
 * @param steps in the requested order, neighbours consecutively.
 */
export function toBatches(steps: readonly EncodeStep[]): EncodeBatch[] {
  const groups: EncodeStep[][] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    if (group && isShort(group) && isNextTo(group.at(-1)!, step)) group.push(step);
    else groups.push([step]);
  }
  return groups.map(joinSteps);
}

const rowBytes = ({ move }: EncodeStep): number => (move.axes.at(-1)?.count ?? 1) * move.itemBytes;
const isShort = (group: readonly EncodeStep[]): boolean =>
  group.reduce((bytes, step) => bytes + rowBytes(step), 0) < enoughRow &&
  group.reduce((bytes, step) => bytes + step.bytes, 0) < enoughBytes;

/** Whether a step takes the next box of the same values, for a chunk of the same kind. */
function isNextTo(a: EncodeStep, b: EncodeStep): boolean {
  const last = a.move.axes.length - 1;
  return (
    a.before === undefined &&
    b.before === undefined &&
    a.plan === b.plan &&
    a.source === b.source &&
    last >= 0 &&
    b.move.from === a.move.from + rowBytes(a) &&
    a.move.axes.every(({ count }, axis) => axis === last || count === b.move.axes[axis]!.count)
  );
}

function joinSteps(steps: readonly EncodeStep[]): EncodeBatch {
  const [first] = steps as readonly [EncodeStep, ...EncodeStep[]];
  const { place, ...rest } = first;
  const contentBytes = steps.reduce((sum, step) => sum + step.bytes, 0);
  if (steps.length === 1) return { ...rest, places: [place], contentBytes };
  const { from, itemBytes, axes } = first.move;
  const row = steps.reduce((bytes, step) => bytes + rowBytes(step), 0);
  const shape = axes.map(({ count }, axis) => (axis === axes.length - 1 ? row / itemBytes : count));
  const distances = axes.map((axis) => axis.from as number); // boxes have no lists
  const { strides, bytes, move } = layOutBox(shape, distances, itemBytes, maxSlabBytes);
  let offset = 0;
  const places = steps.map((step) => {
    const own = {
      offset,
      axes: step.place.axes.map(([start, by, count], i) => [start, by, count, strides[i]!] as const),
    };
    offset += rowBytes(step);
    return own;
  });
  return { ...rest, bytes, move: { from, ...move }, places, contentBytes };
}

/**
 * Converts the core's invalid-argument error, which means elements that a codec cannot represent, to
 * EncodeFailed.
 */
export function encoding<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isZarrError(error, "InvalidArgument")) throw error;
    throw encodeFailed(error.message, { code: error.code, codec: error.codec, cause: error });
  }
}

/** Whether bytes consist of a repeated item. */
export function isRepeated(bytes: Uint8Array, item: Uint8Array): boolean {
  const width = item.byteLength;
  if (item.some((byte, i) => byte !== bytes[i])) return false;
  const isWords = (bytes.byteOffset | bytes.byteLength) % 4 === 0 && (width % 4 === 0 || 4 % width === 0);
  if (!isWords || bytes.byteLength < 4) return hasPeriod(bytes, width);
  if (width < 4 && !hasPeriod(bytes.subarray(0, 4), width)) return false;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return hasPeriod(words, Math.max(1, width / 4));
}

function hasPeriod(list: Uint8Array | Int32Array, period: number): boolean {
  for (let i = period; i < list.length; i++) if (list[i] !== list[i - period]) return false;
  return true;
}
