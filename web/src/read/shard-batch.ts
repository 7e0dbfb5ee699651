/**
 * Batches of inner chunks of a shard, which the core decodes to their places in one call. Chunks are numbers: for small
 * chunks, creating an object takes longer than decoding.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import { type CodecSession, NeedsFullModule } from "../engine/session.js";
import type { ChunkList, ChunkTask, FetchedChunk, Projection, RegionTask } from "../plan/projections.js";
import type { PlaceBox, SlabBox, SlabPartition } from "../plan/slabs.js";
import { countOf } from "../util/shapes.js";
import type { Put } from "./object-reader.js";

/** Receives several chunks of a shard. */
export type PutBatch<T extends ChunkTask> = (batch: ShardBatch<T>) => void | Promise<void>;

/** Bytes of a shard, and the locations of its chunks by their numbers. */
export interface EncodedChunks {
  readonly bytes: Uint8Array;
  /** Offset of the bytes; those of chunks count from the same position. */
  readonly start: number;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/** Maximum size of the decoded chunks of a batch, and of the words that describe it to the core. */
const maxDecoded = 4 * 2 ** 20;
const maxWords = 2 ** 14;
const headWords = 2;
const chunkWords = (rank: number): number => 3 + 4 * rank;
/** Bytes that may be copied to the core without being needed, to copy the chunks of a call together. */
const maxExtra = 2 ** 12;
/** Maximum size of the bytes that are copied to the core together, unless a chunk is larger. */
const maxSpan = 8 * 2 ** 20;
/** Length of a missing chunk. */
const missing = 0xffffffff;

/** Returns the maximum number of chunks in a batch. */
export function batchLength({ plan, shape }: CoreChunkCodec): number {
  const byWords = (maxWords - headWords) / chunkWords(shape.length);
  return Math.max(1, Math.floor(Math.min(maxDecoded / Math.max(1, plan.decodedBytes), byWords)));
}

export class ShardBatch<T extends ChunkTask> implements Iterable<FetchedChunk<T>> {
  constructor(
    readonly chunks: ChunkList<T>,
    readonly codec: LeafChunkCodec,
    /** The chunks, in the order in which they are passed on. */
    readonly numbers: Uint32Array,
    /** Undefined for missing chunks. */
    readonly encoded: EncodedChunks | undefined,
  ) {}

  /** Yields chunks as objects. */
  *[Symbol.iterator](): Generator<FetchedChunk<T>> {
    for (const n of this.numbers) yield this.#chunk(n);
  }

  #chunk(n: number): FetchedChunk<T> {
    const chunk = { task: this.chunks.task(n), codec: this.codec };
    if (!this.encoded) return { ...chunk, encoded: undefined };
    const { bytes, lengths, offsets, start } = this.encoded;
    const at = offsets[n]! - start;
    return { ...chunk, encoded: bytes.subarray(at, at + lengths[n]!) };
  }

  /**
   * Decodes the chunks to their places in slabs.
   * @param finish receives the slabs that are complete.
   * @param sink places single chunks: those for the full module, and those without room in a slab.
   * @throws CorruptChunk. The chunks before the corrupt one have been placed.
   */
  place<B extends SlabBox>(
    this: ShardBatch<RegionTask>,
    session: CodecSession,
    slabs: SlabPartition<B | undefined>,
    finish: (box: B) => void,
    sink: { readonly put: Put<RegionTask> },
  ): void | Promise<void> {
    const { numbers } = this;
    const projections = this.chunks.projections!;
    for (let from = 0; from < numbers.length; ) {
      const slab = slabs.slabFor(this.chunks.task(numbers[from]!));
      // Consecutive numbers share the axes that divide the group into slabs.
      const count = countOf(projections.slice(slab.partition.axis).map((list) => list.length));
      const row = Math.floor(numbers[from]! / count);
      let to = from + 1;
      while (to < numbers.length && Math.floor(numbers[to]! / count) === row) to++;
      const box = slab.content;
      const end = box ? this.#placeIn(session, box, from, to) : from;
      if (box && slabs.isLast(slab, end - from)) finish(box);
      if (end < to) return this.#putEach(end, sink);
      from = to;
    }
  }

  /** Passes chunks from an index on as objects. */
  async #putEach(from: number, sink: { readonly put: Put<T> }): Promise<void> {
    for (const n of this.numbers.subarray(from)) await sink.put(this.#chunk(n));
  }

