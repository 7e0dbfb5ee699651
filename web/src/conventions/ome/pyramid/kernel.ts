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
