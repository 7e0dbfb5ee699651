/**
 * Destinations of decoded chunks. Slabs are boxes of the result that are assembled in wasm memory and copied out in long
 * runs: rows of chunks are often too short to be copied to the result one by one (64 uint16 are 128 bytes). Chunks
 * stored exactly as they are used (no compressor, C order, native byte order) bypass the core: their rows are copied from
 * the fetched bytes to the result.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import { getSession } from "../engine/engine.js";
import type { Plan } from "../engine/plan.js";
import { type CodecSession, NeedsFullModule } from "../engine/session.js";
import {
  type Group,
  type Projection,
  type RegionChunk,
  type RegionTask,
  selectedCount,
} from "../plan/projections.js";
import {
  chooseSlabAxis,
  chunkPlace,
  copyToPlace,
  maxSlabBytes,
  type SlabBox,
  SlabPartition,
} from "../plan/slabs.js";
import { releaseBytes, takeBytes } from "../store/read.js";
import { repeated } from "../util/buffers.js";
import { corruptChunk } from "../util/errors.js";
import { cachedFor } from "../util/platform.js";
import { countOf, stridesOf } from "../util/shapes.js";
import type { ResultBytes, Sink } from "./assemble.js";
import type { ShardBatch } from "./shard-batch.js";

/**
 * Limits of a session's open slabs, for all reads together: the core supports 256 slabs. If there is no room,
 * chunks are copied to the result separately, in short rows.
 */
const maxOpenSlabs = 192;
const maxOpenBytes = 512 * 2 ** 20;

/** Number and size of a session's open slabs. */
interface OpenCount {
  slabs: number;
  bytes: number;
}

const openIn = cachedFor((_session: CodecSession): OpenCount => ({ slabs: 0, bytes: 0 }));

/** A box of the result, and the slab in which it is assembled. */
interface Box extends SlabBox {
  readonly shape: readonly number[];
}