  /**
   * Decodes chunks to their places in a slab.
   * @param from index of the first chunk in `numbers`.
   * @param to index after the last.
   * @returns the index up to which all chunks have been placed: `to`, unless some need the full module.
   */
  #placeIn(session: CodecSession, box: SlabBox, from: number, to: number): number {
    const codec = this.codec as CoreChunkCodec;
    if (codec.chain.toBytes.type !== "core") return from; // takes several steps for a chunk
    const plan = this.encoded ? codec.plan : codec.placed(undefined, noPlace)[0]!.plan;
    const places = placesIn(this.chunks.projections!, box);
    for (let at = from; at < to; ) {
      const span = this.#span(at, to);
      const words = this.#words(places, at, span.to, span.first);
      words[0] = box.slab.id;
      try {
        session.placeChunks(plan, words, span.to - at, span.bytes);
      } catch (error) {
        if (error instanceof NeedsFullModule) return at;
        throw error;
      }
      at = span.to;
    }
    return to;
  }

  /** Returns the chunks from an index on whose bytes are copied to the core together, and these bytes. */
  #span(
    from: number,
    to: number,
  ): { readonly to: number; readonly first: number; readonly bytes: Uint8Array } {
    if (!this.encoded) return { to, first: 0, bytes: noBytes };
    const { bytes, lengths, offsets, start } = this.encoded;
    let [first, last, used, at] = [Number.POSITIVE_INFINITY, 0, maxExtra, from];
    for (; at < to; at++) {
      const n = this.numbers[at]!;
      const low = Math.min(first, offsets[n]!);
      const high = Math.max(last, offsets[n]! + lengths[n]!);
      used += lengths[n]!;
      if (at > from && high - low > Math.min(used, maxSpan)) break;
      first = low;
      last = high;
    }
    return { to: at, first, bytes: bytes.subarray(first - start, last - start) };
  }

  /** Returns the words that describe chunks to the core. @param first position of the bytes that it gets. */
  #words(places: Places, from: number, to: number, first: number): Uint32Array {
    const rank = places.length;
    const size = chunkWords(rank);
    const words = new Uint32Array(headWords + (to - from) * size);
    words[1] = rank;
    for (let i = from; i < to; i++) {
      const at = headWords + (i - from) * size;
      const n = this.numbers[i]!;
      if (this.encoded) {
        words[at] = this.encoded.offsets[n]! - first;
        words[at + 1] = this.encoded.lengths[n]!;
      } else words[at + 1] = missing;
      words[at + 2] = writeAxes(words, at + 3, places, n);
    }
    return words;
  }
}

const noBytes = new Uint8Array(0);
const noPlace = { offset: 0, axes: [] };

/** Places of projections in a slab, for each axis. */
type Places = readonly {
  readonly count: number;
  /** For each projection: start, step, count, stride in the slab. */
  readonly words: Uint32Array;
  /** For each projection: its part of the chunk's offset in the slab. */
  readonly offsets: Float64Array;
}[];

/** Returns the places of projections in a box of the result. */
function placesIn(projections: readonly (readonly Projection[])[], { origin, strides }: PlaceBox): Places {
  return projections.map((list, axis) => {
    const stride = strides[axis]!;
    const words = new Uint32Array(4 * list.length);
    list.forEach(({ start, step, count }, i) => {
      words.set([start, count > 1 ? step : 1, count, stride], 4 * i);
    });
    const offsets = Float64Array.from(list, ({ out }) => (out - origin[axis]!) * stride);
    return { count: list.length, words, offsets };
  });
}

/** Writes the axes of a chunk's place to words, and returns its offset in the slab. */
function writeAxes(to: Uint32Array, end: number, places: Places, n: number): number {
  let [rest, offset] = [n, 0];
  for (let axis = places.length - 1; axis >= 0; axis--) {
    const { count, words, offsets } = places[axis]!;
    const index = rest % count;
    rest = (rest - index) / count;
    offset += offsets[index]!;
    const at = end + 4 * axis;
    to[at] = words[4 * index]!;
    to[at + 1] = words[4 * index + 1]!;
    to[at + 2] = words[4 * index + 2]!;
    to[at + 3] = words[4 * index + 3]!;
  }
  return offset;
}
