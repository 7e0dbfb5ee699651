/**
 * Colours of labels. The first 65,536 labels have entries in a table; the colours of others are computed: 8,388,608
 * colours that the table lacks. The shader does the same (`labelled` in
 * draw/shaders.ts).
 */
import { labelCount } from "./color-tables.js";

/** Bits of computed colours: all but the last of blue, which tables leave at 0. */
const bits = 23;
const mask = 2 ** bits - 1;

/** Code of an element without a label. */
export const noLabel = 0xffffffff;

/**
 * Number that determines the colour of a label: the label itself, if the table has an entry for it. Larger and
 * negative ones become integers of 64 bits.
 */
export function labelCode(label: number | bigint): number {
  if (label >= 0 && label < labelCount) return Number(label);
  if (typeof label === "number" && !Number.isFinite(label)) return noLabel;
  if (typeof label === "number" && label >= 0 && label <= 0xffffffff) return computedCode(label >>> 0, 0);
  const whole = BigInt.asUintN(64, typeof label === "bigint" ? label : BigInt(Math.trunc(label)));
  return computedCode(Number(whole & 0xffffffffn), Number(whole >> 32n));
}

/** Labels that follow one another have different codes; the bits above them turn the sequence. */
function computedCode(low: number, high: number): number {
  const above = (low >>> bits) | (high << (32 - bits));
  return labelCount + ((low + Math.imul(above ^ (high >>> bits), 0x9e3779b1)) & mask);
}

/** Pixel of a code, in the byte order of canvases. @param plain the one of labels without an entry. Default: computed */
export function labelPixel(table: Uint32Array, code: number, plain?: number): number {
  if (code < labelCount) return table[code]!;
  if (code === noLabel) return 0;
  if (plain !== undefined) return plain;
  let mixed = Math.imul(code - labelCount, 0x5bd1e9) & mask;
  mixed ^= mixed >>> 11;
  mixed = Math.imul(mixed, 0x297a2d) & mask;
  mixed ^= mixed >>> 12;
  const color = (mixed << 1) | 1;
  bytes[0] = color >> 16;
  bytes[1] = (color >> 8) & 255;
  bytes[2] = color & 255;
  return pixel[0]!;
}

const bytes = Uint8Array.of(0, 0, 0, 255);
const pixel = new Uint32Array(bytes.buffer);
