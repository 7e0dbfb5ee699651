/** Types of the kernels, which reduce rows of blocks. */

import type { ElementData } from "../../../dtypes/elements.js";

/**
 * Computes one row of the result.
 * @param starts starts of the source's rows, in elements.
 * @param length number of elements of each row.
 * @param factor number of elements of a block along the row; the last block has fewer if `length` is not a
 *   multiple.
 * @param at start of the result's row, in elements.
 */
export type RowKernel = (starts: readonly number[], length: number, factor: number, at: number) => void;

/** Returns the kernel for a source and a result. */
export type KernelMaker = (source: ElementData, out: ElementData) => RowKernel;

/** Elements that are JavaScript numbers. */
export type NumberData = Exclude<ElementData, BigInt64Array | BigUint64Array>;

/** Types of at most 16 bits, whose sums and differences are 32-bit integers. */
export const smallIntegers = /^(bool|u?int(2|4|8|16))$/;

type Wide = BigInt64Array | BigUint64Array;

const size = 2 ** 32;

/** Returns the halves of elements: lower ones at even positions, upper ones at odd positions. */
function halvesOf(data: Wide, isSigned: boolean) {
  const { buffer, byteOffset, length } = data;
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  return { low, high: isSigned ? new Int32Array(buffer, byteOffset, 2 * length) : low };
}

/** Rounds to the nearest, ties to even; for blocks of at most 2¹² elements. */
export function wideMean(source: Wide, out: Wide, isSigned: boolean): RowKernel {
  const { low, high } = halvesOf(source, isSigned);
  const result = halvesOf(out, false).low;
  return (starts, length, factor, at) => {
    for (let from = 0, to = 2 * at; from < length; from += factor, to += 2) {
      const end = Math.min(from + factor, length);
      let lows = 0;
      let highs = 0;
      for (const start of starts) {
        for (let p = 2 * (start + from); p < 2 * (start + end); p += 2) {
          lows += low[p]!;
          highs += high[p + 1]!;
        }
      }
      const count = starts.length * (end - from);
      // Everything below is an integer under 2⁵³, and so exact.
      const upper = Math.floor(highs / count);
      const rest = (highs - upper * count) * size + lows;
      let lower = Math.floor(rest / count);
      const twice = 2 * (rest - lower * count);
      if (twice > count || (twice === count && lower % 2 !== 0)) lower++;
      result[to] = lower;
      result[to + 1] = upper + Math.floor(lower / size);
    }
  };
}

/** Returns the kernel for the greatest element of each block. */
export function wideMax(source: Wide, out: Wide, isSigned: boolean): RowKernel {
  const { low, high } = halvesOf(source, isSigned);
  const result = halvesOf(out, false).low;
  return (starts, length, factor, at) => {
    for (let from = 0, to = 2 * at; from < length; from += factor, to += 2) {
      const end = Math.min(from + factor, length);
      let best = 2 * (starts[0]! + from);
      for (const start of starts) {
        for (let p = 2 * (start + from); p < 2 * (start + end); p += 2) {
          const a = high[p + 1]!;
          const b = high[best + 1]!;
          if (a > b || (a === b && low[p]! > low[best]!)) best = p;
        }
      }
      result[to] = low[best]!;
      result[to + 1] = low[best + 1]!;
    }
  };
}
