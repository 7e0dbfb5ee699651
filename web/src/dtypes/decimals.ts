/** Decimals as they were written, exactly. */

const float64 = new DataView(new ArrayBuffer(8));

/** A decimal: ± digits × 10^exponent. */
export interface Decimal {
  readonly negative: boolean;
  /** Without leading and trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

/** Takes the text of a JSON number apart; undefined for any other text. Exponents saturate at ±10⁹. */
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

/** More digits than the middle between any two numbers of our formats has. */
const enoughDigits = 800;

/**
 * Sign of (size of the decimal − size), for a positive, finite size that is the float64 nearest to it.
 * Work is bounded whatever the number of digits.
 */
export function compareSize({ digits, exponent }: Decimal, size: number): number {
  const kept = digits.slice(0, enoughDigits);
  // What is cut off only says that the decimal is a little larger.
  const cut = digits.length > kept.length;
  const power = exponent + digits.length - kept.length - (cut ? 1 : 0);
  const [mantissa, binary] = apart(size);
  const left = BigInt(cut ? `${kept}1` : kept || "0") * 10n ** clamp(power) * 2n ** clamp(-binary);
  const right = mantissa * 10n ** clamp(-power) * 2n ** clamp(binary);
  return left === right ? 0 : left > right ? 1 : -1;
}

/** Near a finite float64 no power is larger: the caller's promise bounds them. */
const clamp = (power: number): bigint => BigInt(Math.max(0, Math.min(power, 5000)));

/** A finite positive float64 as an integer times a power of two. */
function apart(size: number): [bigint, number] {
  float64.setFloat64(0, size);
  const bits = float64.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = bits & (2n ** 52n - 1n);
  return exponent === 0 ? [mantissa, -1074] : [mantissa | (2n ** 52n), exponent - 1075];
}

/** The exact integer that a decimal is; undefined with a fraction, or with more than 40 digits. */
export function integerOf({ negative, digits, exponent }: Decimal): bigint | undefined {
  if (digits === "") return 0n;
  if (exponent < 0 || digits.length + exponent > 40) return undefined;
  const size = BigInt(digits) * 10n ** BigInt(exponent);
  return negative ? -size : size;
}
