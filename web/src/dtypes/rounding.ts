/** Exact helpers for rounding: exponents and ties. */

const float64 = new DataView(new ArrayBuffer(8));

/** Returns the exponent e of a positive number in [2^e, 2^(e+1)); −1023 for zero and subnormal float64. */
export function exponentOf(size: number): number {
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