/** Decodes chunks into slabs and copies these to the result. */
export class SlabSink implements Sink {
  /** Undefined if there was no room for a slab. */
  readonly #partition = new SlabPartition<Box | undefined>(
    (group, lengths) => this.#axisOf(group, lengths),
    (origin, shape) => this.#boxIfRoom(origin, shape),
  );
  /** Boxes whose slabs are not freed yet. */
  readonly #boxes = new Set<Box>();
  readonly #shape: readonly number[];
  readonly #itemBytes: number;
  #session!: CodecSession;

  /**
   * @param codec representative of all chunks: their modules are the same.
   * @param out the result: C order, native byte order.
   * @param divide returns the axis from which slabs span a group, if other threads decode some of them. Default: small
   *   groups are one slab.
   */
  constructor(
    private readonly codec: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    private readonly out: ResultBytes,
    private readonly divide?: (group: Group, lengths: readonly (readonly number[])[]) => number,
  ) {
    this.#itemBytes = codec.plan.array.dtype.itemBytes;
    this.#shape = projections.map(selectedCount);
  }

  async start(): Promise<void> {
    this.#session = await getSession(this.codec.decodeModule);
  }

  put(chunk: RegionChunk): void | Promise<void> {
    const { projections } = chunk.task;
    const slab = this.#partition.slabFor(chunk.task);
    // Without room for the slab, the chunk is copied to the result separately.
    const box =
      slab.content ??
      this.#makeBox(
        projections.map((projection) => projection.out),
        projections.map((projection) => projection.count),
      );
    const finish = () => {
      const isLast = this.#partition.isLast(slab);
      if (isLast || !slab.content) this.#finish(box);
    };
    const placed = this.#place(chunk, box);
    return placed ? placed.then(finish) : finish();
  }

  putBatch(batch: ShardBatch<RegionTask>): void | Promise<void> {
    return batch.place(this.#session, this.#partition, (box) => this.#finish(box), this);
  }

  end(): void {
    for (const box of this.#boxes) this.#free(box);
  }

  #finish(box: Box): void {
    this.#copyOut(box);
    this.#free(box);
  }

  #place({ task, codec, encoded, start }: RegionChunk, box: Box): void | Promise<void> {
    const leaf = codec as CoreChunkCodec;
    const place = chunkPlace(task.projections, start, box);
    const release = () => encoded && releaseBytes(encoded);
    try {
      leaf.decodePlaced(this.#session, encoded, box.slab, place);
    } catch (error) {
      if (!(error instanceof NeedsFullModule) || this.#session.module !== "decode") throw error;
      this.codec.requireFullModule(); // for later reads
      return leaf.decodePlacedInFull(this.#session, encoded!, box.slab, place).then(release);
    }
    release();
  }

  #makeBox(origin: readonly number[], shape: readonly number[]): Box {
    const bytes = countOf(shape) * this.#itemBytes;
    const slab = this.#session.makeSlab(bytes);
    const count = openIn(this.#session);
    count.slabs++;
    count.bytes += bytes;
    const box = { slab, origin, shape, strides: stridesOf(shape, this.#itemBytes) };
    this.#boxes.add(box);
    return box;
  }

  #free(box: Box): void {
    const { slab } = box;
    this.#boxes.delete(box);
    const count = openIn(this.#session);
    count.slabs--;
    count.bytes -= slab.bytes;
    this.#session.freeSlab(slab);
  }

  /** A group is one slab, unless that would be too large. */
  #axisOf(group: Group, lengths: readonly (readonly number[])[]): number {
    if (this.divide) return this.divide(group, lengths);
    if (group.isLoose) return group.shape.length;
    const isSmall = countOf(group.shape) * this.#itemBytes <= maxSlabBytes;
    return isSmall ? 0 : chooseSlabAxis(group.shape, lengths, this.#itemBytes);
  }

  /** Returns a box with a slab, if there is room for one. */
  #boxIfRoom(origin: readonly number[], shape: readonly number[]): Box | undefined {
    const { slabs, bytes } = openIn(this.#session);
    const hasRoom =
      slabs < maxOpenSlabs && (slabs === 0 || bytes + countOf(shape) * this.#itemBytes <= maxOpenBytes);
    return hasRoom ? this.#makeBox(origin, shape) : undefined;
  }

  /** Copies a finished slab to the result, in runs as long as its layout allows. */
  #copyOut({ slab, origin, shape }: Box): void {
    const isAll = slab.bytes === this.out.byteLength;
    if (isAll && this.out.adopt(() => this.#session.copySlab(slab))) return;
    const place = { origin, shape, whole: this.#shape, itemBytes: this.#itemBytes };
    const { bytes } = this.out;
    this.#session.withSlab(slab, (box) => copyToPlace(box, place, bytes));
  }
}

/**
 * Minimum length of a row. The core gathers shorter ones faster, because a row copy in JavaScript costs some
 * 50 ns.
 */
const minRowBytes = 64;

/** Whether the projections of chunks can be copied directly, in rows of sufficient length. */
export function isNativeCopy(
  { isNative, plan }: CoreChunkCodec,
  projections: readonly (readonly Projection[])[],
): boolean {
  if (!isNative) return false;
  const inner = projections.at(-1);
  if (!inner) return true;
  const longest = inner.reduce((most, projection) => Math.max(most, projection.count), 0);
  const rowBytes = longest * plan.array.dtype.itemBytes;
  const contiguous = inner.every((projection) => projection.step === 1 || projection.count === 1);
  return contiguous && (rowBytes >= minRowBytes || projections.every((list) => list.length <= 1));
}

/** Copies rows from fetched chunks to the result. */
export class NativeSink implements Sink {
  readonly #outStrides: readonly number[];

  constructor(
    { plan }: CoreChunkCodec,
    projections: readonly (readonly Projection[])[],
    private readonly out: ResultBytes,
  ) {
    this.#outStrides = stridesOf(projections.map(selectedCount), plan.array.dtype.itemBytes);
  }

  async start(): Promise<void> {}

  put({ task, codec, encoded, start }: RegionChunk): void {
    const { plan } = codec as CoreChunkCodec;
    if (encoded && this.#isResult(plan, encoded, task.projections)) {
      if (this.out.adopt(() => (takeBytes(encoded) ? encoded : undefined))) return;
    }
    placeNative(plan, encoded, task.projections, start, this.out.bytes, this.#outStrides);
    if (encoded) releaseBytes(encoded);
  }

  /** Whether the bytes of one chunk are all bytes of the result, in their order. */
  #isResult(plan: Plan, encoded: Uint8Array, projections: readonly Projection[]): boolean {
    const { byteLength } = this.out;
    if (encoded.byteLength !== byteLength || plan.decodedBytes !== byteLength) return false;
    return projections.every(({ start, step }) => start === 0 && step === 1);
  }

  end(): void {}
}

/** Copies the projected part of a chunk; a missing chunk is filled with the fill value. */
function placeNative(
  plan: Plan,
  encoded: Uint8Array | undefined,
  projections: readonly Projection[],
  subarrayStart: readonly number[] | undefined,
  out: Uint8Array,
  outStrides: readonly number[],
): void {
  const { shape, dtype, fillItem } = plan.array;
  if (encoded && encoded.byteLength !== plan.decodedBytes) {
    const message = `codec bytes: the chunk has ${encoded.byteLength} bytes, but its shape and data type require ${plan.decodedBytes}`;
    throw corruptChunk(message, { code: "size-mismatch", codec: plan.steps[0]!.name });
  }
  const strides = stridesOf(shape, dtype.itemBytes);
  const inner = projections.at(-1);
  const rowBytes = (inner?.count ?? 1) * dtype.itemBytes;
  const row = encoded ? undefined : repeated(fillItem, rowBytes);
  const outer = projections.slice(0, -1);
  let from = projections.reduce(
    (sum, projection, i) => sum + (projection.start - (subarrayStart?.[i] ?? 0)) * strides[i]!,
    0,
  );
  let to = projections.reduce((sum, projection, i) => sum + projection.out * outStrides[i]!, 0);
  const counter = outer.map(() => 0);
  for (let left = countOf(outer.map((projection) => projection.count)); left > 0; left--) {
    out.set(row ?? encoded!.subarray(from, from + rowBytes), to);
    for (let axis = outer.length - 1; axis >= 0; axis--) {
      const projection = outer[axis]!;
      from += projection.step * strides[axis]!;
      to += outStrides[axis]!;
      if (++counter[axis]! < projection.count) break;
      counter[axis] = 0;
      from -= projection.count * projection.step * strides[axis]!;
      to -= projection.count * outStrides[axis]!;
    }
  }
}
