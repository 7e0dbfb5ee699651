/**
 * Conversions of elements whose JavaScript form differs from their stored form: floats without a typed array,
 * and integers of fewer than 8 bits.
 *
 * Stored numbers take one byte each, or two bytes, little-endian; bits above a format's own are ignored.
 * Spec: zarr-extensions, data types; the encoding of each by the bytes codec.
 */
import { invalidArgument } from "../util/errors.js";
import {
  decodeFloat,
  encodeFloat,
  type FloatFormat,
  type FloatName,
  floatFormats,
  highestCode,
  infinityCode,
  isNanCode,
  nanCode,
  signBit,
} from "./floats.js";

/** Numbers in their stored form. */
export type StoredArray = Uint8Array | Uint16Array;

/** Array types of converted elements. */
export type ConvertedArray = Float32Array | Int8Array | Uint8Array;

/** Converts one kind of number from its stored form to its element form and back. */
export interface Conversion<E extends ConvertedArray = ConvertedArray> {
  /** Size of one stored number in bytes. */
  readonly storedBytes: 1 | 2;
  /** Array type of the elements. */
  readonly array: new (
    buffer: ArrayBufferLike,
  ) => E;
  /** Widens stored numbers exactly. `out` must be as long as `stored`. */
  widen(stored: StoredArray, out: E): void;
  /**
   * Rounds to the nearest stored number, ties to even. The result may share memory with `elements`.
   * @throws InvalidArgument for a number that has no nearest stored number.
   */
  narrow(elements: E): StoredArray;
}

/** Returns the conversion of integers in the low bits of a byte. */
export function integerConversion(
  name: string,
  bits: 2 | 4,
  signed: boolean,
): Conversion<Int8Array | Uint8Array> {
  const shift = 32 - bits;
  const [least, most] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  return {
    storedBytes: 1,
    array: signed ? Int8Array : Uint8Array,
    widen(stored, out) {
      for (let i = 0; i < stored.length; i++) {
        const high = stored[i]! << shift;
        out[i] = signed ? high >> shift : high >>> shift;
      }
    },
    narrow(elements) {
      for (const value of elements) {
        if (value < least || value > most) throw invalidArgument(`${value} is out of the range of ${name}`);
      }
      return new Uint8Array(elements.buffer, elements.byteOffset, elements.length);
    },
  };
}

/** Returns the conversion of floats to float32, which represents every number of the one- and two-byte formats. */
export function floatConversion(name: Exclude<FloatName, "float32">): Conversion<Float32Array> {
  const format: FloatFormat = floatFormats[name];
  const storedBytes = format.bytes as 1 | 2;
  let table: Uint32Array | undefined;
  return {
    storedBytes,
    array: Float32Array,
    widen(stored, out) {
      if (name === "bfloat16") return widenBfloat(stored, out);
      table ??= Uint32Array.from({ length: 256 ** storedBytes }, (_, bits) => float32Bits(format, bits));
      const bits = floatBits(out);
      for (let i = 0; i < stored.length; i++) bits[i] = table[stored[i]!]!;
    },
    narrow: (elements) => narrow(name, format, elements),
  };
}

/** A bfloat16 is the upper half of a float32. */
function widenBfloat(stored: StoredArray, out: Float32Array): void {
  const bits = floatBits(out);
  for (let i = 0; i < stored.length; i++) bits[i] = stored[i]! << 16;
}

/** Returns the bits of floats: passing NaNs through JavaScript numbers may change them. */
function floatBits(floats: Float32Array): Uint32Array {
  return new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
}

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

/** Returns the float32 bits of a stored number, preserving the sign and payload of IEEE NaNs. */
function float32Bits(format: FloatFormat, stored: number): number {
  const { mantissaBits, specials } = format;
  const code = specials === "scale" ? stored : stored % (2 * signBit(format));
  if (!isNanCode(format, code)) {
    scratch[0] = decodeFloat(format, code);
    return scratchBits[0]!;
  }
  if (specials !== "ieee") return 0x7fc00000;
  const sign = code >= signBit(format) ? 0x80000000 : 0;
  return sign + 0x7f800000 + ((code % 2 ** mantissaBits) << (23 - mantissaBits));
}

function narrow(name: string, format: FloatFormat, elements: Float32Array): StoredArray {
  const { length } = elements;
  const out = format.bytes === 1 ? new Uint8Array(length) : new Uint16Array(length);
  if (format.specials === "scale") {
    for (let i = 0; i < length; i++) out[i] = encodeFloat(format, elements[i]!) ?? nanCode(format)!;
    return out;
  }
  const bits = floatBits(elements);
  const round = rounder(format);
  const nan = nanCoder(format);
  // Nearly all numbers are normal in the format and stay finite: these are rounded without calls.
  const shift = 23 - format.mantissaBits;
  const rebias = (127 - format.bias) << 23;
  const least = rebias + (1 << 23);
  const most = rebias + highestCode(format) * 2 ** shift;
  const below = (1 << (shift - 1)) - 1;
  const sign = signBit(format);
  // In formats without −0, zero and the only NaN (the code of −0) have no sign.
  const hasMinusZero = format.specials !== "fnuz";
  for (let i = 0; i < length; i++) {
    const size = bits[i]! & 0x7fffffff;
    const isNormal = size >= least && size <= most;
    const code = isNormal
      ? (size - rebias + below + ((size >>> shift) & 1)) >>> shift
      : size > 0x7f800000
        ? nan(size)
        : round(size);
    if (code < 0) throw invalidArgument(`${name} has no NaN`);
    const isNegative = bits[i]! >>> 31 !== 0 && (hasMinusZero || (code & (sign - 1)) !== 0);
    out[i] = isNegative ? code + sign : code;
  }
  return out;
}

/**
 * Returns a function that encodes the unsigned float32 bits of a NaN. IEEE formats keep as much of the
 * payload as fits.
 */
function nanCoder(format: FloatFormat): (size: number) => number {
  if (format.specials !== "ieee") return () => nanCode(format) ?? -1;
  const infinity = infinityCode(format);
  const quiet = 2 ** (format.mantissaBits - 1);
  return (size) => infinity + ((size & 0x7fffff) >>> (23 - format.mantissaBits) || quiet);
}

/**
 * Returns a function that maps unsigned float32 bits to the nearest code. Overflow becomes infinity; in
 * formats without it NaN; in formats without NaN the largest number.
 */
function rounder(format: FloatFormat): (size: number) => number {
  const { mantissaBits, bias } = format;
  const highest = highestCode(format);
  const beyond =
    format.specials === "ieee"
      ? infinityCode(format)
      : format.specials === "fnuz"
        ? nanCode(format)!
        : highest;
  return (size) => {
    const stored = size >>> 23;
    const mantissa = stored === 0 ? size : (size & 0x7fffff) | 0x800000;
    const exponent = Math.max(stored, 1) - 127 + bias; // in the target format; not positive: subnormal there
    const shift = 23 - mantissaBits + (exponent > 0 ? 0 : 1 - exponent);
    if (shift > 24) return 0; // less than half of the smallest number
    const code = (exponent > 0 ? (exponent - 1) << mantissaBits : 0) + (mantissa >>> shift);
    const rest = mantissa & ((1 << shift) - 1);
    const half = (1 << shift) >>> 1;
    const rounded = rest > half || (rest === half && (code & 1) === 1) ? code + 1 : code;
    return rounded > highest ? beyond : rounded;
  };
}
