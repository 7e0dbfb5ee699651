/** Implements `reduce`. */

import { noCell } from "../engine/box-reduction.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { Attributes } from "../metadata/document.js";
import type { AxisRange, AxisSelection, Selection } from "../plan/selection.js";
import { checkOptions, closestTo, didYouMean, type OptionNames, sharedOptions } from "../util/arguments.js";
import { describeValue, invalidArgument, invalidSelection, limitExceeded } from "../util/errors.js";
import { countOf, stridesOf } from "../util/shapes.js";
import type { WorkerPool } from "../workers/pool.js";
import { type PlanAxis, planAxis } from "./axes.js";
import { binned, type GroupBy, type GroupedAxis, groupedBy, windows } from "./groups.js";
import { writeKnown } from "./known.js";
import { keptCoordinates, type LabelledRegion, Labels, labelled, type ResultDimension } from "./labelled.js";
import { fieldsOf, type Method, makeOutput, methods, State, writeBlock } from "./results.js";
import { type JointLabels, type ReduceProgress, runReduction } from "./run.js";
import { checkArray, type DecodeOption, selectedAxes, valueRule } from "./source.js";
import type { JointTable } from "./tables.js";
import type { Period } from "./times.js";
import { type Weights, weightTable } from "./weights.js";

export interface ReadingOptions {
  /** The part of the array, as for `get`. Default: all of it. */
  selection?: Selection | undefined;
  /** Decodes by attributes of CF, as `decodeCF` does with `times: "counts"`. False: numbers as stored. */
  decode?: DecodeOption | undefined;
  /** Workers that decode and reduce. Default: the calling thread. */
  pool?: WorkerPool | undefined;
  /** Aborts the reduction: requests are cancelled and the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Maximum number of chunks requested in parallel. Default: 16. */
  concurrency?: number | undefined;
  /** Called while chunks are reduced. */
  onProgress?: ((progress: ReduceProgress) => void) | undefined;
}

/** A dimension by name or number. */
export type Dimension<N extends string = string> = N | number;

/** `N` are the names of the dimensions, if they are known. */
export interface ReduceOptions<
  M extends Method | readonly Method[] = Method | readonly Method[],
  N extends string = string,
> extends ReadingOptions {
  /** What to compute: one method, or a list of methods that are computed in one pass. */
  method: M;
  /**
   * Dimensions to reduce, by name or number. Default: all; with `groupBy` and `resample`, only the dimension of the groups,
   * which is always reduced.
   */
  over?: Dimension<N> | readonly Dimension<N>[] | undefined;
  /** Groups along a dimension: a coordinate, a part of its times such as "time.month", or labels. */
  groupBy?: GroupBy<N> | undefined;
  /** Equal periods along a dimension of times: `{ time: "MS" }`. The result has the starts of the periods. */
  resample?: { readonly [name in N]?: Period } | undefined;
  /** Windows of a number of elements along a dimension: `{ time: 3 }`. Windows with fewer elements are NaN. */
  rolling?: { readonly [name in N]?: number } | undefined;
  /** Whether windows have their element at the centre. Default: false, at the end. */
  center?: boolean | undefined;
  /** Weights of the elements, for `sum`, `mean`, `var` and `std`. */
  weights?: Weights | undefined;
  /** Whether NaN and missing values are left out. Default: true. False: results with missing values are NaN. */
  skipMissing?: boolean | undefined;
  /** Called with the results as far as they are computed; they change until the reduction ends. */
  onPartial?: ((results: Readonly<Record<Methods<M>, LabelledRegion>>) => void) | undefined;
}

type Methods<M extends Method | readonly Method[]> = M extends readonly Method[] ? M[number] : M & Method;

/** Elements of a method's result. */
export type MethodData<M extends Method> = M extends "mean" | "std" | "var" | "count" | "argmin" | "argmax"
  ? Float64Array
  : M extends "sum"
    ? Float64Array | BigInt64Array | BigUint64Array
    : M extends "any" | "all"
      ? Uint8Array | Float64Array
      : LabelledRegion["data"];

/** Result of `reduce`: a region, or one for each method of a list. */
export type Reduced<M extends Method | readonly Method[]> = M extends readonly Method[]
  ? { readonly [N in M[number]]: LabelledRegion<MethodData<N>> }
  : LabelledRegion<MethodData<M & Method>>;

export const readingOptions: OptionNames<ReadingOptions> = {
  ...sharedOptions,
  selection: true,
  decode: true,
};

const reduceOptions: OptionNames<ReduceOptions> = {
  ...readingOptions,
  method: true,
  over: "dim axis dims",
  groupBy: true,
  resample: true,
  rolling: true,
  center: "centre",
  weights: true,
  skipMissing: "skipna",
  onPartial: true,
};

