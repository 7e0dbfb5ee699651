/** Copies items between two strided or indexed arrays in memory, for data that does not pass through the core. */

import { countOf, stridesOf } from "./shapes.js";

/** One axis of a copy: the distance between neighbours in bytes, or the offset of each item. */
export interface MoveAxis {
  readonly count: number;
  readonly from: number | readonly number[];
  readonly to: number | readonly number[];
}

/** Source and target layout of a copy; all values in bytes. */
export interface Move {
  /** Offset of the first item, or the base of the axes' lists of offsets. */
  readonly from: number;
  readonly to: number;
  readonly itemBytes: number;
  /** Innermost axis last; empty for a single item. */
  readonly axes: readonly MoveAxis[];
}

/** The same copy from a packed source, whose items are contiguous in the order of the copy. */
export function packedSource({ to, itemBytes, axes }: Move): Move {
  return { from: 0, to, itemBytes, axes: packed(axes, itemBytes, "from") };
}

/** The same copy into a packed target. */
export function packing({ from, itemBytes, axes }: Move): Move {
  return { from, to: 0, itemBytes, axes: packed(axes, itemBytes, "to") };
}

/** Returns the number of bytes that a copy transfers. */
export const movedBytes = ({ itemBytes, axes }: Move): number =>
  axes.reduce((bytes, { count }) => bytes * count, itemBytes);

/** A box of an array in separate memory, copied there in long runs. */
export interface BoxLayout {
  /** Distance between neighbours in that memory. */
  readonly strides: readonly number[];
  /** Size of that memory. */
  readonly bytes: number;
  readonly move: Omit<Move, "from">;
}

/** Shorter runs are copied together with the bytes between them, … */
const enoughRun = 4096;
/** … unless that is more than this many times the bytes of the box: a copy of a short run costs as much as 2 KiB. */
const maxSpread = 3;

/**
 * Returns the layout of a copy of a box.
 * @param from distance between neighbours in the array, which has C order.
 * @param maxBytes limit for a layout that is not packed.
 */
export function layOutBox(
  shape: readonly number[],
  from: readonly number[],
  itemBytes: number,
  maxBytes: number,
): BoxLayout {
  const most = Math.max(
    countOf(shape) * itemBytes,
    Math.min(maxSpread * countOf(shape) * itemBytes, maxBytes),
  );
  let axis = shape.length; // runs span the axes from here on
  let run = itemBytes;
  while (axis > 0 && run < enoughRun) {
    const longer = (shape[axis - 1]! - 1) * from[axis - 1]! + run;
    if (longer * countOf(shape.slice(0, axis - 1)) > most) break;
    run = longer;
    axis--;
  }
  const outer = shape.slice(0, axis);
  const strides = [...stridesOf(outer, run), ...from.slice(axis)];
  const axes = outer.map((count, i) => ({ count, from: from[i]!, to: strides[i]! }));
  return { strides, bytes: countOf(outer) * run, move: { to: 0, itemBytes: run, axes } };
}

function packed(axes: readonly MoveAxis[], itemBytes: number, side: "from" | "to"): MoveAxis[] {
  let stride = itemBytes;
  return [...axes]
    .reverse()
    .map((axis) => {
      const own = { ...axis, [side]: stride };
      stride *= axis.count;
      return own;
    })
    .reverse();
}

/** Minimum run length copied by the engine, whose calls cost as much as a loop over a few hundred bytes. */
const longRun = 512;
/** Number of runs per table, so that the inner loop is not re-entered for each short row. */
const tableSize = 512;

/** Copies items. Writes outside the target are dropped. */
export function moveItems(source: Uint8Array, target: Uint8Array, move: Move): void {
  if (movedBytes(move) === 0) return;
  const { run, axes } = withRuns(move);
  const inner = innerTable(axes);
  const outer = axes.slice(0, axes.length - inner.axes);
  const copy = copier(source, target, run, inner, [move, ...outer]);
  const at = outer.map(() => 0);
  for (;;) {
    let [from, to] = [move.from, move.to];
    outer.forEach((axis, i) => {
      from += offsetIn(axis.from, at[i]!);
      to += offsetIn(axis.to, at[i]!);
    });
    copy(from, to);
    let axis = outer.length - 1;
    while (axis >= 0 && ++at[axis]! === outer[axis]!.count) at[axis--] = 0;
    if (axis < 0) return;
  }
}

/** Merges inner axes that are contiguous on both sides into runs, and drops axes of one item. */
function withRuns({ itemBytes, axes }: Move): { run: number; axes: MoveAxis[] } {
  const rest = axes.filter(({ count, from, to }) => count > 1 || Array.isArray(from) || Array.isArray(to));
  let run = itemBytes;
  for (let last = rest.at(-1); last && last.from === run && last.to === run; last = rest.at(-1)) {
    run *= last.count;
    rest.pop();
  }
  return { run, axes: rest };
}

