/** Implements `series` with `at` and `along`: values at places and along lines. */

import type { Label } from "../../conventions/sel/labels.js";
import { decodeCF } from "../../conventions/xarray/cf.js";
import { DType } from "../../dtypes/dtype.js";
import type { Elements } from "../../dtypes/elements.js";
import type { Region, ZarrArray } from "../../hierarchy/array.js";
import type { Attributes } from "../../metadata/document.js";
import { checkOptions, isRecord, type OptionNames } from "../../util/arguments.js";
import { describeValue, invalidArgument, unsupported } from "../../util/errors.js";
import { countOf } from "../../util/shapes.js";
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
import type { Projection } from "./converted-cells.js";
import { gatherCells } from "./gather.js";
import { type Found, type GridPart, product, splitValues } from "./grid-part.js";
import { sampleLine } from "./line.js";
import { PlaceAxis } from "./place-axis.js";
import { checkUnselected, partsNamed } from "./place-grid.js";

/** A place: labels by the names of coordinates, such as `{ lat: 47.4, lon: 8.5 }`. */
export type Place = Readonly<Record<string, Label>>;

/** Options of `series` at places, or along a line. */
export type PlaceOptions = AtOptions | AlongOptions;

export interface AtOptions extends MatchingOptions {
  /** One place, or several along the dimension "place" of the result. */
  at: Place | readonly Place[];
  along?: undefined;
}

export interface AlongOptions extends MatchingOptions {
  /** Vertices of a line, of two coordinates each: samples along the dimension "distance" of the result. */
  along: readonly Place[];
  at?: undefined;
}

interface MatchingOptions extends ReadingOptions {
  /**
   * "nearest" (default): the values of the nearest cell; of two, the one with the larger coordinate. "linear": the mean
   * of the neighbours along each axis, weighted by their closeness.
   */
  interpolation?: "nearest" | "linear" | undefined;
  /** proj4, or a converter from degrees to the coordinates of the array, for places in `{ lat, lon }`. */
  projection?: Projection | undefined;
  /** Whether missing neighbours do not count in "linear". Default: true. With false, the result is missing. */
  skipMissing?: boolean | undefined;
}

/** Reads the cells of places, chunk by chunk. */
export async function seriesAt(array: ZarrArray, options: PlaceOptions): Promise<LabelledRegion<Elements>> {
  const isLinear = checkPlaceOptions(array, options);
  const { along, at, decode, signal } = options;
  const list = (along ?? (Array.isArray(at) ? at : [at])) as readonly Place[];
  const dimension = along ? "distance" : Array.isArray(at) ? "place" : undefined;
  const labels = new Labels(array, signal);
  const parts = await partsNamed(labels, namesOf(list, along !== undefined), options);
  const axes = parts.flatMap((part) => part.axes);
  if (new Set(axes).size < axes.length)
    throw invalidArgument(`the coordinates ${Object.keys(list[0]!).join(", ")} lie along the same dimension`);
  const vertices = list.map((place) =>
    parts.flatMap((part) => part.names.map((name) => part.valueOf(place[name], name))),
  );
  const line = along && sampleLine(parts, vertices);
  const places = line?.places ?? vertices;
  const found = places.map((place) => findCells(parts, place, isLinear));
  const cells = found.flatMap((one) => one.cells);
  const selections = selectedAxes(array, options.selection);
  checkUnselected(labels, selections, axes);
  const region = await gatherCells(array, axes, cells, selections, options);
  const decoded = decodeRegion(array, region, decode);
  const first = Math.min(...axes);
  const items = decoded.data.length / countOf(region.shape) || 1; // two numbers of a complex one
  const inner = countOf(region.shape.slice(first + 1)) * items;
  const combined = isLinear
    ? interpolate(decoded.data, found, inner, options.skipMissing ?? true)
    : decoded.data;
  const isStored = combined.constructor === region.data.constructor;
  const made = DType.simple(combined instanceof Float32Array ? "float32" : "float64");
  const dimensions = selections.flatMap((selection, axis) => {
    if (axis === first && dimension) return [{ name: dimension, length: places.length }];
    if (axes.includes(axis) || selection.dropped) return [];
    return [{ name: labels.names[axis] ?? null, length: selection.count }];
  });
  const shown = isLinear ? places : found.map(({ nearest }) => nearest);
  const distances = line && Float64Array.from(line.distances);
  const coordinates = {
    ...(await keptCoordinates(labels, selections, new Set(axes))),
    ...(await placeCoordinates(labels, parts, dimension, shown)),
    ...(distances && {
      distance: coordinateOf("distance", distances, float64, line.units ? { units: line.units } : {}),
    }),
  };
  const attributes = attributesOf(array, "first", decode !== false);
  return labelled(combined, isStored ? decoded.dtype : made, dimensions, coordinates, attributes);
}

