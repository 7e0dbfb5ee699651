/**
 * Reduces boxes of elements: each block of the source becomes one element of the result. Blocks at the ends
 * of the axes may be smaller.
 *
 * The result is computed by rows along the last axis, each from the source's rows of one row of blocks, in C
 * order. Kernels therefore process long runs of neighbours for any number of dimensions.
 */

import type { ElementData } from "../../../dtypes/elements.js";
import { stridesOf } from "../../../util/shapes.js";

/** A box inside a larger array in memory. */
export interface ElementBox {
  readonly data: ElementData;
  /** Start of the box, in elements. */
  readonly at: number;
  /** Distance between neighbours of the larger array along each axis, in elements; 1 for the last one. */
  readonly strides: readonly number[];
}

/**
 * Reduces a source in C order into a box, which has ⌈length / factor⌉ elements along each axis.
 * @param factors of each axis, positive integers.
 */
export function reduceBox(
  make: KernelMaker,
  source: ElementData,
  shape: readonly number[],
  factors: readonly number[],
  to: ElementBox,
): void {
  const last = shape.length - 1;
  const kernel = make(source, to.data);
  const strides = stridesOf(shape);
  const starts: number[] = [];
  /**
   * Computes all rows of the result below an index of the first axes, from the source's rows starting at
   * `from`.
   */
  const descend = (axis: number, from: readonly number[], at: number): void => {
    if (axis >= last) {
      kernel(from, shape[last]!, factors[last]!, at);
      return;
    }
    const length = shape[axis]!;
    const factor = factors[axis]!;
    for (let first = 0, i = 0; first < length; first += factor, i++) {
      const end = Math.min(first + factor, length);
      const rows = axis === last - 1 ? starts : [];
      rows.length = 0;
      for (const row of from) for (let k = first; k < end; k++) rows.push(row + k * strides[axis]!);
      descend(axis + 1, rows, at + i * to.strides[axis]!);
    }
  };
  descend(0, [0], to.at);
}

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
function toHalves(data: Wide, isSigned: boolean) {
  const { buffer, byteOffset, length } = data;
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  return { low, high: isSigned ? new Int32Array(buffer, byteOffset, 2 * length) : low };
}

/** Rounds to the nearest, ties to even; for blocks of at most 2¹² elements. */
export function wideMean(source: Wide, out: Wide, isSigned: boolean): RowKernel {
  const { low, high } = toHalves(source, isSigned);
  const result = toHalves(out, false).low;
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
  const { low, high } = toHalves(source, isSigned);
  const result = toHalves(out, false).low;
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
