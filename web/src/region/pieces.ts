/**
 * How a selection falls apart into chunks, and how chunks gather into slabs.
 *
 * A piece is the part of one chunk that a selection takes along one axis. A slab is a box of the
 * result that is put together inside the core and copied out in long runs: chunk rows are often too
 * short to be copied to the result one by one (64 uint16 are 128 bytes).
 */
import type { AxisRange } from "./selection.js";

export interface Piece {
  /** Position of the chunk in the grid. */
  readonly chunk: number;
  /** First element, step and number of elements inside the chunk. */
  readonly start: number;
  readonly step: number;
  readonly count: number;
  /** Position of the first of them in the result. */
  readonly out: number;
}

/** The pieces of one axis, in order. Their number is bounded by the elements asked for. */
export function piecesOf(range: AxisRange, chunkLength: number): Piece[] {
  const pieces: Piece[] = [];
  let out = 0;
  while (out < range.count) {
    const index = range.start + out * range.step;
    const chunk = Math.floor(index / chunkLength);
    const start = index - chunk * chunkLength;
    const fitting = Math.ceil((chunkLength - start) / range.step);
    const count = Math.min(fitting, range.count - out);
    pieces.push({ chunk, start, step: range.step, count, out });
    out += count;
  }
  return pieces;
}

/** Shortest run, in bytes, that is worth a copy of its own. */
const minRunBytes = 4096;
/** Largest slab, unless a single chunk is larger. */
const maxSlabBytes = 32 * 2 ** 20;

/**
 * Chooses from which axis on slabs span the whole result: the last one that makes runs long enough,
 * within the size limit. Axes before it are cut into single pieces.
 */
export function chooseSlabAxis(
  shape: readonly number[],
  pieces: readonly Piece[][],
  itemBytes: number,
): number {
  const longest = pieces.map((list) => list.reduce((most, piece) => Math.max(most, piece.count), 0));
  let axis = shape.length;
  let tail = itemBytes; // bytes of the axes that the slab spans
  while (axis > 0) {
    const run = tail * longest[axis - 1]!;
    if (run >= minRunBytes) return axis;
    const widened = tail * shape[axis - 1]!;
    const bytes = longest.slice(0, axis - 1).reduce((a, b) => a * b, widened);
    if (bytes > maxSlabBytes && pieces[axis - 1]!.length > 1) return axis;
    tail = widened;
    axis--;
  }
  return 0;
}

/** Every combination of one entry per list, the last list fastest. With no lists, one empty combination. */
export function* combinations<T>(lists: readonly (readonly T[])[]): Generator<T[]> {
  if (lists.some((list) => list.length === 0)) return;
  const at = lists.map(() => 0);
  for (;;) {
    yield at.map((index, i) => lists[i]![index]!);
    let axis = lists.length - 1;
    while (axis >= 0 && ++at[axis]! === lists[axis]!.length) at[axis--] = 0;
    if (axis < 0) return;
  }
}