const float64 = DType.simple("float64");

const placeOptions: OptionNames<AtOptions & AlongOptions> = {
  ...readingOptions,
  at: true,
  along: true,
  interpolation: "method",
  projection: true,
  skipMissing: "skipna",
};

/** @returns whether to interpolate. @throws InvalidArgument, Unsupported. */
function checkPlaceOptions(array: ZarrArray, options: PlaceOptions): boolean {
  checkArray(array, "series");
  checkOptions(options, placeOptions);
  checkReading(options);
  const { interpolation = "nearest" } = options;
  if (interpolation !== "nearest" && interpolation !== "linear")
    throw invalidArgument(`interpolation must be "nearest" or "linear", got ${describeValue(interpolation)}`);
  if (interpolation === "linear" && !/^(bool|u?int\d|b?float\d)/.test(array.dtype.core))
    throw unsupported(`data type ${array.dtype} cannot be interpolated; pass interpolation: "nearest"`, {
      code: "unsupported-dtype",
    });
  return interpolation === "linear";
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

/** Returns the cells of a place. @throws InvalidSelection (no-such-label). */
function findCells(parts: readonly GridPart[], place: readonly number[], isLinear: boolean): Found {
  const values = splitValues(parts, place);
  return parts.map((part, i) => part.find(values[i]!, isLinear)).reduce(product);
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

/** Interpolates between the cells of each place. @param inner number of neighbouring elements of a cell. */
function interpolate(
  data: Elements,
  places: readonly Found[],
  inner: number,
  skipsMissing: boolean,
): Float64Array {
  const cells = places.reduce((sum, place) => sum + place.cells.length, 0);
  const out = new Float64Array((data.length / cells) * places.length);
  let to = 0;
  for (let from = 0; from < data.length; )
    for (const { weights } of places) {
      for (let i = 0; i < inner; i++) {
        let [sum, weight] = [0, 0];
        for (const [n, own] of weights.entries()) {
          const value = Number(data[from + n * inner + i]);
          if (skipsMissing && Number.isNaN(value)) continue;
          sum += own * value;
          weight += own;
        }
        out[to++] = weight > 0 ? (skipsMissing ? sum / weight : sum) : Number.NaN;
      }
      from += weights.length * inner;
    }
  return out;
}

/** Returns the coordinates of places. @param places values of the coordinates of each place. */
async function placeCoordinates(
  labels: Labels,
  parts: readonly GridPart[],
  dimension: string | undefined,
  places: readonly (readonly number[])[],
): Promise<Record<string, RegionCoordinate>> {
  const known = await labels.coordinates();
  const named = parts.flatMap((part) => part.names.map((name) => ({ name, part })));
  const made = named.map(({ name, part }, n) => {
    const isTime = part instanceof PlaceAxis && part.coordinates.kind === "times";
    const stored = known.find((one) => one.name === name)?.array.attributes ?? {};
    const kept = Object.entries(stored).filter(([key]) => keptAttributes.test(key));
    const attributes: Attributes = { ...Object.fromEntries(kept), ...(isTime ? timeAttributes : {}) };
    const values = Float64Array.from(places, (place) => place[n]!);
    const coordinate = coordinateOf(dimension ?? "", values, float64, attributes);
    return [
      name,
      dimension ? coordinate : { ...coordinate, shape: [], stride: [], dimensionNames: [] },
    ] as const;
  });
  return Object.fromEntries(made);
}

const keptAttributes = /^(standard_name|long_name|axis|units)$/;
const timeAttributes = { units: "milliseconds since 1970-01-01", calendar: "proleptic_gregorian" };
