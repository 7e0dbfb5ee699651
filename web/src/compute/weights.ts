/** Weights of elements: given values, or the areas of bands of latitude. */

import { arrayBeside } from "../conventions/shared/beside.js";
import { radians } from "../conventions/shared/degrees.js";
import { type Coordinate, measures } from "../conventions/xarray/xarray.js";
import type { Elements } from "../dtypes/elements.js";
import { ZarrArray } from "../hierarchy/array.js";
import { get } from "../hierarchy/get.js";
import { asString, isRecord, ownProperty } from "../util/arguments.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import type { PlanAxis } from "./axes.js";
import type { Labels } from "./labelled.js";
import { gather, type JointTable } from "./tables.js";

/** Weights with the names of their dimensions: results of `reduce`, for example. */
export interface WeightArray {
  readonly data: ArrayLike<number | bigint>;
  readonly shape?: readonly number[] | undefined;
  readonly dimensionNames: readonly (string | null)[];
}

/**
 * Weights of `reduce`: an array along some of the dimensions, of the length of the array's dimensions, or "latitude", the
 * area of each band: the difference of the sines of its bounds.
 */
export type Weights = "latitude" | WeightArray | ZarrArray;

/** @throws InvalidArgument for weights that do not fit; the errors of reading arrays. */
export async function weightTable(
  weights: Weights,
  labels: Labels,
  axes: readonly PlanAxis[],
  signal: AbortSignal | undefined,
): Promise<JointTable<Float64Array>> {
  const whole = await wholeWeights(weights, labels, signal);
  const own = whole.axes.map((axis) => axes[axis]!);
  const lengths = whole.axes.map((axis) => labels.array.shape[axis]!);
  if (whole.values.length !== countOf(lengths))
    throw invalidArgument(`weights: ${countOf(lengths)} values are needed, got ${whole.values.length}`);
  const values = gather(
    { data: whole.values, shape: lengths },
    own.map(({ range }) => range),
  );
  return { axes: whole.axes, values };
}

async function wholeWeights(
  weights: Weights,
  labels: Labels,
  signal: AbortSignal | undefined,
): Promise<JointTable<Float64Array>> {
  if (weights === "latitude") return latitudeWeights(labels, signal);
  const isArray = weights instanceof ZarrArray;
  const names: unknown = isRecord(weights) ? weights.dimensionNames : undefined;
  const data = isArray
    ? (await get(weights, null, { signal })).data
    : isRecord(weights)
      ? weights["data"]
      : undefined;
  if (!Array.isArray(names) || !(Array.isArray(data) || ArrayBuffer.isView(data)))
    throw invalidArgument(
      `weights must be "latitude" or an array with dimensionNames, got ${describeValue(weights)}`,
    );
  const axes = names.map((name) => labels.axis(name));
  if (new Set(axes).size < axes.length) throw invalidArgument("weights name a dimension twice");
  return { axes, values: Float64Array.from(data as ArrayLike<number | bigint>, Number) };
}

async function latitudeWeights(
  labels: Labels,
  signal: AbortSignal | undefined,
): Promise<JointTable<Float64Array>> {
  const latitude = (await labels.coordinates()).find(isLatitude);
  if (!latitude)
    throw invalidArgument(`weights: no coordinate of one dimension has latitudes; ${labels.listed}`);
  const data = (await labels.readWhole(latitude)).data as ArrayLike<number>;
  const values = await cellLengths(Float64Array.from(data, Number), latitude, true, signal);
  return { axes: [labels.axis(latitude.dimensions[0])], values };
}

/**
 * Returns the lengths of cells between their bounds, or the middles between neighbours.
 * @param areLatitudes whether these are the areas of bands of latitude, relative to that between the equator and the pole.
 */
export async function cellLengths(
  at: Float64Array,
  coordinate: Coordinate | undefined,
  areLatitudes: boolean,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const bounds = (coordinate && (await boundsOf(coordinate, signal))) ?? midpoints(at);
  const edges = areLatitudes
    ? bounds.map((edge) => Math.sin(Math.max(-90, Math.min(90, edge)) * radians))
    : bounds;
  return at.map((_, i) => Math.abs(edges[2 * i + 1]! - edges[2 * i]!));
}

const isLatitude = ({ array, dimensions, name }: Coordinate): boolean =>
  dimensions.length === 1 && (measures(array, "latitude") || /^lat(itude)?$/i.test(name));

/** Reads the bounds that a coordinate names: two for each element. */
async function boundsOf(
  { array }: Coordinate,
  signal: AbortSignal | undefined,
): Promise<Float64Array | undefined> {
  const name = asString(ownProperty(array.attributes, "bounds"));
  const bounds = name === undefined ? undefined : await arrayBeside(array, name, signal);
  if (!bounds) return undefined;
  const { data } = await get<Elements>(bounds as never, null, { signal });
  if (data.length !== 2 * array.shape[0]!)
    throw invalidArgument(
      `weights: the bounds ${JSON.stringify(name)} must have two values for each latitude`,
    );
  return Float64Array.from(data as ArrayLike<number>, Number);
}

/** Returns bounds in the middle between neighbours; outer ones as far from the first and last as inner ones. */
function midpoints(at: Float64Array): Float64Array {
  const count = at.length;
  if (count < 2) return Float64Array.of(-90, 90);
  const edge = (i: number) => {
    if (i === 0) return at[0]! - (at[1]! - at[0]!) / 2;
    if (i === count) return at[count - 1]! + (at[count - 1]! - at[count - 2]!) / 2;
    return (at[i - 1]! + at[i]!) / 2;
  };
  return Float64Array.from({ length: 2 * count }, (_, i) => edge((i >> 1) + (i & 1)));
}
