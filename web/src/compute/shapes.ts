/** Polygons and rectangles: checks them, and tells which points lie inside. */

import { isRecord } from "../util/arguments.js";
import { describeValue, invalidArgument, limitExceeded } from "../util/errors.js";

/** [x, y], as in GeoJSON; a third number is ignored. */
export type Position = readonly number[];

/** A part of the plane of longitudes and latitudes, or of x and y. */
export type Area =
  /** [west, south, east, north]; in degrees, west may be greater than east. */
  | readonly [number, number, number, number]
  /** A ring of positions, open or closed. */
  | readonly Position[]
  | { readonly type: "Polygon"; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: "MultiPolygon"; readonly coordinates: readonly (readonly (readonly Position[])[])[] }
  | { readonly type: "Feature"; readonly geometry: unknown; readonly id?: string | number | undefined };

/** Maximum number of vertices of all rings of a shape. */
const maxVertices = 2 ** 23;
const maxBands = 2 ** 16;
/** Maximum number of entries in the bands, each an edge. */
const maxEntries = 2 ** 25;
/** Maximum number of edges that all rows of cells together visit: some seconds. */
const maxVisits = 2 ** 29;
/** Maximum number of edges that cross a row of cells. */
const maxCrossings = 2 ** 16;

/** Returns the lists of an argument that may be one area or several, and whether it is several. */
export function listAreas(inside: unknown): { areas: readonly unknown[]; isList: boolean } {
  if (isRecord(inside) && inside["type"] === "FeatureCollection" && Array.isArray(inside["features"]))
    return { areas: inside["features"], isList: true };
  const first: unknown = Array.isArray(inside) ? inside[0] : undefined;
  const isPosition = Array.isArray(first) && first.length < 4 && typeof first[0] === "number";
  const isList = Array.isArray(inside) && inside.length > 0 && typeof first !== "number" && !isPosition;
  return isList ? { areas: inside, isList } : { areas: [inside], isList: false };
}

/** Returns the rings of an area. @throws InvalidArgument. */
function ringsOf(area: unknown): readonly unknown[] {
  if (isRecord(area)) {
    const { type, coordinates, geometry } = area as Record<string, unknown>;
    if (type === "Feature" && !(isRecord(geometry) && geometry["type"] === "Feature"))
      return ringsOf(geometry);
    if (type === "Polygon" && Array.isArray(coordinates)) return coordinates;
    if (type === "MultiPolygon" && Array.isArray(coordinates)) return coordinates.flat(1);
  } else if (Array.isArray(area) && area.length === 4 && typeof area[0] === "number") {
    const [west, south, east, north] = area as unknown as readonly [number, number, number, number];
    return [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
      ],
    ];
  } else if (Array.isArray(area)) return [area];
  const forms = "a GeoJSON Polygon, MultiPolygon or Feature, a ring of [x, y], or [west, south, east, north]";
  throw invalidArgument(`an area must be ${forms}, got ${describeValue(area)}`);
}

/** The edges of an area. A point on an edge lies inside if the area is to its right or above it. */
export class Shape {
  /** Edges as x and y of the lower end, then of the upper end. */
  readonly #edges: Float64Array;
  readonly bounds: readonly [number, number, number, number];
  readonly #height: number;
  readonly #starts: Uint32Array;
  readonly #order: Uint32Array;
  #row = Number.NaN;
  #crossings: Float64Array = new Float64Array(0);
  #visits = 0;

