/** Implements `series` with `inside`: values of the cells inside areas, or with labels. */

import type { ElementData } from "../../dtypes/elements.js";
import { noCell } from "../../engine/box-reduction.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { isRecord } from "../../util/arguments.js";
import { describeValue, invalidArgument, isZarrError, limitExceeded } from "../../util/errors.js";
import { countOf } from "../../util/shapes.js";
import { inSlices, type Steps } from "../../util/slices.js";
import { coordinateOf, Labels } from "../labelled.js";
import { type AreaGroups, type ReduceOptions, reduceArray } from "../reduce.js";
import type { Method } from "../results.js";
import { checkArray, selectedAxes } from "../source.js";
import type { JointTable } from "../tables.js";
import type { Weights } from "../weights.js";
import {
  type Area,
  type AreaCells,
  cellsInside,
  listAreas,
  rangeFrom,
  type Surface,
  shapeOf,
} from "./areas.js";
import { cellSizes } from "./cell-sizes.js";
import type { Point, Projection } from "./converted-cells.js";
import { areBeyondDegrees, checkUnselected, surfaceOf } from "./place-grid.js";
import { ScatteredCells } from "./scattered-cells.js";

/** Cells with labels, such as the segments of an image or the numbers of countries; 0 is the background. */
export interface LabelledCells {
  /** An array with some of the dimensions, by name; without names, the last ones. */
  readonly labels: ZarrArray;
  /** Default: all labels except 0, in rising order. */
  readonly label?: number | bigint | readonly (number | bigint)[] | undefined;
}

/** One area, several, or labels. */
export type Inside = Area | readonly Area[] | LabelledCells;

export interface InsideOptions<
  M extends Method | readonly Method[] = Method | readonly Method[],
  N extends string = string,
> extends Omit<ReduceOptions<M, N>, "method" | "weights"> {
  /** A cell belongs to an area if its centre lies inside, or on its western or southern edge. */
  inside: Inside;
  /** Default: "mean". */
  method?: M | undefined;
  /** "area" (default): the relative sizes of the cells. "none": all cells count the same. */
  weights?: "area" | "none" | Weights | undefined;
  /** proj4, or a converter from degrees to the coordinates of the array, for areas in degrees. */
  projection?: Projection | undefined;
}

/** Maximum number of elements of an array of labels: 128 MiB in the table. */
const maxLabels = 2 ** 25;

export async function seriesInside(array: ZarrArray, options: InsideOptions): Promise<unknown> {
  checkArray(array, "series");
  const { inside, method = "mean", projection, weights = "area", ...rest } = options;
  const labels = new Labels(array, options.signal);
  const groups = isLabels(inside)
    ? await labelGroups(inside, labels, options)
    : await areaGroups(inside, labels, options);
  checkUnselected(labels, selectedAxes(array, options.selection), groups.axes);
  const given = weights === "area" || weights === "none" ? undefined : weights;
  return reduceArray(array, { ...rest, method, weights: given }, groups);
}

const isLabels = (inside: unknown): inside is LabelledCells => isRecord(inside) && "labels" in inside;

async function areaGroups(inside: Inside, labels: Labels, options: InsideOptions): Promise<AreaGroups> {
  const { signal, weights = "area" } = options;
  const { areas, isList } = listAreas(inside);
  const surface = await surfaceOf(labels, options);
  const found = await inSlices(cellsInside(surface, areas), signal);
  if (found.tables.every((table) => table.every((area) => area === noCell)))
    await inSlices(checkUnits(surface, areas), signal);
  const sizes = weights === "area" ? await cellSizes(surface, labels, signal) : [];
  return {
    ...found,
    labels,
    cells: areas.length,
    weights: sizes.map((table) => cut(table, found)),
    dimension: isList ? { name: "region", length: areas.length } : undefined,
    coordinates: {},
  };
}

/** @throws InvalidArgument for areas without cells that are in degrees, while the grid has other units. */
function* checkUnits(surface: Surface, areas: readonly unknown[]): Steps<void> {
  const { areDegrees, cells } = surface;
  if (areDegrees || cells instanceof ScatteredCells || !areBeyondDegrees(cells.x, cells.y)) return;
  for (const area of areas) {
    const given = { areDegrees: false, convert: (point: Point) => point };
    const { west, south, east, north } = yield* shapeOf(area, given);
    if (!(west >= -180 && east <= 360 && south >= -90 && north <= 90)) return;
  }
  throw invalidArgument(
    "no area contains a cell: the areas are in degrees, but the coordinates of the array are not; pass proj4 as projection",
  );
}

