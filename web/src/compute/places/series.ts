/** Implements `series` with `at` and `along`: values at places and along lines. */

import type { Label } from "../../conventions/sel/labels.js";
import { decodeCF } from "../../conventions/xarray/cf.js";
import { DType } from "../../dtypes/dtype.js";
import type { ElementData, Elements } from "../../dtypes/elements.js";
import type { Region, ZarrArray } from "../../hierarchy/array.js";
import type { Attributes } from "../../metadata/document.js";
import type { AxisSelection, Selection } from "../../plan/selection.js";
import { checkOptions, isRecord, type OptionNames } from "../../util/arguments.js";
import { describeValue, invalidArgument, unsupported } from "../../util/errors.js";
import { countOf, stridesOf } from "../../util/shapes.js";
import {
  coordinateOf,
  keptCoordinates,
  type LabelledRegion,
  Labels,
  labelled,
  type RegionCoordinate,
} from "../labelled.js";
import { attributesOf, checkReading, type ReadingOptions, readingOptions } from "../reduce.js";
import { checkArray, selectedAxes } from "../source.js";
import { gatherCells } from "./gather.js";
import type { Found, GridPart, Matching } from "./grid-part.js";
import { type SampledPlace, sampleLine } from "./line.js";
import { PlaceAxis } from "./place-axis.js";
import { type Projection, partsNamed, product } from "./place-grid.js";

/** A place: labels by the names of coordinates, such as `{ lat: 47.4, lon: 8.5 }`. */
export type Place = Readonly<Record<string, Label>>;

/** Options of `series` at places and along a line. */
export interface PlaceOptions extends ReadingOptions {
  /** One place, or several along the dimension "place" of the result. */
  at?: Place | readonly Place[] | undefined;
  /** Vertices of a line, of two coordinates each: samples along the dimension "distance" of the result. */
  along?: readonly Place[] | undefined;
  /**
   * "nearest" (default): the values of the nearest cell; of two, the one with the larger coordinate. "linear": the mean
   * of the neighbours along each axis, weighted by their closeness.
   */
  interpolation?: "nearest" | "linear" | undefined;
  /**
   * Maximum distance from a place to the nearest cell along each axis, in the units of the coordinates; of coordinates with
   * two dimensions and of unstructured grids, in degrees of a great circle. Default: to the edge of the outermost cells; for
   * these grids, the distance of neighbouring cells.
   */
  tolerance?: number | undefined;
  /** What a place outside does: "error" (default), or values that are "missing". */
  outside?: "error" | "missing" | undefined;
  /** proj4, or a converter from degrees to the coordinates of the array, for places in `{ lat, lon }`. */
  projection?: Projection | undefined;
  /** Whether missing neighbours do not count in "linear". Default: true. With false, the result is missing. */
  skipMissing?: boolean | undefined;
  /** Distance of the samples along a line, in metres or units of the coordinates. Default: one or more per cell. */
  spacing?: number | undefined;
}

