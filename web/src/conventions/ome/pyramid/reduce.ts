/**
 * Reduces boxes of elements: each block of the source becomes one element of the result. Blocks at the ends
 * of the axes may be smaller.
 *
 * The result is computed by rows along the last axis, each from the source's rows of one row of blocks, in C
 * order. Kernels therefore process long runs of neighbours for any number of dimensions.
 */

import type { DType } from "../../../dtypes/dtype.js";
import type { ElementData } from "../../../dtypes/elements.js";
import { stridesOf } from "../../../util/shapes.js";
import { maxKernel, modeKernel } from "./extrema.js";
import type { KernelMaker } from "./kernel.js";
import { meanKernel } from "./mean.js";

/** Methods with a kernel. "nearest" needs none: it reads only the first element of each block. */
export type ReducingMethod = "mean" | "mode" | "max";

/** Returns the kernel for a data type; undefined if the method does not apply to it. */
export function kernelOf(method: ReducingMethod, dtype: DType): KernelMaker | undefined {
  if (dtype.isVariable) return undefined;
  return { mean: meanKernel, mode: modeKernel, max: maxKernel }[method](dtype);
}

/** A box inside a larger array in memory. */
export interface Destination {
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
  to: Destination,
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
