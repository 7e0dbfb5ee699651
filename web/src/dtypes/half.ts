/** IEEE 754 binary16 for engines without Float16Array, and for fill values everywhere. */

/** The binary16 nearest to a number (ties to even), as its bits. NaN becomes 0x7e00. */
export function toHalfBits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00; // half way to the next after 65504, and beyond
  if (size < 2 ** -14) return sign | roundEven(size * 2 ** 24); // subnormal: multiples of 2^-24
  const exponent = Math.floor(Math.log2(size));
  // log2 may be off by one next to powers of two; the mantissa then leaves [1024, 2048) and carries.
  const scaled = roundEven(size * 2 ** (10 - exponent));
  return sign | ((exponent + 14) * 1024 + scaled);
}

function roundEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

/** The value of a binary16. */
export function fromHalfBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1024 + mantissa) * 2 ** (exponent - 25) : mantissa * 2 ** -24);
}

let table: Float32Array | undefined;

/** Widens binary16 elements to float32, exactly. */
export function widenHalf(half: Uint16Array, out: Float32Array): Float32Array {
  table ??= Float32Array.from({ length: 65536 }, (_, bits) => fromHalfBits(bits));
  for (let i = 0; i < half.length; i++) out[i] = table[half[i]!]!;
  return out;
}

/** Narrows float32 elements to binary16, each to the nearest. */
export function narrowToHalf(values: ArrayLike<number>): Uint16Array {
  return Uint16Array.from({ length: values.length }, (_, i) => toHalfBits(values[i]!));
}
