/** Polygons and rectangles: checks them, and tells which points lie inside. */

import { isRecord } from "../../util/arguments.js";
import { describeValue, invalidArgument, limitExceeded } from "../../util/errors.js";
import { firstIndex } from "../../util/search.js";
import { Bands } from "./bands.js";

/** [x, y], as in GeoJSON; a third number is ignored. */
export type Position = readonly number[];

/** A part of the plane of longitudes and latitudes, or of x and y. */
export type Area =
  /** [west, south, east, north]; in degrees, west may be greater than east. */
  | readonly [number, number, number, number]
  /** A ring of positions, open or closed. */
  | readonly Position[]
  /** GeoJSON: a Polygon, or a MultiPolygon. The type is a string so that imported JSON files fit. */
  | {
      readonly type: string;
      readonly coordinates: readonly (readonly Position[] | readonly (readonly Position[])[])[];
    }
  /** GeoJSON: a Feature with one of them. */
  | { readonly type: string; readonly geometry: unknown; readonly id?: string | number | undefined };

type Point = readonly [number, number];

/** Maximum number of edges of all rings of a shape. */
const maxEdges = 2 ** 23;
const maxBands = 2 ** 16;
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
  readonly #bands: Bands;
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
    convert: (point: Point) => Point,
  ) {
    const rings = ringsOf(area);
    const crosses = areDegrees && Array.isArray(area) && area.length === 4 && area[0] > area[2];
    const convertVertex = ([x, y]: Point) => convert([crosses && x === area[2] ? x + 360 : x, y]);
    if (rings.length === 0)
      throw invalidArgument("a polygon must have a ring of at least 3 positions, got none");
    const parts = rings.map((ring) => edgesOf(ring, convertVertex, areDegrees));
    const count = parts.reduce((sum, { length }) => sum + length / 4, 0);
    if (count > maxEdges)
      throw limitExceeded(`an area has ${count} vertices, more than the limit of ${maxEdges}`);
    const edges = new Float64Array(4 * count);
    let at = 0;
    for (const part of parts) {
      edges.set(part, at);
      at += part.length;
    }
    this.#edges = edges;
    this.bounds = boundsOf(edges);
    this.#bands = new Bands(this.bounds[1], this.bounds[3], Math.min(maxBands, count), (visit) => {
      for (let at = 0; at < edges.length; at += 4) visit(at, edges[at + 1]!, edges[at + 3]!);
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
    const { length } = this.#crossings;
    return (length - firstIndex(length, (i) => this.#crossings[i]! > x)) % 2 === 1;
  }

  /** Finds where the edges cross a row. @throws LimitExceeded. */
  #cross(y: number): void {
    const edges = this.#edges;
    const near = this.#bands.items(this.#bands.at(y));
    this.#visits += near.length;
    const found: number[] = [];
    for (const at of near) {
      const [x1, y1, x2, y2] = [edges[at]!, edges[at + 1]!, edges[at + 2]!, edges[at + 3]!];
      if (y1 <= y && y < y2) found.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
    }
    if (this.#visits > maxVisits || found.length > maxCrossings)
      throw limitExceeded("a polygon has too many edges for the number of cells; simplify it");
    [this.#row, this.#crossings] = [y, Float64Array.from(found).sort()];
  }
}

/**
 * Returns the edges of a ring, which is closed if it is open: x and y of the lower end, then of the upper end. Horizontal
 * edges are left out.
 * @throws InvalidArgument.
 */
function edgesOf(ring: unknown, convert: (point: Point) => Point, areDegrees: boolean): Float64Array {
  if (!Array.isArray(ring) || ring.length < 3)
    throw invalidArgument(
      `a ring must have at least 3 positions, got ${Array.isArray(ring) ? ring.length : describeValue(ring)}`,
    );
  const vertexAt = (i: number): Point => {
    const [x, y]: unknown[] = Array.isArray(ring[i]) ? ring[i] : [];
    const isPoint = typeof x === "number" && typeof y === "number";
    const vertex = isPoint ? convert([x, y]) : [Number.NaN, Number.NaN];
    const limit = areDegrees ? 720 : Number.MAX_VALUE;
    if (vertex.every((value) => Math.abs(value) <= limit)) return vertex as Point;
    throw invalidArgument(
      `vertex ${i} must be [x, y]${areDegrees ? " in degrees" : ""}, got [${describeValue(x)}, ${describeValue(y)}]`,
    );
  };
  const edges = new Float64Array(4 * ring.length);
  let length = 0;
  let [x1, y1] = vertexAt(ring.length - 1);
  for (let i = 0; i < ring.length; i++) {
    const [x2, y2] = vertexAt(i);
    if (y1 !== y2) {
      edges.set(y1 < y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1], length);
      length += 4;
    }
    [x1, y1] = [x2, y2];
  }
  return edges.subarray(0, length);
}

function boundsOf(edges: Float64Array): readonly [number, number, number, number] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < edges.length; i += 2) {
    [west, east] = [Math.min(west, edges[i]!), Math.max(east, edges[i]!)];
    [south, north] = [Math.min(south, edges[i + 1]!), Math.max(north, edges[i + 1]!)];
  }
  return [west, south, east, north];
}
