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
  if (!(high > low && Number.isFinite(factor)))
    // A range of zero width: its value gets the middle colour.
    paintEach(plane, pixels, (value) => (value === low ? table[128]! : oddPixel(value, value - low, odd)));
  else if (scale === "linear")
    paintEach(plane, pixels, (value) => {
      const part = (value - low) * factor;
      if (part >= 0 && part < 256) return table[part | 0]!;
      return part >= 256 && part <= 256.01 ? table[255]! : oddPixel(value, part, odd);
    });
  else {
    const { start, factor: stretch, threshold } = scaleCurve(scale, low, high);
    paintEach(plane, pixels, (value) => {
      const part = (bent(scale, value, threshold) - start) * stretch;
      // A little beyond, for logarithms are rounded.
      const isInside = part >= -0.01 && part <= 256.01;
      return isInside ? table[Math.min(Math.max(part, 0), 255) | 0]! : oddPixel(value, part, odd);
    });
  }
}

/** Colours a plane of labels. */
export function paintLabels(plane: Plane, table: Uint32Array, pixels: Uint32Array): void {
  paintEach(plane, pixels, (value) => labelPixel(table, labelCode(value)));
}

function paintEach(
  { values, offset, rows, columns, rowStride, columnStride }: Plane,
  pixels: Uint32Array,
  pixelOf: (value: number) => number,
): void {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride)
      pixels[at++] = pixelOf(values[from]!);
  }
}

function oddPixel(value: number, part: number, { below, above }: Beyond): number {
  if (Number.isNaN(value)) return transparent;
  return part > 0 ? above : below;
}

/** Averages four pictures, pixel by pixel. Transparent pixels do not contribute colour. */
export function mixPixels(samples: readonly Uint32Array[], pixels: Uint32Array): void {
  const [first, second, third, fourth] = samples as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  // Two channels at a time: sums of four bytes fit in the byte above each.
  const two = 0xff00ff;
  for (let i = 0; i < pixels.length; i++) {
    const [a, b, c, d] = [first[i]!, second[i]!, third[i]!, fourth[i]!];
    const low = (a & two) + (b & two) + (c & two) + (d & two);
    const high = ((a >>> 8) & two) + ((b >>> 8) & two) + ((c >>> 8) & two) + ((d >>> 8) & two);
    const seen = Number(a !== 0) + Number(b !== 0) + Number(c !== 0) + Number(d !== 0);
    pixels[i] =
      seen === 4
        ? ((low >>> 2) & two) | (((high >>> 2) & two) << 8)
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
