/** Implements `statistics`: moments and a histogram in one pass. */

import type { ZarrArray } from "../hierarchy/array.js";
import type { Selection } from "../plan/selection.js";
import { checkOptions, isRecord, type OptionNames, sharedOptions } from "../util/arguments.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import type { HistogramCounts } from "../workers/accumulators.js";
import { checkReading, type ReadingOptions } from "./reduce.js";
import { fieldsOf, type Method, makeOutput, State } from "./results.js";
import { runWhole } from "./run.js";
import { checkArray, elementsOf } from "./source.js";

export interface StatisticsOptions extends Omit<ReadingOptions, "selection"> {
  /** Maximum number of bins. Default: 256. */
  bins?: number | undefined;
  /**
   * First and last edge of `bins` bins of equal width; the last bin includes its end. Values outside are not counted there.
   * Default: bins that hold all values, whose width is a power of two.
   */
  range?: readonly [number, number] | undefined;
  /** Called with the statistics of the elements so far. */
  onPartial?: ((statistics: Statistics) => void) | undefined;
}

/** Statistics of the elements of an array, in decoded units. */
export interface Statistics {
  /** Numbers of elements with a value, and without one. */
  readonly count: number;
  readonly missing: number;
  /** NaN without elements. Integers beyond ±2⁵³ are rounded. */
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** Standard deviation of all elements. */
  readonly std: number;
  /** Bin i counts the values from `edges[i]` up to, not including, `edges[i + 1]`. Values beyond ±2¹⁰²⁰ are in no bin. */
  readonly histogram: { readonly edges: Float64Array; readonly counts: Float64Array };
}

const statisticsOptions: OptionNames<StatisticsOptions> = {
  ...sharedOptions,
  decode: true,
  bins: "nbins",
  range: true,
  onPartial: true,
};

const maxBins = 2 ** 20;
const wanted = ["count", "min", "max", "mean", "std"] as const satisfies readonly Method[];

/** @throws InvalidArgument for options passed as the selection. */
function checkSelection({ dimensionNames }: ZarrArray, names: readonly string[]): void {
  const option = names.find(
    (name) => Object.hasOwn(statisticsOptions, name) && !dimensionNames?.includes(name),
  );
  if (option !== undefined)
    throw invalidArgument(`"${option}" is an option: pass statistics(array, null, { ${option} })`);
}

export async function statisticsOf(
  array: ZarrArray,
  selection: Selection | undefined,
  options: StatisticsOptions,
): Promise<Statistics> {
  checkArray(array, "statistics");
  checkOptions(options, statisticsOptions);
  checkReading(options);
  if (isRecord(selection) && !Array.isArray(selection)) checkSelection(array, Object.keys(selection));
  const { bins = 256, onPartial, range } = options;
  if (!Number.isSafeInteger(bins) || bins < 2 || bins > maxBins)
    throw invalidArgument(`bins must be an integer from 2 to ${maxBins}, got ${describeValue(bins)}`);
  const elements = elementsOf(array, selection, options.decode);
  const fields = fieldsOf(wanted, false);
  const by = range === undefined ? "growing" : linearBins(range, bins);
  const rule = { ...elements, dtype: array.dtype, isWeighted: false, minCount: 0, mayBeEmpty: true };
  const outputs = wanted.map((method) => [method, makeOutput(method, rule, 1)] as const);
  let result: Statistics | undefined;
  const write = (state: State, found: HistogramCounts | undefined) => {
    const facts = Object.fromEntries(
      outputs.map(([method, { finish }]) => [method, Number(finish(state)(0))]),
    ) as Record<(typeof wanted)[number], number>;
    const histogram =
      by === "growing"
        ? usedBins(found)
        : { edges: edgesOf(by, bins), counts: found?.counts ?? new Float64Array(bins) };
    result = { ...facts, missing: elements.count - facts.count, histogram };
  };
  write(State.empty(fields), undefined);
  const running = { ...options, isPartial: onPartial !== undefined };
  await runWhole(elements, { fields, histograms: [{ bins, by }] }, running, (bytes, [found]) => {
    write(new State(bytes, fields, 1), found);
    onPartial?.(result!);
  });
  return result!;
}

interface LinearBins {
  readonly first: number;
  readonly width: number;
  readonly includesEnd: true;
}

function linearBins(range: unknown, bins: number): LinearBins {
  const [first, last] = Array.isArray(range) && range.length === 2 ? (range as unknown[]) : [];
  const isRange = Number.isFinite(first) && Number.isFinite(last) && (first as number) < (last as number);
  if (!isRange)
    throw invalidArgument(`range must be two finite numbers in rising order, got ${describeValue(range)}`);
  const width = ((last as number) - (first as number)) / bins;
  if (width === 0 || !Number.isFinite((first as number) + bins * width))
    throw invalidArgument(`range: ${first} to ${last} cannot be divided into ${bins} bins of float64`);
  return { first: first as number, width, includesEnd: true };
}

const edgesOf = ({ first, width }: { first: number; width: number }, bins: number): Float64Array =>
  Float64Array.from({ length: bins + 1 }, (_, i) => first + i * width);

/** The bins of a growing histogram from the first to the last value. */
function usedBins(found: HistogramCounts | undefined): Statistics["histogram"] {
  if (!found || found.width === 0) return { edges: new Float64Array(0), counts: new Float64Array(0) };
  const { counts, first, last, width } = found;
  const count = last - first + 1;
  const edges = Float64Array.from({ length: count + 1 }, (_, i) => (first + i) * width);
  return { edges, counts: counts.slice(0, count) };
}
