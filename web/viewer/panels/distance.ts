/** Distances between two places of a plane or volume, in the units of its axes. */
import { greatCircleLength } from "../base/great-circle.js";
import { localNumber } from "../language/locale.js";
import type { GeoPlane } from "../model/projection.js";
import type { DatasetAxis, PointConverter } from "../source/dataset.js";
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
  const map = geoPlane(only(axes), undefined);
  const ends = [a, b].map((at) => {
    const [longitude, latitude] = map?.positionAt(...only(at)) ?? [];
    return longitude === undefined ? undefined : { longitude, latitude: latitude! };
  });
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

/**
 * The positions of a plane whose axes have degrees, or projected coordinates of a known reference system; undefined for
 * other planes. Its places are evenly spaced along the axes.
 */
export function geoPlane(
  axes: readonly DatasetAxis[],
  converter: PointConverter | undefined,
): Pick<GeoPlane, "place" | "positionAt"> | undefined {
  const find = (role: DatasetAxis["role"]) => axes.findIndex((axis) => axis.role === role);
  const isInDegrees = find("longitude") >= 0 && find("latitude") >= 0;
  const [east, north] = isInDegrees ? [find("longitude"), find("latitude")] : [find("x"), find("y")];
  const isKnown = axes.length === 2 && east >= 0 && north >= 0 && (isInDegrees || converter);
  if (!isKnown) return undefined;
  const at = (axis: number, position: number) => valueAt(axes[axis]!, position) ?? Number.NaN;
  const along = (axis: number, value: number) => {
    const { scale = Number.NaN, translation = 0 } = axes[axis]!;
    return (value - translation) / scale + 0.5;
  };
  const finite = <T extends readonly number[]>(list: T | undefined) =>
    list?.every(Number.isFinite) ? list : undefined;
  return {
    positionAt(row, column) {
      const own = finite([at(east, east ? column : row), at(north, north ? column : row)] as const);
      return own && (isInDegrees ? own : finite(converter!.inverse(...own)));
    },
    place(longitude, latitude) {
      const own = isInDegrees ? ([longitude, latitude] as const) : converter!.forward(longitude, latitude);
      const found = own && finite([along(east, own[0]), along(north, own[1])] as const);
      return found && (east ? { row: found[1], column: found[0] } : { row: found[0], column: found[1] });
    },
  };
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
  localNumber(value < 1000 ? Number(value.toPrecision(3)) : Math.round(value));
