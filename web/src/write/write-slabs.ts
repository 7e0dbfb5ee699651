/**
 * Slabs for writing: boxes of the caller's array that are copied to wasm memory in long runs, from which
 * chunks are encoded one by one. Rows of chunks are often too short to be copied separately.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { CodecSession, Copy, Slab } from "../engine/session.js";
import type { Group, RegionTask } from "../plan/projections.js";
import { chooseSlabAxis, chunkPlace, maxSlabBytes, type PlaceBox, SlabPartition } from "../plan/slabs.js";
import type { MemoryArray } from "../util/buffers.js";
import { isZarrError } from "../util/errors.js";
import { stridesOf } from "../util/shapes.js";
import { type BoxLayout, layOutBox, type Move, moveItems, offsetIn } from "../util/strided-copy.js";
import { checkNotDetached, type Values, type WritePart } from "./region.js";

/** Limits of a write's open slabs; chunks without room in a slab are assembled separately. */
const maxOpenSlabs = 24;
const maxOpenBytes = maxSlabBytes;
/** Minimum length of a run that is worth a separate copy, in bytes. */
const minRun = 1024;

/** A box of the values; its slab is allocated when the first chunk is encoded from it. */
interface ValueBox extends PlaceBox, BoxLayout {
  slab: Slab | undefined;
}

export class ValueSlabs {
  readonly #partition = new SlabPartition<ValueBox>(
    (group, lengths) => this.#chooseAxis(group, lengths),
    (origin, shape) => ({
      origin,
      ...layOutBox(shape, this.#strides, this.itemBytes, maxSlabBytes),
      slab: undefined,
    }),
  );
  readonly #strides: readonly number[];
  #slabs = 0;
  #bytes = 0;

  /** @param whole shape of the values. */
  constructor(
    private readonly session: CodecSession,
    private readonly values: Uint8Array,
    whole: readonly number[],
    private readonly itemBytes: number,
  ) {
    this.#strides = stridesOf(whole, itemBytes);
  }

  /**
   * Encodes a chunk that the values cover.
   * @returns undefined for a chunk that contains only the fill value and is not kept; "no room" if a slab
   *   cannot be allocated.
   */
  encode(
    task: RegionTask,
    codec: CoreChunkCodec,
    keepsFill: boolean,
    copy?: Copy,
  ): Uint8Array | undefined | "no room" {
    const open = this.#partition.slabFor(task);
    const box = open.content;
    try {
      box.slab ??= this.#fill(box);
      if (!box.slab) return "no room";
      const place = chunkPlace(task.projections, undefined, box);
      return this.session.encodePlaced(box.slab, { plan: codec.plan, ...place }, keepsFill, copy);
    } finally {
      if (this.#partition.isLast(open)) this.#free(box);
    }
  }

  /** Records that a chunk will not be encoded from a slab. */
  skip(task: RegionTask): void {
    const open = this.#partition.slabFor(task);
    if (this.#partition.isLast(open)) this.#free(open.content);
  }

  end(): void {
    for (const box of this.#partition.clear()) this.#free(box);
  }

  #fill(box: ValueBox): Slab | undefined {
    checkNotDetached(this.values);
    const hasRoom = this.#slabs === 0 || this.#bytes + box.bytes <= maxOpenBytes;
    const slab = hasRoom && this.#slabs < maxOpenSlabs ? tryMakeSlab(this.session, box.bytes) : undefined;
    if (!slab) return undefined;
    this.#slabs++;
    this.#bytes += box.bytes;
    const from = box.origin.reduce((sum, first, axis) => sum + first * this.#strides[axis]!, 0);
    const move = { from, ...box.move };
    this.session.withSlab(slab, (target) => moveItems(this.values, target, move));
    return slab;
  }

  #free(box: ValueBox): void {
    if (!box.slab) return;
    this.session.freeSlab(box.slab);
    box.slab = undefined;
    this.#slabs--;
    this.#bytes -= box.bytes;
  }

  #chooseAxis({ shape }: Group, lengths: readonly (readonly number[])[]): number {
    return chooseSlabAxis(shape, lengths, this.itemBytes, minRun);
  }
}

/** Allocates a slab; undefined if reads and other writes use all of them. */
export function tryMakeSlab(session: CodecSession, bytes: number): Slab | undefined {
  try {
    return session.makeSlab(bytes);
  } catch (error) {
    if (isZarrError(error, "LimitExceeded")) return undefined;
    throw error;
  }
}

/** Returns the move of values to a part of a chunk, in an array with the chunk's shape. */
export function chunkMove(
  { isScalar, strides, width }: Values,
  parts: readonly WritePart[],
  shape: readonly number[],
): Move {
  const places = stridesOf(shape, width);
  let [start, end] = [0, 0];
  const axes = parts.map(({ count, listed, out, start: first, step }, axis) => {
    const [stride, place] = [strides[axis]!, places[axis]!];
    if (!listed) {
      start += out * stride;
      end += first * place;
    }
    // The content of a scalar has the length of one row.
    const row = axis === parts.length - 1 ? width : 0;
    const from = listed ? listed.from.map((at) => at * stride) : stride;
    const to = listed ? listed.at.map((at) => at * place) : step * place;
    return { count, from: isScalar ? row : from, to };
  });
  return { from: start, to: end, itemBytes: width, axes };
}

/** Writes the values of a part of a chunk into the chunk's content. */
export function putValues(
  values: Values,
  parts: readonly WritePart[],
  { content, shape }: MemoryArray,
): void {
  const move = chunkMove(values, parts, shape);
  const given = values.content;
  checkNotDetached(given);
  if (given instanceof Uint8Array && content instanceof Uint8Array) moveItems(given, content, move);
  else putEntries(given as unknown[], content as unknown[], move, 0, move.from, move.to);
}

/** The same for lists, from an axis on. */
function putEntries(
  values: readonly unknown[],
  content: unknown[],
  move: Move,
  axis: number,
  from: number,
  to: number,
): void {
  const along = move.axes[axis];
  if (!along) {
    content[to] = values[from];
    return;
  }
  for (let i = 0; i < along.count; i++)
    putEntries(values, content, move, axis + 1, from + offsetIn(along.from, i), to + offsetIn(along.to, i));
}
