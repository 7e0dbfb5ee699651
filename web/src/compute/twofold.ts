/** Numbers as sums of two doubles, with about 106 bits: the accuracy of the accumulators. */

export type Twofold = readonly [high: number, low: number];

function twoSum(a: number, b: number): Twofold {
  const sum = a + b;
  const part = sum - a;
  return [sum, a - (sum - part) + (b - part)];
}

/** Splits a double into halves whose products are exact. */
function split(a: number): Twofold {
  const shifted = 134_217_729 * a; // 2^27 + 1
  const high = shifted - (shifted - a);
  return [high, a - high];
}

function twoProduct(a: number, b: number): Twofold {
  const product = a * b;
  const [[ah, al], [bh, bl]] = [split(a), split(b)];
  const error = ah * bh - product + ah * bl + al * bh + al * bl;
  return [product, Number.isFinite(error) ? error : 0]; // halves of huge numbers overflow
}

export function add([ah, al]: Twofold, [bh, bl]: Twofold): Twofold {
  const [sum, error] = twoSum(ah, bh);
  return Number.isFinite(sum) ? twoSum(sum, error + (al + bl)) : [sum, 0];
}

export function multiply([ah, al]: Twofold, [bh, bl]: Twofold): Twofold {
  const [product, error] = twoProduct(ah, bh);
  return Number.isFinite(product) ? twoSum(product, error + (ah * bl + al * bh)) : [product, 0];
}

export function divide(a: Twofold, b: Twofold): Twofold {
  const first = a[0] / b[0];
  if (!Number.isFinite(first)) return [first, 0];
  const rest = subtract(a, multiply([first, 0], b));
  return twoSum(first, rest[0] / b[0]);
}

export const subtract = (a: Twofold, [high, low]: Twofold): Twofold => add(a, [-high, -low]);

/** Rounds to the nearest double. */
export const rounded = ([high, low]: Twofold): number => (Number.isFinite(high) ? high + low : high);
