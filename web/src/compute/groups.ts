/** Groups, bins and windows of one dimension: the cells of its elements, and the coordinate of the cells. */

import { DType } from "../dtypes/dtype.js";
import type { Elements } from "../dtypes/elements.js";
import { noCell } from "../engine/box-reduction.js";
import type { AxisSelection } from "../plan/selection.js";
import { isRecord } from "../util/arguments.js";
import { describeValue, invalidArgument, limitExceeded } from "../util/errors.js";
import { firstIndex } from "../util/search.js";
import { type Grouping, indexAt, maxTable } from "./axes.js";
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

/** Groups of `reduce`: a coordinate, a part of its times, or labels. `N` are the known names of dimensions. */
export type GroupBy<N extends string = string> = N | `${N}.${TimePart}` | (string & {}) | LabelGroups;

/** A dimension whose elements are grouped. */
export interface GroupedAxis extends Grouping {
  readonly axis: number;
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
  const { axis, coordinate, region } = await readCoordinate(
    isWhole ? by : by.slice(0, dot),
    labels,
    selections,
  );
  if (isWhole) {
    const { attributes } = coordinate.array;
    return groupsOf(axis, by, region.data, region.data, region.dtype, attributes);
  }
  const part = by.slice(dot + 1);
  if (!Object.hasOwn(timeParts, part))
    throw invalidArgument(
      `groupBy: unknown part ${JSON.stringify(part)}; expected ${Object.keys(timeParts).join(", ")}`,
    );
  const values = partsOf(timesOf(coordinate, region), part as TimePart);
  if (part === "season") return groupsOf(axis, part, values, [], text);
  return groupsOf(axis, part, values, new Int32Array(), DType.simple("int32"));
}

/** Reads the selected elements of a coordinate of one dimension; an index selects one, whose dimension remains. */
async function readCoordinate(name: string, labels: Labels, selections: readonly AxisSelection[]) {
  const coordinate = await labels.coordinate(name);
  const { dimensions } = coordinate;
  if (dimensions.length !== 1)
    throw invalidArgument(`groupBy: ${JSON.stringify(name)} has more than one dimension`);
  const kept = selections.map((selection) => ({ ...selection, dropped: false }) as AxisSelection);
  const region = await labels.read(coordinate, kept);
  return { axis: labels.axis(dimensions[0]), coordinate, region };
}

const text = DType.variable("string");

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
  const own = selections[axis]!;
  const values = Array.from({ length: count }, (_, i) => by.labels[indexAt(own, i)]);
  const name = by.name ?? "group";
  if (values.some((value) => typeof value === "string")) return groupsOf(axis, name, values, [], text);
  if (values.some((value) => typeof value === "bigint"))
    return groupsOf(axis, name, values, new BigInt64Array(), DType.simple("int64"));
  return groupsOf(axis, name, values, new Float64Array(), DType.simple("float64"));
}

/** Returns the groups of equal values, sorted. @param like a list or an array of the type of their coordinate. */
function groupsOf(
  axis: number,
  name: string,
  values: ArrayLike<unknown>,
  like: Elements,
  dtype: DType,
  attributes?: RegionCoordinate["attributes"],
): GroupedAxis {
  const known = Array.from(values).filter((value) => !Number.isNaN(value ?? Number.NaN));
  const [kind = "number", other] = new Set(known.map((value) => typeof value));
  if (other !== undefined || !/^(number|bigint|string|boolean)$/.test(kind))
    throw invalidArgument(`groupBy: labels must be numbers or strings`);
  const list = like.constructor as unknown as { from(values: readonly unknown[]): Float64Array };
  const sorted = list.from(kind === "string" ? [...new Set(known)] : known).sort(); // of numbers, fast with repetitions
  const data = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
  const cellOf = (value: number) => {
    const cell = firstIndex(data.length, (i) => data[i]! >= value);
    return cell < data.length && data[cell] === value ? cell : noCell;
  };
  const isFlag = kind === "boolean";
  const table = Uint32Array.from(
    values as ArrayLike<number>,
    isFlag ? (value) => cellOf(Number(value)) : cellOf,
  );
  const coordinate = coordinateOf(name, data, dtype, attributes);
  return { axis, cells: data.length, tables: [table], name, coordinate, minCount: 0 };
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
  const { coordinate, region } = await readCoordinate(name, labels, selections);
  return { axis: labels.axis(name), name, minCount: 0, ...resampled(timesOf(coordinate, region), period) };
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
  return { axis, cells: count, tables, name: labels.names[axis]!, coordinate: undefined, minCount: window };
}
