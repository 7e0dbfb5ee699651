/** Positions of elements along an axis whose coordinates are not evenly spaced. */
import { briefDates, dateTicks } from "../base/date-ticks.js";
import type { AxisCoordinates, DatasetAxis } from "../source/dataset.js";

/** Relates elements of an axis to world units, in which coordinates are linear. */
export interface AxisPlaces {
  /** The axis in world units: as long, but evenly spaced. */
  readonly axis: DatasetAxis;
  readonly isIdentity: boolean;
  /** The smallest cell in world units. */
  readonly smallest: number;
  toWorld(element: number): number;
  toElement(world: number): number;
}

export const equalPlaces = (axis: DatasetAxis): AxisPlaces => ({
  axis,
  isIdentity: true,
  smallest: 1,
  toWorld: (element) => element,
  toElement: (world) => world,
});

/** Axes longer than this are drawn as equal cells. */
const maxLength = 2 ** 17;

/** Greatest deviation of evenly spaced coordinates, in steps. */
const tolerance = 0.02;

/** The coordinates of an axis, if they are known, ascend or descend strictly, and are not evenly spaced. */
export function irregularCoordinates(axis: DatasetAxis): Float64Array | undefined {
  const { coordinates, length, scale } = axis;
  if (scale !== undefined || !coordinates || coordinates.kind === "texts") return undefined;
  if (length < 3 || length > maxLength) return undefined;
  const [first, last] = [coordinates.at(0), coordinates.at(length - 1)];
  if (typeof first !== "number" || typeof last !== "number") return undefined;
  const step = (last - first) / (length - 1);
  const values = new Float64Array(length);
  let isRegular = true;
  for (let i = 0; i < length; i++) {
    const value = coordinates.at(i);
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    if (i > 0 && !((value - values[i - 1]!) * step > 0)) return undefined;
    if (Math.abs(value - (first + i * step)) > Math.abs(step) * tolerance) isRegular = false;
    values[i] = value;
  }
  return isRegular ? undefined : values;
}

/**
 * Cells border halfway between neighbouring coordinates; the outermost are symmetric.
 * @param centres strictly ascending or descending
 */
export function coordinatePlaces(axis: DatasetAxis, centres: Float64Array): AxisPlaces {
  const { length } = centres;
  const first = centres[0]! - (centres[1]! - centres[0]!) / 2;
  const last = centres[length - 1]! + (centres[length - 1]! - centres[length - 2]!) / 2;
  const scale = (last - first) / length;
  const places = Float64Array.from(centres, (value) => (value - first) / scale);
  const slope = (i: number) => places[i + 1]! - places[i]!;
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < length - 1; i++) smallest = Math.min(smallest, slope(i));
  return {
    axis: linearAxis(axis, first + scale / 2, scale),
    isIdentity: false,
    smallest,
    toWorld(element) {
      const at = element - 0.5;
      const i = Math.min(Math.max(Math.floor(at), 0), length - 2);
      return places[i]! + (at - i) * slope(i);
    },
    toElement(world) {
      const i = lastBelow(places, world);
      return i + 0.5 + (world - places[i]!) / slope(i);
    },
  };
}

const known = new WeakMap<DatasetAxis, AxisPlaces>();

/** The places along an axis whose coordinates are known and not evenly spaced. */
export function irregularPlaces(axis: DatasetAxis): AxisPlaces | undefined {
  const before = known.get(axis);
  if (before) return before;
  const centres = irregularCoordinates(axis);
  if (!centres) return undefined;
  const places = coordinatePlaces(axis, centres);
  known.set(axis, places);
  return places;
}

/** Index of the last place not above a position, at most the last but one. */
function lastBelow(places: Float64Array, at: number): number {
  let [first, last] = [0, places.length - 2];
  while (first < last) {
    const middle = (first + last + 1) >> 1;
    if (places[middle]! <= at) first = middle;
    else last = middle - 1;
  }
  return first;
}

/** An axis with evenly spaced coordinates of the same kind. */
function linearAxis(axis: DatasetAxis, translation: number, scale: number): DatasetAxis {
  const kind = axis.coordinates!.kind;
  const at = (index: number) => translation + index * scale;
  const coordinates: AxisCoordinates = { kind, at, read: async () => {} };
  if (kind === "numbers") return { ...axis, scale, translation, coordinates };
  const ticks: AxisCoordinates["ticks"] = (first, last, most) => {
    const [from, to] = [at(first), at(last - 1)].sort((a, b) => a - b) as [number, number];
    const count = Math.min(most, last - 1 - first);
    return dateTicks(from, to, count).map(({ time, text }) => ({ at: (time - translation) / scale, text }));
  };
  return { ...axis, coordinates: { ...coordinates, ticks, brief: briefDates } };
}
