/** Distances between two places of a plane, in the units of its axes. */
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

/**
 * The distance in words: a length in the units of the axes, or one for each axis if they are unlike. Without units: the number of elements, called pixels.
 * @param axes [down, across], or [across] for a line
 * @param hasPixels whether positions are elements
 */
export function distanceText(
  axes: readonly DatasetAxis[],
  from: PlanePosition,
  to: PlanePosition,
  hasPixels = true,
): string {
  const offset = 2 - axes.length;
  const parts = axes.map((axis, i) => partOf(axis, from[i + offset]!, to[i + offset]!));
  const pixels = Math.hypot(...axes.map((_, i) => to[i + offset]! - from[i + offset]!));
  const pixelText = `${brief(pixels)} px`;
  if (!parts.some((part) => part)) return pixelText;
  const same = inSameUnit(parts);
  if (same) {
    const length = partText({ amount: Math.hypot(...same.map(({ amount }) => amount)), unit: same[0]!.unit });
    return hasPixels ? `${length} · ${pixelText}` : length;
  }
  return parts
    .map((part, i) => partText(part ?? { amount: to[i + offset]! - from[i + offset]!, unit: "px" }))
    .join(" × ");
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
  if (axis.coordinates?.kind === "milliseconds") return { amount: Math.abs(b - a) / 1000, unit: "s" };
  return axis.unit === undefined ? undefined : { amount: Math.abs(b - a), unit: unitText(axis.unit) };
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
  const duration = unit === "s" && durations.find(([, seconds, least]) => amount >= least * seconds);
  if (duration) return `${brief(amount / duration[1])} ${duration[0]}`;
  return unit === "px" ? `${brief(Math.abs(amount))} px` : lengthText(amount, unit);
}

/** Three digits, or whole numbers: the pointer is no more accurate. */
const brief = (value: number): string =>
  String(value < 1000 ? Number(value.toPrecision(3)) : Math.round(value));
