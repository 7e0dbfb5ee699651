/** What reduces rows of blocks, for each kind of elements. */
import type { ElementData } from "../../../dtypes/elements.js";

/**
 * Makes one row of the result.
 * @param starts where the source's rows begin, in elements.
 * @param length elements of each of them.
 * @param factor elements of a block along the row; fewer in the last one where `length` is no multiple.
 * @param at where the result's row begins, in elements.
 */
export type RowKernel = (starts: readonly number[], length: number, factor: number, at: number) => void;

/** Makes the kernel for a source and a result. */
export type KernelMaker = (source: ElementData, out: ElementData) => RowKernel;

/** Elements that are numbers. */
export type NumberData = Exclude<ElementData, BigInt64Array | BigUint64Array>;

/** Types of at most 16 bits, whose sums and differences are 32-bit integers. */
export const smallIntegers = /^(bool|u?int(2|4|8|16))$/;
