/**
 * Binary floating-point formats narrower than float64: the only list of them, and exact conversions of single
 * numbers.
 *
 * Spec: Zarr v3 core (float16, float32), zarr-extensions (bfloat16, float8_*, float6_*, float4_*).
 */

/**
 * Meaning of the codes that are not ordinary numbers.
 * - ieee: the highest exponent encodes infinities and NaNs.
 * - fnuz: no infinities and no −0, whose code is the only NaN.
 * - finite: neither infinities nor NaN.
 * - scale: powers of two only, without sign or zero; the highest code is NaN.
 */
export type Specials = "ieee" | "fnuz" | "finite" | "scale";

/** A format: sign bit (except "scale"), exponent and mantissa, starting at the highest used bit. */
export interface FloatFormat {
  readonly exponentBits: number;
  readonly mantissaBits: number;
  readonly bias: number;
  readonly specials: Specials;
  /**
   * Size of one stored number in bytes. Bits above the format's own are ignored when read and zero when
   * written.
   */
  readonly bytes: number;
}

const format = (
  exponentBits: number,
  mantissaBits: number,
  bias: number,
  specials: Specials,
  bytes = 1,
): FloatFormat => ({ exponentBits, mantissaBits, bias, specials, bytes });

/** The formats by their Zarr names. */
export const floatFormats = {
  float16: format(5, 10, 15, "ieee", 2),
  bfloat16: format(8, 7, 127, "ieee", 2),
  float32: format(8, 23, 127, "ieee", 4),
  float8_e3m4: format(3, 4, 3, "ieee"),
  float8_e4m3: format(4, 3, 7, "ieee"),
  float8_e4m3b11fnuz: format(4, 3, 11, "fnuz"),
  float8_e4m3fnuz: format(4, 3, 8, "fnuz"),
  float8_e5m2: format(5, 2, 15, "ieee"),
  float8_e5m2fnuz: format(5, 2, 16, "fnuz"),
  float8_e8m0fnu: format(8, 0, 127, "scale"),
  float6_e2m3fn: format(2, 3, 1, "finite"),
  float6_e3m2fn: format(3, 2, 3, "finite"),
  float4_e2m1fn: format(2, 1, 1, "finite"),
} as const satisfies Readonly<Record<string, FloatFormat>>;

export type FloatName = keyof typeof floatFormats;

/** Returns the float format of a type's elements; undefined for float64, complex128 and types of other kinds. */
export function floatsOf({
  core,
}: {
  core: string;
}): { format: FloatFormat; isComplex: boolean } | undefined {
  if (core === "complex64") return { format: floatFormats.float32, isComplex: true };
  const isComplex = core.startsWith("complex_");
  const name = isComplex ? core.slice("complex_".length) : core;
  return Object.hasOwn(floatFormats, name)
    ? { format: floatFormats[name as FloatName], isComplex }
    : undefined;
}

/** Returns the value of the sign bit; for a format without sign, the number of codes. */
export function signBit({ exponentBits, mantissaBits }: FloatFormat): number {
  return 2 ** (exponentBits + mantissaBits);
}

/** Returns the code of positive infinity in an IEEE format: the first one above the finite numbers. */
export function infinityCode({ exponentBits, mantissaBits }: FloatFormat): number {
  return (2 ** exponentBits - 1) * 2 ** mantissaBits;
}

/** Returns the highest code of a finite number, without sign. */
export function highestCode(format: FloatFormat): number {
  if (format.specials === "ieee") return infinityCode(format) - 1;
  return signBit(format) - (format.specials === "scale" ? 2 : 1);
}

/** Returns the code of the constant "NaN"; undefined if the format has none. */
export function nanCode(format: FloatFormat): number | undefined {
  if (format.specials === "finite") return undefined;
  if (format.specials === "fnuz") return signBit(format);
  return format.specials === "scale"
    ? signBit(format) - 1
    : infinityCode(format) + 2 ** (format.mantissaBits - 1);
}

/** Whether a code (without bits above the format's own) is a NaN. */
export function isNanCode(format: FloatFormat, code: number): boolean {
  return format.specials === "ieee"
    ? code % signBit(format) > infinityCode(format)
    : code === nanCode(format);
}

/** Returns the value of a code; ignores bits above the format's own. Exact: float64 represents every format. */
export function decodeFloat(format: FloatFormat, bits: number): number {
  const { mantissaBits, bias, specials } = format;
  const sign = signBit(format);
  const code = bits % (specials === "scale" ? sign : 2 * sign);
  if (isNanCode(format, code)) return Number.NaN;
  if (specials === "scale") return 2 ** (code - bias);
  const size = code % sign;
  const factor = code >= sign ? -1 : 1;
  if (specials === "ieee" && size === infinityCode(format)) return factor * Number.POSITIVE_INFINITY;
  const mantissa = size % 2 ** mantissaBits;
  const exponent = Math.floor(size / 2 ** mantissaBits);
  const scaled = exponent > 0 ? 2 ** mantissaBits + mantissa : mantissa;
  return factor * scaled * 2 ** (Math.max(exponent, 1) - bias - mantissaBits);
}

/**
 * Returns the code nearest to a number, ties to even.
 *
 * @param beyond if the number is a decimal rounded to float64: the sign of the decimal's magnitude minus the
 *   number's. It decides ties, so that nothing is rounded twice.
 * @returns undefined if the format has no nearest number: NaN, infinities and too large numbers in formats
 *   without them, negative numbers in formats without sign.
 */
export function encodeFloat(format: FloatFormat, value: number, beyond = 0): number | undefined {
  const { mantissaBits, bias, specials } = format;
  if (Number.isNaN(value)) return nanCode(format);
  const size = Math.abs(value);
  const negative = value < 0 || Object.is(value, -0);
  if (specials === "scale" && value < 0) return undefined;
  const exponent = Math.max(binaryExponent(size), specials === "scale" ? -bias : 1 - bias);
  const base = (exponent + bias - 1) * 2 ** mantissaBits;
  const scaled = size * 2 ** (mantissaBits - exponent);
  let code = size === Number.POSITIVE_INFINITY ? size : base + roundTie(scaled, beyond, base);
  if (code > highestCode(format)) {
    if (specials !== "ieee") return undefined;
    code = infinityCode(format);
  }
  if (specials === "scale") return Math.max(code, 0); // below the smallest power, zero included
  const unsigned = specials === "fnuz" && code === 0; // −0's code is NaN there
  return negative && !unsigned ? signBit(format) + code : code;
}

const float64 = new DataView(new ArrayBuffer(8));

/** Returns the exponent e of a positive number in [2^e, 2^(e+1)); −1023 for zero and subnormal float64. */
export function binaryExponent(size: number): number {
  float64.setFloat64(0, size);
  return ((float64.getUint16(0) >> 4) & 0x7ff) - 1023;
}

/**
 * Rounds a non-negative number to the nearest integer. `beyond` decides ties: up if positive, down if
 * negative;
 * if zero, to the integer whose sum with `base` is even.
 */
export function roundTie(value: number, beyond: number, base: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest > 0.5 ? floor + 1 : floor;
  if (beyond !== 0) return beyond > 0 ? floor + 1 : floor;
  return (base + floor) % 2 === 0 ? floor : floor + 1;
}
