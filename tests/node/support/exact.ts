// Exact arithmetic on doubles, as integers in units of 2^-1074 (sums) or 2^-4296 (products of up to four).

const view = new DataView(new ArrayBuffer(8));

/** A finite double in units of 2^-1074. */
export function exact(value: number): bigint {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & (2n ** 52n - 1n)) | (exponent > 0 ? 2n ** 52n : 0n);
  const size = mantissa << BigInt(Math.max(exponent, 1) - 1);
  return bits >> 63n ? -size : size;
}

/** The double nearest to value * 2^-scale. */
export function nearest(value: bigint, scale: number): number {
  const size = value < 0n ? -value : value;
  const extra = size.toString(2).length - 64;
  // 64 bits with a sticky bit; the two roundings of Number() and the product differ only for subnormals.
  const cut = extra > 0 ? (size >> BigInt(extra)) | (size & ((1n << BigInt(extra)) - 1n) ? 1n : 0n) : size;
  let exponent = (extra > 0 ? extra : 0) - scale;
  let result = Number(cut);
  for (; exponent < -1000; exponent += 1000) result *= 2 ** -1000;
  for (; exponent > 1000; exponent -= 1000) result *= 2 ** 1000;
  result *= 2 ** exponent;
  return value < 0n ? -result : result;
}
