/**
 * Reducing boxes of elements: of every block of the source one element of the result. Blocks at the far ends of the axes
 * hold what is there, and no more.
 *
 * Work goes by rows of the result, which lie along the last axis: each is made of the source's rows of one row of blocks,
 * in C order. So kernels see long runs of neighbours, whatever the number of dimensions.
 */

import type { DType } from "../../../dtypes/dtype.js";
import type { ElementData } from "../../../dtypes/elements.js";
import { stridesOf } from "../../../util/strides.js";
import type { KernelMaker } from "./kernel.js";
import { maxKernel } from "./max.js";
import { meanKernel } from "./mean.js";
import { modeKernel } from "./mode.js";

/** How blocks of elements become one. "nearest" takes the first, for which nothing else need be read. */
export type ReducingMethod = "mean" | "mode" | "max";

/** What reduces elements of a type; undefined where the method has no meaning for them. */
export function kernelOf(method: ReducingMethod, dtype: DType): KernelMaker | undefined {
  if (dtype.isVariable) return undefined;
  return { mean: meanKernel, mode: modeKernel, max: maxKernel }[method](dtype);
}

/** A box in a larger array that is in memory. */
export interface Destination {
  readonly data: ElementData;
  /** Where the box begins, in elements. */
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
  to: Destination,
): void {
  const last = shape.length - 1;
  const kernel = make(source, to.data);
  const strides = stridesOf(shape);
  const starts: number[] = [];
  /** All rows of the result below an index of the first axes, of which the source has these rows so far. */
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
