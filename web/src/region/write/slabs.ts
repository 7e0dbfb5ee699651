/**
 * Slabs of what is written: boxes of the caller's array that are copied into the core in long runs, from which it
 * encodes chunk after chunk. Rows of chunks are often too short to be copied one by one.
 */
import { isZarrError } from "../../base/errors.js";
import { countOf, stridesOf } from "../../base/strides.js";
import type { CoreChunkCodec } from "../../chain/core-chunk.js";
import type { CodecSession, Slab } from "../../engine/session.js";
import { type PlaceBox, placeOf } from "../assemble/place.js";
import { chooseSlabAxis, maxSlabBytes, SlabPartition } from "../assemble/slab-partition.js";
import { spansOf } from "../assemble/spans.js";
import type { Group, RegionTask } from "../assemble/task.js";

/** What one write has open at a time; chunks for which there is no room are put together by themselves. */
const maxOpenSlabs = 24;
const maxOpenBytes = 128 * 2 ** 20;

/** A box of the values; its slab comes with the first chunk that is encoded from it. */
interface Box extends PlaceBox {
  readonly shape: readonly number[];
  readonly bytes: number;
  slab: Slab | undefined;
}

export class ValueSlabs {
  readonly #partition = new SlabPartition<Box>(
    (group, lengths) => this.#axisOf(group, lengths),
    (origin, shape) => ({
      origin,
      shape,
      strides: stridesOf(shape, this.itemBytes),
      bytes: countOf(shape) * this.itemBytes,
      slab: undefined,
    }),
  );
  #slabs = 0;
  #bytes = 0;

  /** @param whole shape of the values. */
  constructor(
    private readonly session: CodecSession,
    private readonly values: Uint8Array,
    private readonly whole: readonly number[],
    private readonly itemBytes: number,
  ) {}

  /**
   * Encodes a chunk that is covered by the values.
   * @returns undefined for fill value that is not to be kept; "no room" where there is none for a slab.
   */
  encode(task: RegionTask, codec: CoreChunkCodec, keepsFill: boolean): Uint8Array | undefined | "no room" {
    const open = this.#partition.of(task);
    const box = open.content;
    try {
      box.slab ??= this.#filled(box);
      if (!box.slab) return "no room";
      const place = placeOf(task.projections, undefined, box);
      return this.session.encodePlaced(box.slab, { plan: codec.plan, ...place }, keepsFill);
    } finally {
      if (this.#partition.isLast(open)) this.#free(box);
    }
  }

  /** Says that a chunk will not be encoded from a slab. */
  skip(task: RegionTask): void {
    const open = this.#partition.of(task);
    if (this.#partition.isLast(open)) this.#free(open.content);
  }

  end(): void {
    for (const box of this.#partition.clear()) this.#free(box);
  }

  #filled(box: Box): Slab | undefined {
    const hasRoom = this.#slabs === 0 || this.#bytes + box.bytes <= maxOpenBytes;
    const slab = hasRoom && this.#slabs < maxOpenSlabs ? this.#makeSlab(box.bytes) : undefined;
    if (!slab) return undefined;
    this.#slabs++;
    this.#bytes += box.bytes;
    const { whole, itemBytes } = this;
    for (const { from, to, bytes } of spansOf({ origin: box.origin, shape: box.shape, whole, itemBytes }))
      this.session.copyToSlab(slab, from, this.values.subarray(to, to + bytes));
    return slab;
  }

  /** A slab, unless reads and other writes have taken all there are. */
  #makeSlab(bytes: number): Slab | undefined {
    try {
      return this.session.makeSlab(bytes);
    } catch (error) {
      if (isZarrError(error, "LimitExceeded")) return undefined;
      throw error;
    }
  }

  #free(box: Box): void {
    if (!box.slab) return;
    this.session.freeSlab(box.slab);
    box.slab = undefined;
    this.#slabs--;
    this.#bytes -= box.bytes;
  }

  #axisOf({ shape }: Group, lengths: readonly (readonly number[])[]): number {
    const isSmall = countOf(shape) * this.itemBytes <= maxSlabBytes;
    return isSmall ? 0 : chooseSlabAxis(shape, lengths, this.itemBytes);
  }
}
