/** Geometry of regions: outlines, the elements inside, areas, and GeoJSON. */
import { earthRadius } from "../base/great-circle.js";
import { text } from "../language/text.js";
import { own } from "../source/attributes.js";
import type { DatasetAxis } from "../source/dataset.js";
import { type RegionPoint, type RegionState, regionStates } from "./regions.js";

/** Number of straight parts of a drawn ellipse. */
const parts = 64;
/** Maximum number of elements of a line, and of a region's bounds. */
const maxElements = 2 ** 26;

/** The elements of a region in their bounds: 1 inside, 0 outside, row by row. */
export interface RegionCells {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
  readonly inside: Uint8Array;
}

/** Colours that people with colour blindness can distinguish (Okabe and Ito). */
const colors = ["#56b4e9", "#e69f00", "#cc79a7", "#009e73", "#f0e442", "#d55e00", "#0072b2"];
export const regionColor = (number: number): string => colors[number % colors.length]!;

/** The vertices of a region; closed unless it is a line or a point. Labels have none. */
export function vertices({ kind, points }: Pick<RegionState, "kind" | "points">): readonly RegionPoint[] {
  if (points.length === 0) return [];
  const [[top, left], [bottom, right]] = [points[0]!, points.at(-1)!];
  if (kind === "rectangle")
    return [
      [top, left],
      [top, right],
      [bottom, right],
      [bottom, left],
    ];
  if (kind !== "ellipse") return points;
  return Array.from({ length: parts }, (_, i): RegionPoint => {
    const angle = (2 * Math.PI * i) / parts;
    const at = (a: number, b: number, turn: number) => (a + b) / 2 + (Math.abs(b - a) / 2) * turn;
    return [at(top, bottom, Math.sin(angle)), at(left, right, Math.cos(angle))];
  });
}

/** The elements on a line, one for each step along its longer direction. @throws RangeError for too many */
export function lineCells(from: RegionPoint, to: RegionPoint): RegionPoint[] {
  const [a, b] = [from, to].map(([row, column]) => [Math.floor(row), Math.floor(column)] as const) as [
    RegionPoint,
    RegionPoint,
  ];
  const steps = Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]));
  if (!(steps < maxElements)) throw tooLarge(text.regions.longLine);
  const at = (i: number, k: 0 | 1) => Math.round(a[k] + ((b[k] - a[k]) * i) / Math.max(steps, 1));
  return Array.from({ length: steps + 1 }, (_, i): RegionPoint => [at(i, 0), at(i, 1)]);
}

/**
 * The elements whose centres lie in a region (even-odd rule); those on a line, or at a point.
 * @throws RangeError for too many elements
 */
export function regionCells(region: RegionState, rows: number, columns: number): RegionCells {
  const { kind, points } = region;
  if (kind === "point" || kind === "line") {
    const line = lineCells(points[0]!, points.at(-1)!).filter(
      ([row, column]) => row >= 0 && row < rows && column >= 0 && column < columns,
    );
    // Rows and columns rise or fall along a line.
    const ends = [...line.slice(0, 1), ...line.slice(-1)];
    const cells = emptyCells(boundsOf(ends, 1), rows, columns);
    for (const [row, column] of line) cells.inside[cellAt(cells, row, column)!] = 1;
    return cells;
  }
  const cells = emptyCells(boundsOf(points, 0), rows, columns);
  for (let row = 0; row < cells.rows; row++) {
    const line = cells.inside.subarray(row * cells.columns, (row + 1) * cells.columns);
    const edges = crossings(region, cells.top + row + 0.5);
    for (let i = 0; i + 1 < edges.length; i += 2) {
      const [from, to] = [edges[i]!, edges[i + 1]!].map((at) => Math.ceil(at - 0.5) - cells.left);
      line.fill(1, Math.max(from!, 0), Math.max(to!, 0));
    }
  }
  return cells;
}

/** Position of an element in the bounds; undefined outside. */
export function cellAt({ top, left, rows, columns }: RegionCells, row: number, column: number) {
  const [y, x] = [row - top, column - left];
  return y >= 0 && x >= 0 && y < rows && x < columns ? y * columns + x : undefined;
}

/** Columns at which the outline crosses a row, in rising order. An ellipse is exact. */
function crossings(region: RegionState, row: number): number[] {
  if (region.kind === "ellipse") {
    const [[top, left], [bottom, right]] = region.points as [RegionPoint, RegionPoint];
    const share = ((row - (top + bottom) / 2) * 2) / (bottom - top);
    if (!(Math.abs(share) < 1)) return [];
    const half = (Math.abs(right - left) / 2) * Math.sqrt(1 - share * share);
    return [(left + right) / 2 - half, (left + right) / 2 + half];
  }
  const ring = vertices(region);
  const found = ring.flatMap(([y, x], i) => {
    const [nextY, nextX] = ring[(i + 1) % ring.length]!;
    return y <= row === nextY <= row ? [] : [x + ((row - y) / (nextY - y)) * (nextX - x)];
  });
  return found.sort((a, b) => a - b);
}