/** Reads the cells of places, chunk by chunk. */
export async function seriesAt(array: ZarrArray, options: PlaceOptions): Promise<LabelledRegion<Elements>> {
  const matching = checkPlaceOptions(array, options);
  const { along, at, signal } = options;
  const list = (along ?? (Array.isArray(at) ? at : [at])) as readonly Place[];
  const names = namesOf(list, along !== undefined);
  const parts = await partsNamed(array, names, options);
  const samples = along && sampleLine(parts, names, list, options.spacing);
  const places: readonly SampledPlace[] =
    samples ??
    list.map((place) => ({ values: names.map((name) => partOf(parts, name).valueOf(place[name], name)) }));
  const grid = new PartGrid(parts, names, array.shape);
  const found = places.map(({ values }) => grid.find(values, matching, options.outside === "missing"));
  const { cells, stencils } = distinct(found);
  const labels = new Labels(array, signal);
  const selections = selectionsOf(array, labels, options.selection, grid.axes);
  const indices = cells.map((cell) => grid.indicesOf(cell));
  const region = await gatherCells(array, grid.axes, indices, selections, options);
  const decoded = decodeRegion(array, region, options.decode);
  const items = decoded.data.length / countOf(region.shape) || 1; // two numbers of a complex one
  const inner = countOf(region.shape.slice(grid.axes[0]! + 1)) * items;
  const combined = combine(
    decoded.data,
    { outer: countOf(region.shape.slice(0, grid.axes[0]!)), cells: cells.length, inner, stencils },
    matching.isLinear,
    options.skipMissing ?? true,
  );
  const dimension = along ? "distance" : Array.isArray(at) ? "place" : undefined;
  const centres = found.map((one) => grid.at(one.cells[0]));
  const dimensions = selections.flatMap((selection, axis) => {
    if (axis === grid.axes[0] && dimension) return [{ name: dimension, length: places.length }];
    if (grid.axes.includes(axis) || selection.dropped) return [];
    return [{ name: labels.names[axis] ?? null, length: selection.count }];
  });
  const coordinates = {
    ...(await keptCoordinates(labels, selections, new Set(grid.axes))),
    ...(await placeCoordinates(
      labels,
      parts,
      names,
      dimension,
      (i, n) => (matching.isLinear ? places[i]!.values[n]! : centres[i]![n]!),
      places.length,
    )),
    ...(samples && {
      distance: coordinateOf(
        "distance",
        Float64Array.from(samples, (one) => one.distance!),
        float64,
        samples[0]?.units ? { units: samples[0].units } : {},
      ),
    }),
  };
  const isStored = combined.constructor === region.data.constructor;
  const dtype = isStored
    ? decoded.dtype
    : DType.simple(combined instanceof Float32Array ? "float32" : "float64");
  return labelled(
    combined,
    dtype,
    dimensions,
    coordinates,
    attributesOf(array, "first", options.decode !== false),
  );
}

const float64 = DType.simple("float64");

const placeOptions: OptionNames<PlaceOptions> = {
  ...readingOptions,
  at: true,
  along: true,
  interpolation: "method",
  tolerance: true,
  outside: true,
  projection: true,
  skipMissing: "skipna",
  spacing: true,
};

/** @throws InvalidArgument, Unsupported. */
function checkPlaceOptions(array: ZarrArray, options: PlaceOptions): Matching {
  checkArray(array, "series");
  checkOptions(options, placeOptions);
  checkReading(options);
  const { interpolation = "nearest", tolerance, outside = "error", spacing } = options;
  if (interpolation !== "nearest" && interpolation !== "linear")
    throw invalidArgument(`interpolation must be "nearest" or "linear", got ${describeValue(interpolation)}`);
  if (outside !== "error" && outside !== "missing")
    throw invalidArgument(`outside must be "error" or "missing", got ${describeValue(outside)}`);
  if (tolerance !== undefined && !(tolerance >= 0))
    throw invalidArgument(`tolerance must be a number of at least 0, got ${describeValue(tolerance)}`);
  if (spacing !== undefined && !(spacing > 0))
    throw invalidArgument(`spacing must be a positive number, got ${describeValue(spacing)}`);
  if (interpolation === "linear" && !/^(bool|u?int\d|b?float\d)/.test(array.dtype.core))
    throw unsupported(`data type ${array.dtype} cannot be interpolated; pass interpolation: "nearest"`, {
      code: "unsupported-dtype",
    });
  return { isLinear: interpolation === "linear", tolerance };
}

/** Returns the names of the coordinates, which all places must have. @throws InvalidArgument. */
function namesOf(places: readonly Place[], isLine: boolean): readonly string[] {
  const names = isRecord(places[0]) ? Object.keys(places[0]) : [];
  const key = names.toSorted().join("\n");
  const wrong = places.find((place) => !isRecord(place) || Object.keys(place).sort().join("\n") !== key);
  if (names.length === 0 || wrong !== undefined)
    throw invalidArgument(
      `places must be objects with the names of coordinates, such as { lat: 47, lon: 8 }, the same in all of them; got ${wrong ? Object.keys(wrong).join(", ") || describeValue(wrong) : "none"}`,
    );
  if (isLine && (places.length < 2 || names.length !== 2))
    throw invalidArgument(
      `a line must have at least 2 vertices with 2 coordinates each, got ${places.length} with ${names.length}`,
    );
  return names;
}

