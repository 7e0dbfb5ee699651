/** Polygons and rectangles: checks them, and tells which points lie inside. */

import { isRecord } from "../../util/arguments.js";
import { describeValue, invalidArgument, limitExceeded } from "../../util/errors.js";
import { firstIndex } from "../../util/search.js";
import type { Steps } from "../../util/slices.js";
import { type BandItems, Bands } from "./bands.js";

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
/** Vertices converted, or edges visited in one step. */
const [stepVertices, stepEdges] = [2 ** 8, 2 ** 12];

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
  #row = Number.NaN;
  #crossings: Float64Array = new Float64Array(0);
  #visits = 0;

  private constructor(
    /** Edges as x and y of the lower end, then of the upper end. */
    private readonly edges: Float64Array,
    readonly bounds: readonly [number, number, number, number],
    private readonly bands: Bands,
    private readonly areDegrees: boolean,
  ) {}

  /**
   * @param convert converts vertices to the coordinates of the grid.
   * @throws InvalidArgument, LimitExceeded.
   */
  static *make(area: unknown, areDegrees: boolean, convert: (point: Point) => Point): Steps<Shape> {
    const rings = ringsOf(area);
    const crosses = areDegrees && Array.isArray(area) && area.length === 4 && area[0] > area[2];
    const convertVertex = ([x, y]: Point) => convert([crosses && x === area[2] ? x + 360 : x, y]);
    if (rings.length === 0)
      throw invalidArgument("a polygon must have a ring of at least 3 positions, got none");
    const count = rings.reduce<number>((sum, ring) => sum + (Array.isArray(ring) ? ring.length : 0), 0);
    if (count > maxEdges)
      throw limitExceeded(`an area has ${count} vertices, more than the limit of ${maxEdges}`);
    const all = new Float64Array(4 * count);
    let length = 0;
    for (const ring of rings) length = yield* addEdges(ring, convertVertex, areDegrees, all, length);
    const edges = all.subarray(0, length);
    const bounds = yield* boundsOf(edges);
    const items: BandItems = {
      count: length / 4,
      low: (edge) => edges[4 * edge + 1]!,
      high: (edge) => edges[4 * edge + 3]!,
    };
    const bands = yield* Bands.make(bounds[1], bounds[3], Math.min(maxBands, items.count), items);
    return new Shape(edges, bounds, bands, areDegrees);
  }

  /** Finds where the edges cross a row that the shape spans, for `contains`. @throws LimitExceeded. */
  *enter(y: number): Steps<void> {
    const row = y === this.bounds[3] ? 90 - 2 ** -40 : y;
    if (row === this.#row) return;
    const near = this.bands.items(this.bands.at(row));
    const found: number[] = [];
    for (let from = 0; from < near.length; from += stepEdges) {
      const edges = near.subarray(from, from + stepEdges);
      const before = this.#visits;
      this.#visits += edges.length;
      this.#cross(row, edges, found);
      if (this.#visits > maxVisits || found.length > maxCrossings)
        throw limitExceeded("a polygon has too many edges for the number of cells; simplify it");
      if (Math.floor(before / stepEdges) < Math.floor(this.#visits / stepEdges)) yield;
    }
    [this.#row, this.#crossings] = [row, Float64Array.from(found).sort()];
  }

  /** Whether a point of the row entered last lies inside, by the even-odd rule. Longitudes count modulo 360. */
  contains(x: number): boolean {
    if (!this.areDegrees) return this.#isOdd(x);
    const [west, , east] = this.bounds;
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

  /** Adds the x of the edges that cross a row. */
  #cross(y: number, near: Uint32Array, found: number[]): void {
    const { edges } = this;
    for (const edge of near) {
      const at = 4 * edge;
      const [x1, y1, x2, y2] = [edges[at]!, edges[at + 1]!, edges[at + 2]!, edges[at + 3]!];
      if (y1 <= y && y < y2) found.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
}

/**
 * Adds the edges of a ring, which is closed if it is open: x and y of the lower end, then of the upper end. Horizontal
 * edges are left out.
 * @returns the length of the edges.
 * @throws InvalidArgument.
 */
function* addEdges(
  ring: unknown,
  convert: (point: Point) => Point,
  areDegrees: boolean,
  edges: Float64Array,
  start: number,
): Steps<number> {
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
  let length = start;
  let [x1, y1] = vertexAt(ring.length - 1);
  for (let i = 0; i < ring.length; i++) {
    if (i % stepVertices === 0) yield;
    const [x2, y2] = vertexAt(i);
    if (y1 !== y2) {
      edges.set(y1 < y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1], length);
      length += 4;
    }
    [x1, y1] = [x2, y2];
  }
  return length;
}

function* boundsOf(edges: Float64Array): Steps<readonly [number, number, number, number]> {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < edges.length; i += 2) {
    if (i % stepEdges === 0) yield;
    [west, east] = [Math.min(west, edges[i]!), Math.max(east, edges[i]!)];
    [south, north] = [Math.min(south, edges[i + 1]!), Math.max(north, edges[i + 1]!)];
  }
  return [west, south, east, north];
}
