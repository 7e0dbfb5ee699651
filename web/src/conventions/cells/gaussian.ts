/**
 * Reduced grids: rows of points at one latitude, each with its own number of points at equal distances. A point is the
 * centre of its cell; rows meet midway between their latitudes.
 */
import { firstIndex } from "../../util/search.js";
import { shiftEast } from "../shared/degrees.js";
import type { CellGrid } from "./grid.js";

interface Row {
  readonly start: number;
  readonly count: number;
  readonly latitude: number;
  /** Longitude of the first point, and distance of two. */
  readonly first: number;
  readonly step: number;
}

/** Float32 coordinates in degrees are accurate to about 2·10⁻⁵. */
const tolerance = 1e-4;

/** Larger longitudes are not degrees: the differences of very large ones are not exact. */
const maxLongitude = 720;

/** @returns undefined if the points are not rows that form a grid */
export function gaussianGrid(
  longitudes: ArrayLike<number>,
  latitudes: ArrayLike<number>,
): CellGrid | undefined {
  const rows = findRows(longitudes, latitudes);
  if (!rows || rows.length < 2) return undefined;
  const isSouthward = rows[0]!.latitude > rows[1]!.latitude;
  const way = isSouthward ? -1 : 1;
  if (rows.some(({ latitude }, i) => i > 0 && (latitude - rows[i - 1]!.latitude) * way <= 0))
    return undefined;
  const upward = isSouthward ? [...rows].reverse() : rows;
  const edges = edgesOf(upward);
  const isAround = rows.every(({ step, count }) => isFull(step, count));
  const [west, east] = isAround ? [-180, 180] : extentOf(rows);
  const rowAt = (cell: number) => firstIndex(rows.length - 1, (i) => rows[i + 1]!.start > cell);
  const centre = (cell: number) => {
    const { start, first, step, latitude } = rows[rowAt(cell)]!;
    return [shiftEast(0, first + (cell - start) * step), latitude] as const;
  };
  let [before, row, outside] = [Number.NaN, upward[0]!, true];
  return {
    kind: "reduced-gaussian",
    count: longitudes.length,
    bounds: [west, edges[0]!, east, edges.at(-1)!],
    spacing: Math.abs(upward.at(-1)!.latitude - upward[0]!.latitude) / (rows.length - 1),
    cellAt(longitude, latitude) {
      if (latitude !== before) {
        before = latitude;
        outside = !(latitude >= edges[0]! && latitude <= edges.at(-1)!);
        row = upward[firstIndex(rows.length - 1, (i) => edges[i + 1]! > latitude)]!;
      }
      if (outside) return -1;
      const column = Math.floor(
        shiftEast(row.first - row.step / 2, longitude) / row.step - row.first / row.step + 0.5,
      );
      return column < row.count ? row.start + Math.max(0, column) : -1;
    },
    centre,
    outline(cell) {
      const own = rowAt(cell);
      const { step } = rows[own]!;
      const at = isSouthward ? rows.length - 1 - own : own;
      const [longitude] = centre(cell);
      const [south, north, left, right] = [
        edges[at]!,
        edges[at + 1]!,
        longitude - step / 2,
        longitude + step / 2,
      ];
      return [
        [left, south],
        [right, south],
        [right, north],
        [left, north],
      ];
    },
  };
}

/** Splits points where the latitude changes; undefined if the points of a row are not evenly spaced. */
function findRows(longitudes: ArrayLike<number>, latitudes: ArrayLike<number>): Row[] | undefined {
  const rows: Row[] = [];
  const { length } = latitudes;
  for (let start = 0, end = 0; start < length; start = end) {
    const latitude = latitudes[start]!;
    while (end < length && latitudes[end] === latitude) end++;
    const count = end - start;
    const first = longitudes[start]!;
    if (count < 2 || !(Math.abs(latitude) <= 90) || !(Math.abs(first) <= maxLongitude)) return undefined;
    const span = shiftEast(first, longitudes[end - 1]!) - first;
    const step = isFull(span / (count - 1), count) ? 360 / count : span / (count - 1);
    if (!(step > 0)) return undefined;
    for (let i = 1; i < count; i++) {
      const off = Math.abs(shiftEast(0, longitudes[start + i]! - first - i * step + 180) - 180);
      if (!(off <= tolerance)) return undefined;
    }
    rows.push({ start, count, latitude, first, step });
  }
  return rows;
}

const isFull = (step: number, count: number) => Math.abs(step * count - 360) < tolerance * count;

/** Borders of rows from the south; those at the ends lie at the poles, or as far out as the next border is in. */
function edgesOf(upward: readonly Row[]): number[] {
  const between = upward.slice(1).map(({ latitude }, i) => (latitude + upward[i]!.latitude) / 2);
  const [south, north] = [upward[0]!.latitude, upward.at(-1)!.latitude];
  const low = 2 * south - between[0]!;
  const high = 2 * north - between.at(-1)!;
  const height = between[0]! - low;
  // The rows beside the poles of a whole grid are closer to them than one row is high.
  return [low < -90 + height ? -90 : low, ...between, high > 90 - height ? 90 : high];
}

function extentOf(rows: readonly Row[]): readonly [west: number, east: number] {
  const west = Math.min(...rows.map(({ first, step }) => first - step / 2));
  return [west, Math.max(...rows.map(({ first, step, count }) => first + (count - 0.5) * step))];
}