type Bounds = readonly [top: number, left: number, bottom: number, right: number];

function boundsOf(points: readonly RegionPoint[], size: number): Bounds {
  const [ys, xs] = [points.map(([row]) => row), points.map(([, column]) => column)];
  return [Math.min(...ys), Math.min(...xs), Math.max(...ys) + size, Math.max(...xs) + size];
}

function emptyCells([top, left, bottom, right]: Bounds, rows: number, columns: number): RegionCells {
  const inside = (at: number, end: number) => Math.min(Math.max(at, 0), end);
  const [y, x] = [inside(Math.floor(top), rows), inside(Math.floor(left), columns)];
  const height = Math.max(0, inside(Math.ceil(bottom), rows) - y) || 0;
  const width = Math.max(0, inside(Math.ceil(right), columns) - x) || 0;
  if (height * width > maxElements) throw tooLarge(text.regions.tooLarge);
  return { top: y, left: x, rows: height, columns: width, inside: new Uint8Array(height * width) };
}

const tooLarge = (sentence: (most: number) => string): RangeError => new RangeError(sentence(maxElements));

/** Coordinate of the edges of an element: those between centres, or their continuation. */
function edgesOf({ scale, translation = 0, coordinates, length }: DatasetAxis, at: number): [number, number] {
  if (scale !== undefined) return [translation + (at - 0.5) * scale, translation + (at + 0.5) * scale];
  const value = (i: number) => Number(coordinates?.at(i));
  const [before, here, after] = [value(at - 1), value(at), value(at + 1)];
  const first = at > 0 ? (before + here) / 2 : here - (after - here) / 2;
  return [first, at + 1 < length ? (here + after) / 2 : here + (here - before) / 2];
}

const sine = (degrees: number) => Math.sin((Math.min(Math.max(degrees, -90), 90) * Math.PI) / 180);

/** Weight of each row or column of cells by latitude; undefined unless one of the axes has latitudes. */
export function latitudeWeights(
  cells: RegionCells,
  axes: readonly [DatasetAxis, DatasetAxis],
): { readonly axis: 0 | 1; readonly values: Float64Array } | undefined {
  const axis = axes.findIndex(({ role }) => role === "latitude");
  if (axis < 0 || !axes.some(({ role }) => role === "longitude")) return undefined;
  const [first, count] = axis === 0 ? [cells.top, cells.rows] : [cells.left, cells.columns];
  const values = Float64Array.from({ length: count }, (_, i) => {
    const [a, b] = edgesOf(axes[axis]!, first + i);
    return Math.abs(sine(b) - sine(a));
  });
  return values.every(Number.isFinite) ? { axis: axis as 0 | 1, values } : undefined;
}

/** The area of the elements: on the sphere for degrees; undefined if the axes have no common unit. */
export function regionArea(
  cells: RegionCells,
  axes: readonly [DatasetAxis, DatasetAxis],
): { readonly amount: number; readonly unit: string } | undefined {
  const weights = latitudeWeights(cells, axes);
  const size = (axis: 0 | 1, at: number) => {
    if (weights?.axis === axis) return weights.values[at]!;
    const [a, b] = edgesOf(axes[axis], at + (axis === 0 ? cells.top : cells.left));
    return Math.abs(b - a) * (weights ? Math.PI / 180 : 1);
  };
  const [down, across] = axes;
  if (!weights && (down.unit === undefined || down.unit !== across.unit)) return undefined;
  const heights = Array.from({ length: cells.rows }, (_, i) => size(0, i));
  const widths = Array.from({ length: cells.columns }, (_, i) => size(1, i));
  let sum = 0;
  for (const [row, height] of heights.entries())
    for (const [column, width] of widths.entries())
      if (cells.inside[row * cells.columns + column]) sum += height * width;
  if (!Number.isFinite(sum)) return undefined;
  return weights ? { amount: sum * earthRadius ** 2, unit: "km" } : { amount: sum, unit: down.unit! };
}

/** Coordinate of a position along an axis; its number without coordinates. */
function coordinateOf(axis: DatasetAxis, at: number): number {
  const element = Math.min(Math.max(Math.floor(at), 0), axis.length - 1);
  const [a, b] = edgesOf(axis, element);
  const value = a + (at - element) * (b - a);
  return Number.isFinite(value) ? value : at;
}

