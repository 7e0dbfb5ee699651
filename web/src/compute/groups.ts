/** Groups, bins and windows of one dimension: the cells of its elements, and the coordinate of the cells. */

import { DType } from "../dtypes/dtype.js";
import type { Elements } from "../dtypes/elements.js";
import { noCell } from "../engine/box-reduction.js";
import type { AxisSelection } from "../plan/selection.js";
import { isRecord } from "../util/arguments.js";
import { describeValue, invalidArgument, limitExceeded } from "../util/errors.js";
import { type Grouping, maxTable } from "./axes.js";
import { coordinateOf, type Labels, type RegionCoordinate } from "./labelled.js";
import { partsOf, resampled, type TimePart, timeParts, timesOf } from "./times.js";

/** Labels of the elements along a dimension; elements with equal labels are a group. */
export interface LabelGroups {
  readonly dimension: string | number;
  /** One for each element of the array along the dimension. NaN and null belong to no group. */
  readonly labels: ArrayLike<unknown>;
  /** Name of the dimension of groups. Default: "group". */
  readonly name?: string | undefined;
}

/** Groups of `reduce`: a coordinate, a part of its times, or labels. */
export type GroupBy = `${string}.${TimePart}` | (string & {}) | LabelGroups;

/** A dimension whose elements are grouped. */
export interface GroupedAxis {
  readonly axis: number;
  readonly grouping: Grouping;
  /** Name of the dimension in the result. */
  readonly name: string | null;
  /** Undefined if the coordinates of the dimension remain. */
  readonly coordinate: RegionCoordinate | undefined;
  /** Elements that each cell needs; 0 for any number. */
  readonly minCount: number;
}

/** @throws InvalidArgument that names the coordinates and parts that exist; the errors of reading a coordinate. */
export async function groupedBy(
  by: GroupBy,
  labels: Labels,
  selections: readonly AxisSelection[],
): Promise<GroupedAxis> {
  if (isRecord(by)) return groupedByLabels(by as unknown as LabelGroups, labels, selections);
  if (typeof by !== "string")
    throw invalidArgument(
      `groupBy must be a coordinate, a part of its times such as "time.month", or labels; got ${describeValue(by)}`,
    );
  const coordinates = await labels.coordinates();
  const dot = by.lastIndexOf(".");
  const isWhole = dot < 0 || coordinates.some(({ name }) => name === by);
  const coordinate = await labels.coordinate(isWhole ? by : by.slice(0, dot));
  if (coordinate.dimensions.length !== 1)
    throw invalidArgument(`groupBy: ${JSON.stringify(coordinate.name)} has more than one dimension`);
  const axis = labels.axis(coordinate.dimensions[0]);
  const region = await labels.read(coordinate, keepingDimensions(selections));
  if (isWhole)
    return groupsOf(axis, coordinate.name, valuesOf(region.data), region.dtype, coordinate.array.attributes);
  const part = by.slice(dot + 1);
  if (!Object.hasOwn(timeParts, part))
    throw invalidArgument(
      `groupBy: unknown part ${JSON.stringify(part)}; expected ${Object.keys(timeParts).join(", ")}`,
    );
  const values = partsOf(timesOf(coordinate, region), part as TimePart);
  return groupsOf(axis, part, values, part === "season" ? text : DType.simple("int32"), {});
}

const text = DType.variable("string");

/** An index selects one element, whose group remains a dimension. */
const keepingDimensions = (selections: readonly AxisSelection[]): AxisSelection[] =>
  selections.map((selection) => ({ ...selection, dropped: false }) as AxisSelection);

function groupedByLabels(by: LabelGroups, labels: Labels, selections: readonly AxisSelection[]): GroupedAxis {
  const axis = labels.axis(by.dimension);
  const length = labels.array.shape[axis]!;
  if (by.labels?.length !== length)
    throw invalidArgument(
      `groupBy: ${length} labels are needed, one for each element, got ${describeValue(by.labels?.length)}`,
    );
  const { count } = selections[axis]!;
  if (count > maxTable)
    throw limitExceeded(`groupBy: ${count} labels are more than the limit of ${maxTable}`);
  const values = indicesOf(selections[axis]!).map((index) => by.labels[index]);
  const name = by.name ?? "group";
  const isText = values.some((value) => typeof value === "string");
  const isBig = values.some((value) => typeof value === "bigint");
  return groupsOf(axis, name, values, isText ? text : DType.simple(isBig ? "int64" : "float64"), {});
}