/** Returns the offset of an item along an axis. */
export const offsetIn = (axis: number | readonly number[], i: number): number =>
  typeof axis === "number" ? axis * i : axis[i]!;

type Offsets = Int32Array | Float64Array;

/** Offsets of the runs of the innermost axes, relative to the first. */
interface Table {
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Number of axes that the table covers. */
  readonly axes: number;
}

function innerTable(axes: readonly MoveAxis[]): Table {
  let [from, to] = [[0], [0]];
  let taken = 0;
  for (const axis of [...axes].reverse()) {
    if (taken > 0 && from.length * axis.count > tableSize) break;
    from = spread(from, axis.from, axis.count);
    to = spread(to, axis.to, axis.count);
    taken++;
  }
  return { from, to, axes: taken };
}

function spread(inner: readonly number[], axis: number | readonly number[], count: number): number[] {
  const all = new Array<number>(count * inner.length);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const start = offsetIn(axis, i);
    for (const offset of inner) all[at++] = start + offset;
  }
  return all;
}

/** Converts offsets to words, as 32-bit integers if they fit: loops over them are faster. */
function inWords(offsets: readonly number[], width: number): Offsets {
  const words = Int32Array.from(offsets, (offset) => offset / width);
  const isExact = offsets.every((offset, i) => words[i]! * width === offset);
  return isExact ? words : Float64Array.from(offsets, (offset) => offset / width);
}

/** A {@link Table} in units of words. */
interface WordTable {
  readonly from: Offsets;
  readonly to: Offsets;
}

type Copy = (from: number, to: number) => void;
type Sides = { from: number | Iterable<number>; to: number | Iterable<number> };

/**
 * Returns a function that copies the runs of the inner axes: in the widest words that all offsets allow, or
 * by the engine if they are long.
 * @param others all other offsets
 */
function copier(
  source: Uint8Array,
  target: Uint8Array,
  run: number,
  inner: Table,
  others: readonly Sides[],
): Copy {
  const width = wordWidth(run, source.byteOffset, target.byteOffset, [inner, ...others]);
  const words = run / width;
  if (run >= longRun || words > longRun / 4) {
    return (from, to) => {
      for (let i = 0; i < inner.from.length; i++) {
        const start = from + inner.from[i]!;
        target.set(source.subarray(start, start + run), to + inner.to[i]!);
      }
    };
  }
  const table = { from: inWords(inner.from, width), to: inWords(inner.to, width) };
  if (width === 1) return (from, to) => copyBytes(source, target, from, to, table, words);
  if (width === 2) {
    const [a, b] = [asInt16(source), asInt16(target)];
    return (from, to) => copyHalves(a, b, from / 2, to / 2, table, words);
  }
  const [a, b] = [asInt32(source), asInt32(target)];
  return (from, to) => copyWords(a, b, from / 4, to / 4, table, words);
}

/** At most 4 bytes: engines alter the bits of NaNs in float arrays and are slow with bigints. */
function wordWidth(run: number, from: number, to: number, places: readonly Sides[]): 1 | 2 | 4 {
  let bits = run | from | to;
  for (const place of places)
    for (const side of [place.from, place.to]) {
      if (typeof side === "number") bits |= side % 4;
      else for (const offset of side) bits |= offset % 4;
    }
  if (bits & 1) return 1;
  return bits & 2 ? 2 : 4;
}

const asInt32 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Int32Array(buffer, byteOffset, byteLength >> 2);
const asInt16 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Int16Array(buffer, byteOffset, byteLength >> 1);

// Three copies of one function: engines specialise a loop for a single type of array.

function copyWords(
  source: Int32Array,
  target: Int32Array,
  from: number,
  to: number,
  table: WordTable,
  n: number,
): void {
  for (let i = 0; i < table.from.length; i++) {
    let q = to + table.to[i]!;
    const start = from + table.from[i]!;
    for (let p = start; p < start + n; p++) target[q++] = source[p]!;
  }
}

function copyHalves(
  source: Int16Array,
  target: Int16Array,
  from: number,
  to: number,
  table: WordTable,
  n: number,
): void {
  for (let i = 0; i < table.from.length; i++) {
    let q = to + table.to[i]!;
    const start = from + table.from[i]!;
    for (let p = start; p < start + n; p++) target[q++] = source[p]!;
  }
}

function copyBytes(
  source: Uint8Array,
  target: Uint8Array,
  from: number,
  to: number,
  table: WordTable,
  n: number,
): void {
  for (let i = 0; i < table.from.length; i++) {
    let q = to + table.to[i]!;
    const start = from + table.from[i]!;
    for (let p = start; p < start + n; p++) target[q++] = source[p]!;
  }
}
