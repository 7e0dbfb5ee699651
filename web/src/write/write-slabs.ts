/**
 * Slabs of what is written: boxes of the caller's array that are copied into the core in long runs, from which it
 * encodes chunk after chunk. Rows of chunks are often too short to be copied one by one.
 */

import type { CoreChunkCodec } from "../chain/core-chunk.js";
import type { CodecSession, Copy, Slab } from "../engine/session.js";
import { type PlaceBox, placeOf } from "../plan/placement.js";
import { chooseSlabAxis, maxSlabBytes, SlabPartition } from "../plan/slab-partition.js";
import type { Group, RegionTask } from "../plan/task.js";
import { isZarrError } from "../util/errors.js";
import { moveItems } from "../util/strided-copy.js";
import { countOf, stridesOf } from "../util/strides.js";
import { checkThere } from "./detached.js";

/** What one write has open at a time; chunks for which there is no room are put together by themselves. */
const maxOpenSlabs = 24;
const maxOpenBytes = maxSlabBytes;
/** Shortest run that is worth a copy of its own. */
const minRun = 1024;

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
  encode(
    task: RegionTask,
    codec: CoreChunkCodec,
    keepsFill: boolean,
    copy?: Copy,
  ): Uint8Array | undefined | "no room" {
    const open = this.#partition.of(task);
    const box = open.content;
    try {
      box.slab ??= this.#filled(box);
      if (!box.slab) return "no room";
      const place = placeOf(task.projections, undefined, box);
      return this.session.encodePlaced(box.slab, { plan: codec.plan, ...place }, keepsFill, copy);
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
    checkThere(this.values);
    const hasRoom = this.#slabs === 0 || this.#bytes + box.bytes <= maxOpenBytes;
    const slab = hasRoom && this.#slabs < maxOpenSlabs ? roomIn(this.session, box.bytes) : undefined;
    if (!slab) return undefined;
    this.#slabs++;
    this.#bytes += box.bytes;
    const strides = stridesOf(this.whole, this.itemBytes);
    const axes = box.shape.map((count, axis) => ({ count, from: strides[axis]!, to: box.strides[axis]! }));
    const from = box.origin.reduce((sum, first, axis) => sum + first * strides[axis]!, 0);
    const move = { from, to: 0, itemBytes: this.itemBytes, axes };
    this.session.fillSlab(slab, (target) => moveItems(this.values, target, move));
    return slab;
  }

  #free(box: Box): void {
    if (!box.slab) return;
    this.session.freeSlab(box.slab);
    box.slab = undefined;
    this.#slabs--;
    this.#bytes -= box.bytes;
  }

  #axisOf({ shape }: Group, lengths: readonly (readonly number[])[]): number {
    return chooseSlabAxis(shape, lengths, this.itemBytes, minRun);
  }
}

/** A slab, unless reads and other writes have taken all there are. */
export function roomIn(session: CodecSession, bytes: number): Slab | undefined {
  try {
    return session.makeSlab(bytes);
  } catch (error) {
    if (isZarrError(error, "LimitExceeded")) return undefined;
    throw error;
  }
}