/** Returns the selected indices along an axis. */
function indicesOf(selection: AxisSelection): number[] {
  if ("indices" in selection) return [...selection.indices];
  const { start, step, count } = selection;
  return Array.from({ length: count }, (_, i) => start + i * step);
}

const valuesOf = (data: Elements): unknown[] => Array.from(data as ArrayLike<unknown>);

/** Returns the groups of equal values, sorted. */
function groupsOf(
  axis: number,
  name: string,
  values: readonly unknown[],
  dtype: DType,
  attributes: RegionCoordinate["attributes"],
): GroupedAxis {
  const isNone = (value: unknown) => value === null || value === undefined || Number.isNaN(value);
  const distinct = [...new Set(values.filter((value) => !isNone(value)))];
  const isValid = distinct.every((value) => /^(number|bigint|string|boolean)$/.test(typeof value));
  if (!isValid || new Set(distinct.map((value) => typeof value)).size > 1)
    throw invalidArgument(`groupBy: labels must be numbers or strings`);
  distinct.sort((a, b) => ((a as number) < (b as number) ? -1 : 1));
  const cells = new Map(distinct.map((value, cell) => [value, cell]));
  const table = Uint32Array.from(values, (value) => cells.get(value) ?? noCell);
  const coordinate = coordinateOf(name, typed(distinct, dtype), dtype, attributes);
  return { axis, grouping: { cells: cells.size, tables: [table] }, name, coordinate, minCount: 0 };
}

function typed(values: readonly unknown[], dtype: DType): Elements {
  if (dtype === text || dtype.isVariable) return values as string[];
  if (typeof values[0] === "bigint") return BigInt64Array.from(values as bigint[]);
  return dtype.core === "int32"
    ? Int32Array.from(values as number[])
    : Float64Array.from(values as number[], Number);
}

/** Returns the only entry of an option such as `{ time: "1D" }`. @throws InvalidArgument. */
function onlyEntry(option: unknown, what: string): [name: string, value: unknown] {
  const entries = isRecord(option) ? Object.entries(option) : [];
  if (entries.length !== 1)
    throw invalidArgument(`${what} must have one entry, a dimension, got ${describeValue(option)}`);
  return entries[0]!;
}

/** Returns bins of a dimension's times. */
export async function binned(
  option: unknown,
  labels: Labels,
  selections: readonly AxisSelection[],
): Promise<GroupedAxis> {
  const [name, period] = onlyEntry(option, "resample");
  const axis = labels.axis(name);
  const coordinate = await labels.coordinate(name);
  const region = await labels.read(coordinate, keepingDimensions(selections));
  const { grouping, coordinate: starts } = resampled(timesOf(coordinate, region), period);
  return { axis, grouping, name, coordinate: starts, minCount: 0 };
}

/** Returns windows along a dimension: those that end at each element, or have it at their centre. */
export function windows(
  option: unknown,
  isCentred: boolean,
  labels: Labels,
  selections: readonly AxisSelection[],
): GroupedAxis {
  const [name, length] = onlyEntry(option, "rolling");
  const axis = labels.axis(name);
  if (!Number.isInteger(length) || (length as number) < 1)
    throw invalidArgument(`rolling: a window must be a positive integer, got ${describeValue(length)}`);
  const window = length as number;
  const { count } = selections[axis]!;
  if (window * count > maxTable)
    throw limitExceeded(
      `rolling: ${count} windows of ${window} have more elements than the limit of ${maxTable}`,
    );
  const first = isCentred ? Math.floor(window / 2) + 1 - window : 0; // distance of the first cell of an element
  const tables = Array.from({ length: window }, (_, i) =>
    Uint32Array.from({ length: count }, (_, at) => {
      const cell = at + first + i;
      return cell >= 0 && cell < count ? cell : noCell;
    }),
  );
  const dimension = labels.names[axis]!;
  const grouping = { cells: count, tables };
  return { axis, grouping, name: dimension, coordinate: undefined, minCount: window };
}
