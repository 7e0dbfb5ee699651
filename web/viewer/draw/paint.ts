/** Converts numbers to pixels on the CPU: a look-up table and two strides, without allocations per pixel. */
import { pixelColor } from "../base/color-tables.js";
import { labelCode, labelPixel } from "../base/label-pixels.js";
import type { OutsideColors } from "../base/outside-colors.js";
import type { Plane } from "../base/plane.js";
import { bent, scaleCurve, type ValueScale } from "../base/value-scale.js";

/** A pixel that shows the canvas's background: values that are not numbers. */
const transparent = 0;

/** The values of the first and the last colour, and how those between are spread. */
export interface ColorRange {
  readonly low: number;
  readonly high: number;
  readonly scale: ValueScale;
}

/** Pixels of values that have no colour in the table. */
interface Beyond {
  readonly below: number;
  readonly above: number;
}

const beyond = (table: Uint32Array, outside: OutsideColors | undefined): Beyond =>
  outside
    ? { below: pixelColor(outside.below), above: pixelColor(outside.above) }
    : { below: table[0]!, above: table[255]! };

/**
 * Colours a plane. The range is divided into 256 equal parts of its scale, one per entry of `table`. Values
 * outside, infinite ones too, get a colour of `outside`; by default that of the nearer end. NaN becomes a
 * transparent pixel.
 * @param pixels row by row, one 32-bit pixel per element.
 */
export function paintPlane(
  plane: Plane,
  table: Uint32Array,
  { low, high, scale }: ColorRange,
  outside: OutsideColors | undefined,
  pixels: Uint32Array,
): void {
  // Halved, because the difference of two finite numbers may overflow.
  const factor = 128 / (high / 2 - low / 2);
  const odd = beyond(table, outside);
  if (!(high > low && Number.isFinite(factor))) paintFlat(plane, table, low, odd, pixels);
  else if (scale === "linear") paintScaled(plane, table, low, factor, odd, pixels);
  else paintBent(plane, table, { low, high, scale }, odd, pixels);
}

/** Averages four pictures, pixel by pixel. Transparent pixels do not contribute colour. */
export function mixPixels(samples: readonly Uint32Array[], pixels: Uint32Array): void {
  for (let i = 0; i < pixels.length; i++) {
    // Two channels at a time: sums of four bytes fit in the byte above each.
    let [low, high, seen] = [0, 0, 0];
    for (const sample of samples) {
      const pixel = sample[i]!;
      low += pixel & 0xff00ff;
      high += (pixel >>> 8) & 0xff00ff;
      if (pixel !== transparent) seen++;
    }
    pixels[i] =
      seen === samples.length
        ? ((low >>> 2) & 0xff00ff) | (((high >>> 2) & 0xff00ff) << 8)
        : meanOfSeen(low, high, seen, samples.length);
  }
}

/**
 * Computes a pixel from sums of two channels each: the mean colour of the visible samples, as opaque as their
 * share.
 */
function meanOfSeen(low: number, high: number, seen: number, count: number): number {
  if (seen === 0) return transparent;
  const [red, blue, green, alpha] = [low & 0xffff, low >>> 16, high & 0xffff, high >>> 16];
  const pixel = [red / seen, green / seen, blue / seen, alpha / count];
  return new Uint32Array(Uint8Array.from(pixel).buffer)[0]!;
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

/** A scale other than a linear one, which takes a logarithm per element. */
function paintBent(
  { values, offset, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  { low, high, scale }: ColorRange,
  odd: Beyond,
  pixels: Uint32Array,
): void {
  const { start, factor, threshold } = scaleCurve(scale, low, high);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) {
      const value = values[from]!;
      const part = (bent(scale, value, threshold) - start) * factor;
      // A little beyond, for logarithms are rounded.
      if (part >= -0.01 && part <= 256.01) pixels[at++] = table[Math.min(Math.max(part, 0), 255) | 0]!;
      else pixels[at++] = oddPixel(value, part, odd);
    }
  }
}

function oddPixel(value: number, part: number, { below, above }: Beyond): number {
  if (Number.isNaN(value)) return transparent;
  return part > 0 ? above : below;
}

/** A range of zero width: its value gets the middle colour. */
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

/** Colours a plane of labels. */
export function paintLabels(
  { values, offset, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  pixels: Uint32Array,
): void {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride)
      pixels[at++] = labelPixel(table, labelCode(values[from]!));
  }
}