  /**
   * @param convert converts vertices to the coordinates of the grid.
   * @throws InvalidArgument, LimitExceeded.
   */
  constructor(
    area: unknown,
    private readonly areDegrees: boolean,
    convert: (point: readonly [number, number]) => readonly [number, number],
  ) {
    const rings = ringsOf(area);
    const crosses = areDegrees && Array.isArray(area) && area.length === 4 && area[0] > area[2];
    const points = rings.map((ring) =>
      vertices(ring, (x, y) => convert([crosses && x === area[2] ? x + 360 : x, y]), areDegrees),
    );
    const count = points.reduce((sum, { length }) => sum + length / 2, 0);
    if (count === 0) throw invalidArgument("a polygon must have a ring of at least 3 positions, got none");
    if (count > maxVertices)
      throw limitExceeded(`an area has ${count} vertices, more than the limit of ${maxVertices}`);
    this.#edges = edgesOf(points, count);
    this.bounds = boundsOf(points);
    const [, south, , north] = this.bounds;
    let bands = Math.min(maxBands, count);
    const height = () => (north - south) / bands || 1;
    const band = (y: number) => Math.min(Math.floor((y - south) / height()), bands - 1);
    const entries = () => this.#each((_, low, high) => band(high) - band(low) + 1);
    while (bands > 1 && entries() > maxEntries) bands = Math.ceil(bands / 4);
    this.#height = height();
    this.#starts = new Uint32Array(bands + 1);
    this.#each((_, low, high) => {
      for (let i = band(low); i <= band(high); i++) this.#starts[i + 1]!++;
      return 0;
    });
    for (let i = 0; i < bands; i++) this.#starts[i + 1]! += this.#starts[i]!;
    this.#order = new Uint32Array(this.#starts[bands]!);
    const next = this.#starts.slice();
    this.#each((edge, low, high) => {
      for (let i = band(low); i <= band(high); i++) this.#order[next[i]!++] = edge;
      return 0;
    });
  }

  /**
   * Whether a point lies inside, by the even-odd rule. Longitudes count modulo 360. Points with the same y
   * in succession are fast.
   */
  contains(x: number, y: number): boolean {
    if (!this.spansY(y)) return false;
    const [west, , east, north] = this.bounds;
    const row = y === north ? 90 - 2 ** -40 : y;
    if (row !== this.#row) this.#cross(row);
    if (!this.areDegrees) return this.#isOdd(x);
    for (let at = x + 360 * Math.ceil((west - x) / 360); at <= east; at += 360)
      if (this.#isOdd(at)) return true;
    return false;
  }

  /** Whether a row may have points inside. The pole belongs to areas that reach it. */
  spansY(y: number): boolean {
    const [, south, , north] = this.bounds;
    return y >= south && (y < north || (this.areDegrees && y === 90 && north === 90));
  }

  /** Whether a column may have points inside. */
  spansX(x: number): boolean {
    const [west, , east] = this.bounds;
    return this.areDegrees ? x + 360 * Math.ceil((west - x) / 360) <= east : x >= west && x <= east;
  }

  /** Whether an odd number of edges lies to the right of a point of the row. */
  #isOdd(x: number): boolean {
    let [low, high] = [0, this.#crossings.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#crossings[middle]! > x) high = middle;
      else low = middle + 1;
    }
    return (this.#crossings.length - low) % 2 === 1;
  }

  /** Finds where the edges cross a row. @throws LimitExceeded. */
  #cross(y: number): void {
    const band = Math.min(Math.floor((y - this.bounds[1]) / this.#height), this.#starts.length - 2);
    const [start, end] = [this.#starts[band]!, this.#starts[band + 1]!];
    this.#visits += end - start;
    const found: number[] = [];
    for (let at = start; at < end; at++) {
      const edge = 4 * this.#order[at]!;
      const [x1, y1, x2, y2] = [
        this.#edges[edge]!,
        this.#edges[edge + 1]!,
        this.#edges[edge + 2]!,
        this.#edges[edge + 3]!,
      ];
      if (y1 <= y && y < y2) found.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
    }
    if (this.#visits > maxVisits || found.length > maxCrossings)
      throw limitExceeded("a polygon has too many edges for the number of cells; simplify it");
    [this.#row, this.#crossings] = [y, Float64Array.from(found).sort()];
  }

  /** Calls a function with every edge's number and lower and upper y; returns the sum of its results. */
  #each(visit: (edge: number, low: number, high: number) => number): number {
    let sum = 0;
    for (let edge = 0; edge < this.#edges.length; edge += 4)
      sum += visit(edge / 4, this.#edges[edge + 1]!, this.#edges[edge + 3]!);
    return sum;
  }
}

/** Returns the x and y of the vertices of a ring. @throws InvalidArgument. */
function vertices(
  ring: unknown,
  convert: (x: number, y: number) => readonly [number, number],
  areDegrees: boolean,
): Float64Array {
  if (!Array.isArray(ring) || ring.length < 3)
    throw invalidArgument(
      `a ring must have at least 3 positions, got ${Array.isArray(ring) ? ring.length : describeValue(ring)}`,
    );
  const out = new Float64Array(2 * ring.length);
  for (let i = 0; i < ring.length; i++) {
    const position: unknown = ring[i];
    const [x, y]: unknown[] = Array.isArray(position) ? position : [];
    const point = typeof x === "number" && typeof y === "number" ? convert(x, y) : [Number.NaN, Number.NaN];
    const limit = areDegrees ? 720 : Number.MAX_VALUE;
    if (!(Math.abs(point[0]!) <= limit && Math.abs(point[1]!) <= limit))
      throw invalidArgument(
        `vertex ${i} must be [x, y]${areDegrees ? " in degrees" : ""}, got [${describeValue(x)}, ${describeValue(y)}]`,
      );
    out[2 * i] = point[0]!;
    out[2 * i + 1] = point[1]!;
  }
  return out;
}

/** Returns the edges of closed rings, each with its lower end first, without horizontal ones. */
function edgesOf(rings: readonly Float64Array[], count: number): Float64Array {
  const edges = new Float64Array(4 * count);
  let length = 0;
  for (const ring of rings)
    for (let i = 0, before = ring.length - 2; i < ring.length; before = i, i += 2) {
      const [x1, y1, x2, y2] = [ring[before]!, ring[before + 1]!, ring[i]!, ring[i + 1]!];
      if (y1 === y2) continue;
      edges.set(y1 < y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1], length);
      length += 4;
    }
  return edges.subarray(0, length);
}

function boundsOf(rings: readonly Float64Array[]): readonly [number, number, number, number] {
  const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      bounds[0] = Math.min(bounds[0], ring[i]!);
      bounds[1] = Math.min(bounds[1], ring[i + 1]!);
      bounds[2] = Math.max(bounds[2], ring[i]!);
      bounds[3] = Math.max(bounds[3], ring[i + 1]!);
    }
  return bounds;
}
