/**
 * Computes statistics of arrays without reading them as a whole.
 * @packageDocumentation
 */

import type { QuantileOptions, Quantiles } from "./compute/quantile.js";
import type { Reduced, ReduceOptions } from "./compute/reduce.js";
import type { Method } from "./compute/results.js";
import type { Statistics, StatisticsOptions } from "./compute/statistics.js";
import type { ZarrArray } from "./hierarchy/array.js";
import type { Selection } from "./plan/selection.js";
import { lazy } from "./util/lazy.js";

const part = lazy("compute", () => import("./compute/part.js"));

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
  return (await (await part()).reduceArray(array, options as ReduceOptions)) as Reduced<M>;
}

/**
 * Computes count, missing elements, minimum, maximum, mean, standard deviation and a histogram in one pass.
 *
 * Without `range`, the histogram has at most `bins` bins whose width is a power of two, and whose edges are multiples of it.
 * Counts are exact.
 *
 * @param selection indices and slices, as for `get`. Default: the whole array.
 * @throws like {@link reduce}; InvalidSelection for lists of indices.
 */
export async function statistics(
  array: ZarrArray,
  selection?: Selection,
  options: StatisticsOptions = {},
): Promise<Statistics> {
  return (await part()).statisticsOf(array, selection, options);
}

/**
 * Computes quantiles of all selected elements that are not missing, without keeping or sorting them. Reads the array twice, or
 * four times if values have 64 bits.
 *
 * @param q from 0 (the minimum) to 1 (the maximum), or a list of them.
 * @throws like {@link statistics}.
 */
export async function quantile(
  array: ZarrArray,
  q: number | readonly number[],
  options: QuantileOptions = {},
): Promise<Quantiles> {
  return (await part()).quantilesOf(array, q, options);
}

export type { GroupBy, LabelGroups } from "./compute/groups.js";
export type { LabelledRegion, RegionCoordinate } from "./compute/labelled.js";
export type { QuantileOptions, Quantiles } from "./compute/quantile.js";
export type { MethodData, ReadingOptions, Reduced, ReduceOptions } from "./compute/reduce.js";
export type { Method } from "./compute/results.js";
export type { ReduceProgress } from "./compute/run.js";
export type { DecodeOption } from "./compute/source.js";
export type { Statistics, StatisticsOptions } from "./compute/statistics.js";
export type { TimePart } from "./compute/times.js";
export type { WeightArray, Weights } from "./compute/weights.js";