/** Returns the part of a table of one axis that lies in its range; tables of several axes are not cut. */
function cut({ axes, values }: JointTable<Float64Array>, found: AreaCells): JointTable<Float64Array> {
  if (axes.length > 1) return { axes, values };
  const { start, count } = found.ranges[found.axes.indexOf(axes[0]!)]!;
  return { axes, values: values.subarray(start, start + count) };
}

/** @throws InvalidArgument, LimitExceeded; the errors of `get`. */
async function labelGroups(
  { labels: source, label }: LabelledCells,
  names: Labels,
  options: InsideOptions,
): Promise<AreaGroups> {
  const { signal, weights = "area" } = options;
  const { array } = names;
  checkArray(source, "labels");
  const own = new Labels(source, signal).names;
  const rank = array.shape.length;
  const isNamed = own.every((name) => name !== null && names.names.includes(name));
  const axes = own.map((name, i) => (isNamed ? names.axis(name) : rank - own.length + i));
  const fits =
    axes.length > 0 &&
    axes.every((axis, i) => array.shape[axis] === source.shape[i] && axis > (axes[i - 1] ?? -1));
  if (!fits)
    throw invalidArgument(
      `labels of shape [${source.shape.join(", ")}] do not fit the array of shape [${array.shape.join(", ")}]; ${names.listed}`,
    );
  const count = countOf(source.shape);
  if (count > maxLabels)
    throw limitExceeded(`there are ${count} labels, more than the limit of ${maxLabels}`);
  const { data } = await get(source, null, { signal });
  if (!/^(bool|u?int)/.test(source.dtype.core))
    throw invalidArgument(`labels must be integers, got ${source.dtype}`);
  const values = data as unknown as ArrayLike<number | bigint>;
  const isBig = typeof values[0] === "bigint";
  const listed = label === undefined ? undefined : Array.isArray(label) ? Array.from(label) : [label];
  const wanted = listed ? listed.map((one) => labelValue(one, isBig)) : foundLabels(values);
  const numbers = new Map(wanted.map((one, i) => [one, i]));
  if (numbers.size < wanted.length) throw invalidArgument("label names a label twice");
  const table = Uint32Array.from({ length: count }, (_, i) => numbers.get(values[i]!) ?? noCell);
  const isList = listed === undefined || Array.isArray(label);
  const made = new (data.constructor as new (list: unknown[]) => ElementData)(wanted);
  return {
    labels: names,
    axes,
    ranges: source.shape.map((length) => rangeFrom(0, length)),
    tables: [table],
    cells: wanted.length,
    weights: weights === "area" ? await knownSizes(axes, names, options) : [],
    dimension: isList ? { name: "label", length: wanted.length } : undefined,
    coordinates: isList ? { label: coordinateOf("label", made, source.dtype) } : {},
  };
}

function labelValue(label: unknown, isBig: boolean): number | bigint {
  const isInteger = typeof label === "bigint" || Number.isSafeInteger(label);
  if (!isInteger)
    throw invalidArgument(`label must be an integer or a list of them, got ${describeValue(label)}`);
  return isBig ? BigInt(label as number) : Number(label);
}

/** Returns all labels except 0, in rising order. */
function foundLabels(values: ArrayLike<number | bigint>): (number | bigint)[] {
  const found = new Set<number | bigint>();
  for (let i = 0; i < values.length; i++) found.add(values[i]!);
  found.delete(0);
  found.delete(0n);
  return [...found].sort((a, b) => (a < b ? -1 : 1));
}

/** Returns the sizes of labelled cells; none without coordinates of degrees along their axes. */
async function knownSizes(
  axes: readonly number[],
  labels: Labels,
  options: InsideOptions,
): Promise<JointTable<Float64Array>[]> {
  try {
    const surface = await surfaceOf(labels, options);
    const sizes = await cellSizes(surface, labels, options.signal);
    return sizes.filter((table) => table.axes.every((axis) => axes.includes(axis)));
  } catch (error) {
    if (!isZarrError(error, "InvalidSelection", "Unsupported", "NotFound")) throw error;
    return [];
  }
}
