/** Numbers to pixels on the processor: a look-up table and two strides, nothing allocated per pixel. */
import type { Plane } from "../base/plane.js";
import { marks } from "./renderer.js";

/** A pixel that shows what lies behind the canvas: values that are not numbers. */
const transparent = 0;

/** A pixel in the byte order of canvases. */
export function pixelOf([r, g, b]: readonly number[]): number {
  return new Uint32Array(Uint8Array.of(r!, g!, b!, 255).buffer)[0]!;
}

/** Pixels of values that no colour of the table stands for. */
interface Beyond {
  readonly below: number;
  readonly above: number;
  readonly infinite: readonly [below: number, above: number];
}

function beyond(table: Uint32Array, isMarked: boolean): Beyond {
  const [first, last] = [table[0]!, table[255]!];
  const infinite = [pixelOf(marks.below), pixelOf(marks.above)] as const;
  if (!isMarked) return { below: first, above: last, infinite };
  return { below: mixed(first, marks.below), above: mixed(last, marks.above), infinite };
}

/** A pixel half way to a mark: what lies beyond an end of the range. */
export function mixed(pixel: number, mark: readonly number[]): number {
  const bytes = new Uint8Array(Uint32Array.of(pixel).buffer);
  return pixelOf(mark.map((channel, i) => Math.round((channel + bytes[i]!) / 2)));
}

/**
 * Colours a plane. The range [low, high] is cut into 256 equal parts, one per entry of `table`; what lies outside gets the
 * colour of the nearer end, mixed with a mark where `isMarked`. NaN becomes a transparent pixel, infinities marks.
 * @param pixels row by row, one 32-bit pixel per element.
 */
export function paintPlane(
  plane: Plane,
  table: Uint32Array,
  low: number,
  high: number,
  isMarked: boolean,
  pixels: Uint32Array,
): void {
  // Halves, because the distance of two finite numbers may not be finite.
  const scale = 128 / (high / 2 - low / 2);
  const odd = beyond(table, isMarked);
  if (high > low && Number.isFinite(scale)) paintScaled(plane, table, low, scale, odd, pixels);
  else paintFlat(plane, table, low, odd, pixels);
}

function paintScaled(
  { values, offset, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  low: number,
  scale: number,
  odd: Beyond,
  pixels: Uint32Array,
): void {
  const last = table[255]!;
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) {
      const part = (values[from]! - low) * scale;
      if (part >= 0 && part < 256) pixels[at++] = table[part | 0]!;
      else if (part >= 256 && part <= 256.01) pixels[at++] = last;
      else pixels[at++] = oddPixel(values[from]!, part, odd);
    }
  }
}

function oddPixel(value: number, part: number, { below, above, infinite }: Beyond): number {
  if (Number.isNaN(value)) return transparent;
  if (!Number.isFinite(value)) return infinite[value > 0 ? 1 : 0];
  return part > 0 ? above : below;
}

/** A range without extent: the value itself is in the middle. */
function paintFlat(
  { values, offset, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  middle: number,
  odd: Beyond,
  pixels: Uint32Array,
): void {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = values[offset + row * rowStride + column * columnStride]!;
      pixels[at++] = value === middle ? table[128]! : oddPixel(value, value - middle, odd);
    }
  }
}

/** Colours a plane of labels: 0 is the background, the other integers share the 255 other colours in turn. */
export function paintLabels(
  { values, offset, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  pixels: Uint32Array,
): void {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) {
      const value = values[from]!;
      pixels[at++] = Number.isFinite(value) ? table[labelEntry(value)]! : transparent;
    }
  }
}

/** Entry of the colour table for a label. */
export function labelEntry(label: number | bigint): number {
  if (typeof label === "bigint") return label === 0n ? 0 : 1 + Number((((label - 1n) % 255n) + 255n) % 255n);
  if (label === 0) return 0;
  const turn = (label - 1) % 255;
  return 1 + (turn < 0 ? turn + 255 : turn);
}