/** The inverse, by bisection: coordinates rise or fall along the axis. */
function positionOf(axis: DatasetAxis, value: number): number {
  let [low, high] = [0, axis.length];
  const isFalling = coordinateOf(axis, low) > coordinateOf(axis, high);
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (coordinateOf(axis, middle) < value !== isFalling) low = middle;
    else high = middle;
  }
  return Math.round(((low + high) / 2) * 1e6) / 1e6;
}

/** The order of axes in GeoJSON: longitude or x first. */
const isSwapped = ([down, across]: readonly [DatasetAxis, DatasetAxis]): boolean =>
  ["longitude", "x"].includes(down.role ?? "") && across.role !== down.role;

/** Regions as a FeatureCollection, in the coordinates of the axes: longitudes and latitudes on maps. */
export function regionsGeoJson(regions: readonly RegionState[], axes: readonly DatasetAxis[]): object {
  const features = regions.map((region) => {
    const plane = region.axes.map((axis) => axes[axis]!) as [DatasetAxis, DatasetAxis];
    const place = ([row, column]: RegionPoint) => {
      const at = [coordinateOf(plane[1], column), coordinateOf(plane[0], row)];
      return isSwapped(plane) ? at.reverse() : at;
    };
    const list = vertices(region).map(place);
    const { name, kind, labels } = region;
    const geometry =
      kind === "labels"
        ? null
        : kind === "point"
          ? { type: "Point", coordinates: list[0] }
          : kind === "line"
            ? { type: "LineString", coordinates: list }
            : { type: "Polygon", coordinates: [[...list, list[0]]] };
    return { type: "Feature", properties: { name, kind, labels }, geometry };
  });
  return { type: "FeatureCollection", features };
}

/** Regions read from GeoJSON. */
export interface ReadRegions {
  readonly regions: readonly RegionState[];
  /** Number of shapes that cannot be regions, such as lines of more than two ends and polygons of too many vertices. */
  readonly leftOut: number;
  /** Whether polygons had holes, which regions do not have. */
  readonly hadHoles: boolean;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * Reads the points, lines of two ends and outer rings of polygons in GeoJSON.
 * @param shown the axes of the plane
 * @throws SyntaxError for text that is not JSON
 */
export function regionsFromGeoJson(
  json: string,
  shown: readonly number[],
  axes: readonly DatasetAxis[],
): ReadRegions {
  const read: unknown = JSON.parse(json);
  const plane = shown.map((axis) => axes[axis]!) as [DatasetAxis, DatasetAxis];
  const place = (at: unknown): RegionPoint => {
    const [x, y] = isSwapped(plane) ? [...listOf(at).slice(0, 2)].reverse() : listOf(at);
    if (!Number.isFinite(x) || !Number.isFinite(y)) return [Number.NaN, Number.NaN];
    return [positionOf(plane[0], y as number), positionOf(plane[1], x as number)];
  };
  const features = Array.isArray(read) ? read : listOf(own(read, "features") ?? [read]);
  let hadHoles = false;
  const made = features.flatMap((feature, i) => {
    const properties = own(feature, "properties");
    const [name, kind] = [own(properties, "name"), own(properties, "kind")];
    const base = { name: typeof name === "string" ? name : text.regions.numbered(i + 1), axes: shown };
    if (kind === "labels") return [{ ...base, kind, points: [], labels: own(properties, "labels") }];
    const geometry = own(feature, "geometry") ?? feature;
    const coordinates = listOf(own(geometry, "coordinates"));
    const polygon = (rings: unknown) => {
      const [outer, ...holes] = listOf(rings);
      hadHoles ||= holes.length > 0;
      const points = listOf(outer).slice(0, -1).map(place);
      if (kind !== "rectangle" && kind !== "ellipse") return { ...base, kind: "polygon", points };
      const [top, left, bottom, right] = boundsOf(points, 0);
      const corners = [
        [top, left],
        [bottom, right],
      ];
      return { ...base, kind, points: corners };
    };
    const point = (at: unknown) => ({ ...base, kind: "point", points: [place(at)] });
    switch (own(geometry, "type")) {
      case "Point":
        return [point(coordinates)];
      case "MultiPoint":
        return coordinates.map(point);
      case "Polygon":
        return [polygon(coordinates)];
      case "MultiPolygon":
        return coordinates.map(polygon);
      default:
        return [{ ...base, kind: "line", points: coordinates.map(place) }];
    }
  });
  const regions = regionStates(made);
  return { regions, leftOut: made.length - regions.length, hadHoles };
}
