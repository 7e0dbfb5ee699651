/**
 * Computes statistics of arrays without reading them as a whole.
 * @packageDocumentation
 */

import type { AnomalyOptions, ExpressionOptions } from "./compute/expression/expression.js";
import type { Operand } from "./compute/expression/sources.js";
import type { LabelledRegion } from "./compute/labelled.js";
import { loadCompute } from "./compute/load.js";
import type { InsideOptions } from "./compute/places/inside.js";
import type { PlaceOptions } from "./compute/places/series.js";
import type { QuantileOptions, Quantiles } from "./compute/quantile.js";
import type { Reduced, ReduceOptions } from "./compute/reduce.js";
import type { Method } from "./compute/results.js";
import type { Statistics, StatisticsOptions } from "./compute/statistics.js";
import type { Elements } from "./dtypes/elements.js";
import type { DTypeName } from "./dtypes/names.js";
import type { ZarrArray } from "./hierarchy/array.js";
import type { Selection } from "./plan/selection.js";
import { invalidArgument } from "./util/errors.js";
import { lazy } from "./util/lazy.js";

const places = lazy("places", () => import("./compute/places/part.js"));
const expressions = lazy("expressions", () => import("./compute/expression/part.js"));

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
export async function reduce<const M extends Method | readonly Method[], N extends string = string>(
  array: ZarrArray<DTypeName, N>,
  options: ReduceOptions<M, NoInfer<N>>,
): Promise<Reduced<M>> {
  return (await (await loadCompute()).reduceArray(array, options as ReduceOptions)) as Reduced<M>;
}

/** A selection, not the options in its place. */
type SelectionOnly =
  | null
  | (NonNullable<Selection> & { readonly [name in Exclude<keyof StatisticsOptions, "range">]?: never });

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
  selection?: SelectionOnly,
  options: StatisticsOptions = {},
): Promise<Statistics> {
  return (await loadCompute()).statisticsOf(array, selection as Selection, options);
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
  return (await loadCompute()).quantilesOf(array, q, options);
}

/**
 * Returns a virtual array whose chunks are computed when they are read: by `get`, `reduce`, `copy`, the viewer.
 *
 * Operators and their precedence are those of Python: `+ - * / % **`, comparisons, `& | ~` of integers and booleans, `and`,
 * `or`, `not`. Functions: `where(condition, a, b)`, `min`, `max`, `clip(x, low, high)`, `abs`, `sqrt`, `exp`, `log`,
 * `log10`, `sin`, `cos`, `round`, `floor`, `ceil`, `isMissing`, and the names of data types: `float32(x)`. Constants: `nan`,
 * `inf`, `pi`.
 *
 * Types are those of NumPy 2: numbers adapt to the type of the arrays, 64-bit integers are exact and wrap, `/` of integers
 * is float64. Dimensions are broadcast by name, as in xarray; without any names by position, as in NumPy. Arrays are decoded
 * by their CF attributes; missing values are NaN. float16 is computed as float32.
 *
 * @param operands by their names in the text: arrays, `{ array, selection }`, regions in memory, and numbers.
 * @throws InvalidArgument, with the code "bad-expression" and the position for the text; InvalidSelection; Unsupported for
 *   elements that are not real numbers; InvalidMetadata for invalid CF attributes. Reading also throws errors of operands.
 */
export async function expression(
  text: string,
  operands: Readonly<Record<string, Operand>>,
  options: ExpressionOptions = {},
): Promise<ZarrArray> {
  return (await expressions()).makeExpression(text, operands, options);
}

/**
 * Returns a virtual array: the differences from the mean over some dimensions, or from the means of groups such as months.
 * The means are computed at the first read and kept in memory. The result is float32 for decoded float32, otherwise float64.
 * @throws InvalidArgument for unknown dimensions and groups, and elements without a group; reading throws the errors of
 *   `reduce` and `get`.
 */
export async function anomaly<N extends string = string>(
  array: ZarrArray<DTypeName, N>,
  options: AnomalyOptions<NoInfer<N>> = {},
): Promise<ZarrArray> {
  return (await expressions()).makeAnomaly(array, options);
}

/**
 * Returns the values at places, along a line, or inside areas, along the remaining dimensions.
 *
 * Places and vertices are labels by the names of coordinates, as for `sel`: `{ at: { lat: 47.4, lon: 8.5 } }`. Coordinates
 * may have one dimension each, or two in common (curvilinear grids), or share a dimension of cells (unstructured grids,
 * HEALPix, reduced Gaussian grids: nearest by great-circle distance); without coordinates, `spatial:transform` and GDAL's
 * `GeoTransform` locate the cells. Longitudes match modulo 360. Each chunk is read once, however many places it has, and
 * chunks without any are not read.
 *
 * `inside` reduces the cells of each area as `reduce` does, with its options, in one pass. Edges of areas are straight lines
 * in the coordinates; which cells belong to an area is decided by their centres and the even-odd rule. By default, means are
 * weighted by the sizes of cells: on the sphere for degrees. Areas in a list are the dimension "region", labels the dimension
 * "label", the first one of the result.
 *
 * @throws InvalidSelection (no-such-label) for places outside, naming the range, and (no-coordinates) for unknown
 *   coordinates; InvalidArgument for invalid areas and options; Unsupported for linear interpolation between cells that form
 *   no grid; LimitExceeded for areas of more than 2^25 cells; the errors of `reduce` and `georeference`.
 */
export async function series<const M extends Method | readonly Method[] = "mean", N extends string = string>(
  array: ZarrArray<DTypeName, N>,
  options: InsideOptions<M, NoInfer<N>>,
): Promise<Reduced<M>>;
export async function series(array: ZarrArray, options: PlaceOptions): Promise<LabelledRegion<Elements>>;
export async function series(array: ZarrArray, options: PlaceOptions | InsideOptions): Promise<unknown> {
  const given = ["at", "along", "inside"].filter((name) => Reflect.get(Object(options), name) !== undefined);
  if (given.length !== 1)
    throw invalidArgument(`pass one of at, along and inside, got ${given.join(", ") || "none"}`);
  const { seriesAt, seriesInside } = await places();
  return given[0] === "inside"
    ? seriesInside(array, options as InsideOptions)
    : seriesAt(array, options as PlaceOptions);
}

export type { AnomalyOptions, ExpressionOptions } from "./compute/expression/expression.js";
export type { ArrayOperand, NamedRegion, Operand, OperandOptions } from "./compute/expression/sources.js";
export type { VirtualOptions } from "./compute/expression/virtual-array.js";
export type { GroupBy, LabelGroups } from "./compute/groups.js";
export type { LabelledRegion, RegionCoordinate } from "./compute/labelled.js";
export type { Area, Position } from "./compute/places/areas.js";
export type { PointConverter, Projection } from "./compute/places/converted-cells.js";
export type { Inside, InsideOptions, LabelledCells } from "./compute/places/inside.js";
export type { AlongOptions, AtOptions, Place, PlaceOptions } from "./compute/places/series.js";
export type { QuantileOptions, Quantiles } from "./compute/quantile.js";
export type { Dimension, MethodData, ReadingOptions, Reduced, ReduceOptions } from "./compute/reduce.js";
export type { Method } from "./compute/results.js";
export type { ReduceProgress } from "./compute/run.js";
export type { DecodeOption } from "./compute/source.js";
export type { Statistics, StatisticsOptions } from "./compute/statistics.js";
export type { Period, TimePart } from "./compute/times.js";
export type { WeightArray, Weights } from "./compute/weights.js";
