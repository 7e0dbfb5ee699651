/** Exact decimal numbers. */

const float64 = new DataView(new ArrayBuffer(8));

/** A decimal: ± digits × 10^exponent. */
export interface Decimal {
  readonly negative: boolean;
  /** Digits without leading and trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

/** Parses the text of a JSON number; undefined for any other string. Exponents saturate at ±10⁹. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = "", power = "0"] = match;
  const all = `${whole}${fraction}`;
  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  const shift = all.length - end - fraction.length;
  const exponent = Math.max(-1e9, Math.min(1e9, Number(power))) + shift;
  return { negative: sign === "-", digits: all.slice(start, end), exponent };
}

/** Number of digits; the midpoint of two adjacent numbers of any format has fewer. */
const enoughDigits = 800;

/**
 * Returns the sign of (|decimal| − size), for a positive, finite size that is the float64 nearest to the
 * decimal's magnitude. The work is bounded for any number of digits.
 */
export function compareSize({ digits, exponent }: Decimal, size: number): number {
  const kept = digits.slice(0, enoughDigits);
  // The truncated digits only make the decimal slightly larger.
  const cut = digits.length > kept.length;
  const power = exponent + digits.length - kept.length - (cut ? 1 : 0);
  const [mantissa, binary] = apart(size);
  const left = BigInt(cut ? `${kept}1` : kept || "0") * 10n ** clamp(power) * 2n ** clamp(-binary);
  const right = mantissa * 10n ** clamp(-power) * 2n ** clamp(binary);
  return left === right ? 0 : left > right ? 1 : -1;
}

/** The bound is never reached near a finite float64, which the caller guarantees. */
const clamp = (power: number): bigint => BigInt(Math.max(0, Math.min(power, 5000)));

/** Splits a finite positive float64 into an integer and a power of two. */
function apart(size: number): [bigint, number] {
  float64.setFloat64(0, size);
  const bits = float64.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = bits & (2n ** 52n - 1n);
  return exponent === 0 ? [mantissa, -1074] : [mantissa | (2n ** 52n), exponent - 1075];
}

/** Returns the exact integer value of a decimal; undefined if it has a fraction or more than 40 digits. */
export function integerOf({ negative, digits, exponent }: Decimal): bigint | undefined {
  if (digits === "") return 0n;
  if (exponent < 0 || digits.length + exponent > 40) return undefined;
  const size = BigInt(digits) * 10n ** BigInt(exponent);
  return negative ? -size : size;
}
