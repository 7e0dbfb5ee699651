/**
 * Computes statistics of arrays without reading them as a whole.
 * @packageDocumentation
 */

import { reduceArray, type Reduced, type ReduceOptions } from "./compute/reduce.js";
import type { Method } from "./compute/results.js";
import type { ZarrArray } from "./hierarchy/array.js";

/**
 * Reduces an array over some or all of its dimensions.
 *
 * Chunks are decoded and reduced in WebAssembly one after another, so that memory does not depend on the size of the array:
 * at most some 256 MiB and the results. Missing chunks count as the fill value.
 *
 * Results: `mean`, `std` and `var` (of all elements, as NumPy's default) are float64; `sum` is float64, or exact 64-bit
 * integers for integers; `min`, `max`, `first` and `last` have the type of the decoded elements; `any` and `all` are 0 and
 * 1; `count` (elements that are not missing), `argmin` and `argmax` are float64. Positions count the selected elements
 * along the reduced dimensions in C order; they are -1 without a valid element. Integers become float64 where a cell may
 * have no value.
 *
 * @param options dimensions, methods and groups.
 * @returns regions with dimension names and coordinates; for a list of methods, an object of them.
 * @throws InvalidArgument for unknown dimensions, methods and groups; InvalidSelection; Unsupported for types that are not
 *   real numbers, and LimitExceeded for results above `limits.resultBytes`, before elements are read; LimitExceeded for sums
 *   that do not fit into 64 bits; the errors of `get` and `decodeCF`; the signal's reason. No partial result is returned.
 */
export async function reduce<const M extends Method | readonly Method[]>(
  array: ZarrArray,
  options: ReduceOptions<M>,
): Promise<Reduced<M>> {
  return (await reduceArray(array, options as ReduceOptions)) as Reduced<M>;
}

export type { GroupBy, LabelGroups } from "./compute/groups.js";
export type { LabelledRegion, RegionCoordinate } from "./compute/labelled.js";
export type { MethodData, ReadingOptions, Reduced, ReduceOptions } from "./compute/reduce.js";
export type { Method } from "./compute/results.js";
export type { ReduceProgress } from "./compute/run.js";
export type { DecodeOption } from "./compute/source.js";
export type { TimePart } from "./compute/times.js";
export type { WeightArray, Weights } from "./compute/weights.js";