/** Areas, the first dimension of the result, to which the cells along some axes are reduced. */
export interface AreaGroups extends JointLabels {
  /** Of the array. */
  readonly labels: Labels;
  /** Indices along the axes that have cells of areas. */
  readonly ranges: readonly AxisRange[];
  readonly weights: readonly JointTable<Float64Array>[];
  /** Undefined for a single area. */
  readonly dimension: ResultDimension | undefined;
  readonly coordinates: LabelledRegion["coordinates"];
}

/** Everything that is known before elements are read. */
interface Plan {
  readonly groups: AreaGroups | undefined;
  readonly array: ZarrArray;
  readonly labels: Labels;
  readonly wanted: readonly Method[];
  readonly selections: readonly AxisSelection[];
  readonly axes: readonly PlanAxis[];
  readonly reduced: ReadonlySet<number>;
  readonly grouped: GroupedAxis | undefined;
  readonly dimensions: readonly ResultDimension[];
}

export async function reduceArray(
  array: ZarrArray,
  options: ReduceOptions,
  groups?: AreaGroups,
): Promise<unknown> {
  checkArray(array, "reduce");
  checkOptions(options, reduceOptions);
  checkReading(options);
  const made = await compute(await planOf(array, options, groups), options);
  return Array.isArray(options.method) ? made : made[options.method as Method];
}

export function checkReading({
  onProgress,
  concurrency,
  onPartial,
}: ReadingOptions & { onPartial?: unknown }): void {
  for (const [name, value] of Object.entries({ onProgress, onPartial }))
    if (value !== undefined && typeof value !== "function")
      throw invalidArgument(`${name} must be a function, not ${describeValue(value)}`);
  if (concurrency !== undefined && !(Number.isSafeInteger(concurrency) && concurrency > 0))
    throw invalidArgument(`concurrency must be an integer of at least 1, not ${describeValue(concurrency)}`);
}

function checkMethods(method: unknown): readonly Method[] {
  const list = Array.isArray(method) ? Array.from(method) : [method];
  for (const name of list) {
    if (methods.includes(name)) continue;
    if (name === undefined) throw invalidArgument(`method is required, one of ${methods.join(", ")}`);
    const isQuantile = name === "median" || name === "quantile";
    const meant = typeof name === "string" && !isQuantile ? closestTo(name, methods) : undefined;
    const hint = isQuantile ? "; quantile() computes medians and quantiles" : didYouMean(meant);
    throw invalidArgument(
      `unknown method ${describeValue(name)}${hint}; expected one of ${methods.join(", ")}`,
    );
  }
  if (list.length === 0) throw invalidArgument(`method must name at least one of ${methods.join(", ")}`);
  return [...new Set(list as Method[])];
}

async function planOf(
  array: ZarrArray,
  options: ReduceOptions,
  groups: AreaGroups | undefined,
): Promise<Plan> {
  const { over, signal } = options;
  const wanted = checkMethods(options.method);
  const labels = groups?.labels ?? new Labels(array, signal);
  const selections = selectedAxes(array, options.selection);
  for (const [i, axis] of (groups?.axes ?? []).entries()) selections[axis] = groups!.ranges[i]!;
  const listed = over === undefined ? undefined : [over].flat().map((name) => labels.axis(name));
  const grouped = await groupsIn(options, labels, selections);
  const reduced = new Set(listed ?? (grouped || groups ? [] : array.shape.keys()));
  for (const axis of groups?.axes ?? []) reduced.add(axis);
  if (grouped) reduced.delete(grouped.axis);
  if (grouped && grouped.minCount > 0 && reduced.size > 0)
    throw invalidArgument("rolling reduces its own dimension only; reduce others in a second step");
  const axes = selections.map((selection, axis) => {
    const how = axis === grouped?.axis ? grouped : reduced.has(axis) ? "single" : undefined;
    if ("indices" in selection) checkList(selection.indices, axis, how ? wanted : []);
    return planAxis(selection, array.reader.axes[axis]!, how);
  });
  const dimensions = axes.flatMap(({ cells }, axis): ResultDimension[] => {
    if (axis === grouped?.axis) return [{ name: grouped.name, length: cells }];
    const isKept = !reduced.has(axis) && !selections[axis]!.dropped;
    return isKept ? [{ name: labels.names[axis]!, length: cells }] : [];
  });
  if (groups?.dimension) dimensions.unshift(groups.dimension);
  return { array, labels, wanted, selections, axes, reduced, grouped, groups, dimensions };
}

/** Methods that depend on the order of elements. */
const ordered: readonly Method[] = ["argmin", "argmax", "first", "last"];

/** @throws InvalidSelection for lists with repetitions, and along reduced dimensions if the order matters. */
function checkList(indices: readonly number[], axis: number, wanted: readonly Method[]): void {
  if (new Set(indices).size < indices.length)
    throw invalidSelection(`dimension ${axis}: the list of indices names an element twice`);
  if (ordered.some((method) => wanted.includes(method)))
    throw invalidSelection(`dimension ${axis}: ${ordered.join(", ")} take indices and slices, but no lists`);
}

