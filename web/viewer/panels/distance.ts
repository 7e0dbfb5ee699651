/** Distances between two places of a plane or volume, in the units of its axes. */
import { type GeoPosition, greatCircleLength } from "../base/great-circle.js";
import type { DatasetAxis } from "../source/dataset.js";
import { lengthUnits, unitText } from "./coordinates.js";
import { lengthText } from "./scale-bar.js";

/** Position in elements, down and across: element i covers [i, i + 1). */
export type PlanePosition = readonly [down: number, across: number];

/** Seconds per unit of a duration, with the least number of them that is shown. */
const durations = [
  ["d", 86_400, 2],
  ["h", 3600, 2],
  ["min", 60, 2],
  ["s", 1, 0],
] as const;

/** A distance along one axis. */
interface Part {
  readonly amount: number;
  readonly unit: string;
}

export interface DistanceOptions {
  /** Whether positions are elements. Default: true. */
  readonly hasPixels?: boolean;
  /** From distances along the axes to a space in which the axes are sheared or turned. */
  readonly rows?: readonly (readonly number[])[] | undefined;
}

/**
 * The distance in words: a length in the units of the axes, or one for each axis if they are unlike; along a
 * great circle on a map. Without units: the number of elements, called pixels or voxels.
 * @param axes [down, across], [across] for a line, or the three axes of a volume
 * @param from, to positions, of which a line uses the last
 */
export function distanceText(
  axes: readonly DatasetAxis[],
  from: readonly number[],
  to: readonly number[],
  { hasPixels = true, rows }: DistanceOptions = {},
): string {
  const offset = from.length - axes.length;
  const [a, b] = [from.slice(offset), to.slice(offset)];
  const isMap = axes.map(({ role }) => role === "longitude" || role === "latitude");
  const only = <T>(list: readonly T[]) => list.filter((_, i) => isMap[i]) as [T, T];
  const ends = [a, b].map((at) => geoPosition(only(axes), only(at)));
  const along = ends[0] && ends[1] && lengthText(greatCircleLength(ends[0], ends[1]), "km", 4);
  const element = axes.length > 2 ? "voxels" : "px";
  const elements = (count: number) => `${brief(Math.abs(count))} ${element}`;
  const parts = axes.map((axis, i) => partOf(axis, a[i]!, b[i]!));
  const texts = parts.map((part, i) => (part ? partText(part) : elements(b[i]! - a[i]!)));
  if (along) return [along, ...texts.filter((_, i) => !isMap[i])].join(" × ");
  const count = elements(Math.hypot(...a.map((at, i) => b[i]! - at)));
  if (!parts.some((part) => part)) return count;
  const same = inSameUnit(parts)?.map(({ amount }) => amount);
  if (!same) return texts.join(" × ");
  const amounts = rows?.map((row) => row.reduce((sum, k, i) => sum + k * same[i]!, 0)) ?? same;
  const length = partText({ amount: Math.hypot(...amounts), unit: parts[0]!.unit });
  return hasPixels ? `${length} · ${count}` : length;
}

/** Longitude and latitude of a place of a map; undefined for other planes. */
export function geoPosition(axes: readonly DatasetAxis[], at: PlanePosition): GeoPosition | undefined {
  const coordinate = (role: DatasetAxis["role"]) => {
    const i = axes.length === 2 ? axes.findIndex((axis) => axis.role === role) : -1;
    return i < 0 ? undefined : valueAt(axes[i]!, at[i]!);
  };
  const [longitude, latitude] = [coordinate("longitude"), coordinate("latitude")];
  return longitude === undefined || latitude === undefined ? undefined : { longitude, latitude };
}

/** The place of a position on a map with evenly spaced axes; the inverse of `geoPosition`. */
export function planePosition(axes: readonly DatasetAxis[], at: GeoPosition): PlanePosition | undefined {
  const [down, across] = axes.map(({ role, scale, translation = 0 }) => {
    const value = role === "longitude" ? at.longitude : at.latitude;
    return scale === undefined ? undefined : (value - translation) / scale + 0.5;
  });
  return down === undefined || across === undefined ? undefined : [down, across];
}

/** The coordinate at a position, between those of the nearest elements. */
function valueAt(
  { scale, translation = 0, coordinates, length }: DatasetAxis,
  at: number,
): number | undefined {
  const index = at - 0.5;
  if (scale !== undefined && coordinates?.kind !== "milliseconds") return translation + index * scale;
  if (!coordinates || coordinates.kind === "texts" || length < 2) return undefined;
  const first = Math.min(Math.max(Math.floor(index), 0), length - 2);
  const [a, b] = [coordinates.at(first), coordinates.at(first + 1)];
  return typeof a === "number" && typeof b === "number" ? a + (b - a) * (index - first) : undefined;
}

/** The difference of two positions along an axis; undefined without a unit. */
function partOf(axis: DatasetAxis, from: number, to: number): Part | undefined {
  const [a, b] = [valueAt(axis, from), valueAt(axis, to)];
  if (a === undefined || b === undefined) return undefined;
  if (axis.coordinates?.kind === "milliseconds") return { amount: (b - a) / 1000, unit: "s" };
  return axis.unit === undefined ? undefined : { amount: b - a, unit: unitText(axis.unit) };
}

/** Parts in the unit of the first one; undefined if they cannot be compared. */
function inSameUnit(parts: readonly (Part | undefined)[]): Part[] | undefined {
  const { unit } = parts[0] ?? {};
  const power = lengthUnits.indexOf(unit ?? "");
  const converted = parts.map((part) => {
    if (!part || unit === undefined) return undefined;
    if (part.unit === unit) return part;
    const own = lengthUnits.indexOf(part.unit);
    return own < 0 || power < 0 ? undefined : { amount: part.amount * 1000 ** (own - power), unit };
  });
  return converted.every((part) => part !== undefined) ? converted : undefined;
}

function partText({ amount, unit }: Part): string {
  const size = Math.abs(amount);
  const duration = unit === "s" && durations.find(([, seconds, least]) => size >= least * seconds);
  return duration ? `${brief(size / duration[1])} ${duration[0]}` : lengthText(size, unit);
}

/** Three digits, or whole numbers: the pointer is no more accurate. */
const brief = (value: number): string =>
  String(value < 1000 ? Number(value.toPrecision(3)) : Math.round(value));