const partOf = (parts: readonly GridPart[], name: string): GridPart =>
  parts.find((part) => part.names.includes(name))!;

/** The cells of all parts of a grid together. */
class PartGrid {
  /** Axes of the array, ascending. */
  readonly axes: readonly number[];
  readonly #lengths: readonly number[];

  constructor(
    private readonly parts: readonly GridPart[],
    private readonly names: readonly string[],
    private readonly shape: readonly number[],
  ) {
    const axes = parts.flatMap((part) => part.axes);
    if (new Set(axes).size < axes.length)
      throw invalidArgument(`the coordinates ${names.join(", ")} lie along the same dimension`);
    this.axes = axes.toSorted((a, b) => a - b);
    this.#lengths = parts.map((part) => countOf(part.axes.map((axis) => shape[axis]!)));
  }

  /** Returns the cells of a place; none outside. @throws InvalidSelection (no-such-label). */
  find(values: readonly number[], matching: Matching, mayMiss: boolean): Found {
    let all: Found = { cells: [0], weights: [1] };
    for (const [i, part] of this.parts.entries()) {
      const own = part.names.map((name) => values[this.names.indexOf(name)]!);
      const found = part.find(own, matching);
      if (!found && mayMiss) return { cells: [], weights: [] };
      if (!found) throw part.outside(own, matching.tolerance);
      all = product(all, found, this.#lengths[i]!);
    }
    return all;
  }

  /** Divides the number of a cell into those of the parts. */
  #split(cell: number): number[] {
    const own = new Array<number>(this.parts.length);
    for (let i = own.length - 1, rest = cell; i >= 0; i--) {
      own[i] = rest % this.#lengths[i]!;
      rest = Math.floor(rest / this.#lengths[i]!);
    }
    return own;
  }

  /** Returns the indices of a cell along the axes. */
  indicesOf(cell: number): number[] {
    const byAxis = new Map<number, number>();
    for (const [i, own] of this.#split(cell).entries()) {
      const { axes } = this.parts[i]!;
      const strides = stridesOf(axes.map((axis) => this.shape[axis]!));
      for (const [n, axis] of axes.entries())
        byAxis.set(axis, Math.floor(own / strides[n]!) % this.shape[axis]!);
    }
    return this.axes.map((axis) => byAxis.get(axis)!);
  }

  /** Returns the coordinates of a cell in the order of the names. */
  at(cell: number | undefined): number[] {
    if (cell === undefined) return this.names.map(() => Number.NaN);
    const own = this.#split(cell);
    const values = new Map(
      this.parts.flatMap((part, i) => part.at(own[i]!).map((value, n) => [part.names[n]!, value])),
    );
    return this.names.map((name) => values.get(name)!);
  }
}

/** Cells of a place by their number among the distinct ones. */
type Stencil = Found;

function distinct(found: readonly Found[]): { cells: number[]; stencils: Stencil[] } {
  const numbers = new Map<number, number>();
  for (const { cells } of found)
    for (const cell of cells) if (!numbers.has(cell)) numbers.set(cell, numbers.size);
  const stencils = found.map(({ cells, weights }) => ({
    cells: cells.map((cell) => numbers.get(cell)!),
    weights,
  }));
  return { cells: [...numbers.keys()], stencils };
}

/** @throws InvalidSelection, also for entries along the dimensions of the places. */
function selectionsOf(
  array: ZarrArray,
  labels: Labels,
  selection: Selection | undefined,
  axes: readonly number[],
): AxisSelection[] {
  const resolved = selectedAxes(array, selection);
  for (const axis of axes) {
    const own = resolved[axis]!;
    if (own.count !== array.shape[axis] || own.dropped || "indices" in own)
      throw invalidArgument(
        `the places determine the elements along dimension ${JSON.stringify(labels.names[axis] ?? axis)}; omit it from the selection`,
      );
  }
  return resolved;
}

function decodeRegion(
  array: ZarrArray,
  region: Region<Elements>,
  decode: PlaceOptions["decode"],
): { data: Elements; dtype: DType } {
  if (decode === false) return { data: region.data, dtype: array.dtype };
  const { data, kind } = decodeCF(array, region, { ...decode, times: "counts" });
  return { data, dtype: kind === "booleans" ? DType.simple("bool") : array.dtype };
}

/** Returns the values of places from those of cells. */
function combine(
  data: Elements,
  {
    outer,
    cells,
    inner,
    stencils,
  }: {
    readonly outer: number;
    readonly cells: number;
    readonly inner: number;
    readonly stencils: readonly Stencil[];
  },
  isLinear: boolean,
  skipsMissing: boolean,
): Elements {
  const places = stencils.length;
  const mayMiss = stencils.some((one) => one.cells.length === 0);
  const isList = Array.isArray(data);
  const isFloat = data instanceof Float32Array || data instanceof Float64Array;
  const length = outer * places * inner;
  const out = (
    isList
      ? new Array(length).fill(null)
      : isLinear || (mayMiss && !isFloat)
        ? new Float64Array(length).fill(Number.NaN)
        : new (data.constructor as new (length: number) => ElementData)(length)
  ) as unknown[];
  const isNumber = out instanceof Float64Array;
  for (let o = 0; o < outer; o++)
    for (const [place, stencil] of stencils.entries())
      for (let i = 0; i < inner; i++) {
        const at = (cell: number) => data[(o * cells + cell) * inner + i] as number;
        const to = (o * places + place) * inner + i;
        const [cell] = stencil.cells;
        if (cell === undefined) out[to] = isList ? null : Number.NaN;
        else if (isLinear) out[to] = interpolated(stencil, at, skipsMissing);
        else out[to] = isNumber ? Number(at(cell)) : at(cell);
      }
  return out as unknown as Elements;
}

function interpolated(
  { cells, weights }: Stencil,
  at: (cell: number) => number,
  skipsMissing: boolean,
): number {
  let [sum, weight] = [0, 0];
  for (let n = 0; n < cells.length; n++) {
    const value = Number(at(cells[n]!));
    if (skipsMissing && Number.isNaN(value)) continue;
    sum += weights[n]! * value;
    weight += weights[n]!;
  }
  return weight > 0 ? (skipsMissing ? sum / weight : sum) : Number.NaN;
}

/** Returns the coordinates of places. */
async function placeCoordinates(
  labels: Labels,
  parts: readonly GridPart[],
  names: readonly string[],
  dimension: string | undefined,
  valueAt: (place: number, name: number) => number,
  count: number,
): Promise<Record<string, RegionCoordinate>> {
  const known = await labels.coordinates();
  return Object.fromEntries(
    names.map((name, n) => {
      const part = partOf(parts, name);
      const isTime = part instanceof PlaceAxis && part.coordinates.kind === "times";
      const stored = known.find((one) => one.name === name)?.array.attributes ?? {};
      const kept = Object.entries(stored).filter(([key]) =>
        /^(standard_name|long_name|axis|units)$/.test(key),
      );
      const units = isTime ? { units: "milliseconds since 1970-01-01", calendar: "proleptic_gregorian" } : {};
      const data = Float64Array.from({ length: count }, (_, i) => valueAt(i, n));
      const attributes = { ...Object.fromEntries(kept), ...units } as Attributes;
      const coordinate = coordinateOf(dimension ?? "", data, float64, attributes);
      const scalar = { ...coordinate, shape: [], stride: [], dimensionNames: [] };
      return [name, dimension === undefined ? scalar : coordinate];
    }),
  );
}