async function groupsIn(
  { center, groupBy, resample, rolling }: ReduceOptions,
  labels: Labels,
  selections: readonly AxisSelection[],
): Promise<GroupedAxis | undefined> {
  const given = [groupBy, resample, rolling].filter((option) => option !== undefined);
  if (given.length > 1) throw invalidArgument("pass only one of groupBy, resample and rolling");
  if (center !== undefined && (typeof center !== "boolean" || rolling === undefined))
    throw invalidArgument("center must be true or false, and needs rolling");
  if (groupBy !== undefined) return groupedBy(groupBy, labels, selections);
  if (resample !== undefined) return binned(resample, labels, selections);
  return rolling === undefined ? undefined : windows(rolling, center === true, labels, selections);
}

async function compute(plan: Plan, options: ReduceOptions): Promise<Record<string, LabelledRegion>> {
  const { array, axes, grouped, groups, labels, wanted } = plan;
  const cells = [groups?.cells ?? 1, ...axes.map((axis) => axis.cells)];
  const size = 8 * countOf(cells) * wanted.length;
  if (!(size <= array.limits.resultBytes))
    throw limitExceeded(`the results have ${size} bytes, more than the limit of ${array.limits.resultBytes}`);
  const { decode, skipMissing, weights } = options;
  const values = valueRule(array, decode, skipMissing);
  const tables = [...(groups?.weights ?? [])];
  if (weights !== undefined) tables.push(await weightTable(weights, labels, axes, options.signal));
  const fields = fieldsOf(wanted, tables.length > 0);
  const minCount = grouped?.minCount ?? 0;
  const isEmpty = groups?.cells === 0 || axes.some(({ range }) => range.count === 0);
  const tabled = axes.filter(({ kind }) => kind === "table");
  const mayBeEmpty = minCount > 0 || [...tabled, ...(groups ? [groups] : [])].some(hasGaps) || isEmpty;
  const rule = { values, dtype: array.dtype, isWeighted: tables.length > 0, minCount, mayBeEmpty };
  const outputs = wanted.map((method) => makeOutput(method, rule, countOf(cells)));
  const coordinates = await resultCoordinates(plan);
  const results = Object.fromEntries(
    wanted.map((method, i) => {
      const attributes = attributesOf(array, method, decode !== false);
      const { data, dtype } = outputs[i]!;
      return [method, labelled(data, dtype, plan.dimensions, coordinates, attributes)];
    }),
  );
  const { onPartial } = options;
  const isWhole = !groups && !grouped && decode === undefined;
  if (isEmpty) for (const { data, finish } of outputs) data.fill(finish(State.empty(fields))(0) as never);
  else if (!(isWhole && writeKnown(array, plan.selections, wanted, outputs, skipMissing ?? true))) {
    const positionStrides = positionStridesOf(plan);
    const reduction = { array, axes, values, fields, positionStrides, weights: tables, labels: groups };
    const running = { ...options, isPartial: onPartial !== undefined };
    await runReduction(reduction, running, (block, state) => {
      writeBlock(outputs, cells, block, state, fields);
      onPartial?.(results as never);
    });
  }
  return results;
}

/** Whether some cells are in no table. */
function hasGaps({ cells, tables }: Pick<JointLabels, "cells" | "tables">): boolean {
  const isUsed = new Uint8Array(cells);
  for (const table of tables) for (const cell of table) if (cell !== noCell) isUsed[cell] = 1;
  return isUsed.includes(0);
}

/** Positions count the elements of the ranges along the reduced axes, in C order. */
function positionStridesOf({ axes, grouped, reduced }: Plan): number[] {
  const counted = axes.map((axis, i) => (reduced.has(i) || i === grouped?.axis ? axis.range.count : 1));
  const strides = stridesOf(counted);
  return strides.map((stride, axis) => (counted[axis]! > 1 ? stride : 0));
}

async function resultCoordinates({
  grouped,
  groups,
  labels,
  reduced,
  selections,
}: Plan): Promise<LabelledRegion["coordinates"]> {
  const gone = new Set(reduced);
  if (grouped?.coordinate) gone.add(grouped.axis);
  const kept = { ...(await keptCoordinates(labels, selections, gone)), ...groups?.coordinates };
  return grouped?.coordinate ? { ...kept, [grouped.name!]: grouped.coordinate } : kept;
}

/** Attributes that tell how numbers are stored. */
const packing =
  /^(scale_factor|add_offset|_FillValue|missing_value|_Unsigned|valid_(range|min|max)|actual_range|coordinates|_ARRAY_DIMENSIONS|_nczarr_array)$/;
/** Methods whose results are not in the units of the elements. */
const unitless = /^(count|var|argmin|argmax|any|all)$/;

export function attributesOf({ attributes }: ZarrArray, method: Method, isDecoded: boolean): Attributes {
  const isKept = (name: string) =>
    !(isDecoded && packing.test(name)) && !(unitless.test(method) && /^(units|calendar)$/.test(name));
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isKept(name)));
}
