/** Section 3 of GRIB 2 messages: the grid of a field, with its coordinates. Spec: WMO FM 92, templates 3.x. */

import { integerJson, jsonObject } from "../../metadata/print.js";
import type { Json, JsonObject } from "../../util/json.js";
import { inSlices } from "../../util/slices.js";
import { badFile, Cursor, unsupportedFile } from "../file/cursor.js";
import { floatJson } from "../file/documents.js";
import { type Computed, degrees } from "./coordinates.js";
import { signed } from "./product.js";
import {
  type Earth,
  gaussianLatitudes,
  lambertConformal,
  maxGaussian,
  mercator,
  type Projection,
  polarStereographic,
  radians,
  unrotate,
} from "./projections.js";

/** The points of fields. */
export interface Grid {
  readonly type: string;
  readonly dimensions: readonly string[];
  readonly shape: readonly number[];
  /** Coordinates by name; empty if the file does not have them. */
  readonly coordinates: Readonly<Record<string, Computed>>;
  /** Attributes of the fields. */
  readonly attributes: JsonObject;
  /** Grid mapping of CF; undefined for latitudes and longitudes. */
  readonly mapping: JsonObject | undefined;
}

/** The fields of section 3 that all templates have. */
interface Definition {
  readonly points: number;
  /** Bytes of a number in the list of the points per row; 0 for no list. */
  readonly listBytes: number;
  readonly template: number;
  /** Behind the number of the template. */
  readonly cursor: Cursor;
}

/** Value of missing numbers. */
const missing = 2 ** 32 - 1;

/** @throws Unsupported for templates that are not read; InvalidMetadata ("bad-file"). */
export function readGrid(section: Uint8Array): Grid {
  const cursor = new Cursor(section, "section 3", false, 6);
  const points = cursor.u32();
  const [listBytes] = [cursor.u8(), cursor.u8()];
  const template = cursor.u16();
  const read = templates[template];
  if (!read) throw unsupportedFile(`the grid template 3.${template} is not read`);
  const grid = read({ points, listBytes, template, cursor });
  if (grid.shape.reduce((product, length) => product * length, 1) !== points)
    throw badFile(`section 3 has ${points} points, but the grid has the shape [${grid.shape}]`);
  return grid;
}

const templates: Readonly<Record<number, (definition: Definition) => Grid>> = {
  0: latitudesLongitudes,
  1: latitudesLongitudes,
  10: mercatorGrid,
  20: polarGrid,
  30: lambertGrid,
  40: gaussianGrid,
  101: unstructuredGrid,
};

function readScaled(cursor: Cursor): number {
  const [scale, value] = [cursor.u8(), cursor.u32()];
  return value * 10 ** (scale >= 128 ? scale - 128 : -scale);
}

/** Reads the shape of the earth (code table 3.2). */
function readEarth(cursor: Cursor): Earth {
  const shape = cursor.u8();
  const [radius, major, minor] = [readScaled(cursor), readScaled(cursor), readScaled(cursor)];
  const known: Readonly<Record<number, Earth>> = {
    0: sphere(6367470),
    1: sphere(radius),
    2: { major: 6378160, minor: 6356775 },
    3: { major: major * 1000, minor: minor * 1000 },
    4: { major: 6378137, minor: 6356752.314 },
    5: { major: 6378137, minor: 6356752.3142 },
    6: sphere(6371229),
    7: { major, minor },
    8: sphere(6371200),
    9: { major: 6377563.396, minor: 6356256.909 },
  };
  const earth = known[shape];
  if (!earth) throw unsupportedFile(`the shape ${shape} of the earth is not read`);
  return earth;
}

const sphere = (radius: number): Earth => ({ major: radius, minor: radius });

interface Scan {
  readonly i: 1 | -1;
  readonly j: 1 | -1;
}

/** Directions of the first row and of the first column. */
const readScan = (cursor: Cursor): Scan => {
  const flags = cursor.u8();
  return { i: flags & 128 ? -1 : 1, j: flags & 64 ? 1 : -1 };
};

interface Corners {
  readonly earth: Earth;
  readonly columns: number;
  readonly rows: number;
  readonly unit: number;
  readonly first: readonly [latitude: number, longitude: number];
  readonly last: readonly [latitude: number, longitude: number];
}

function readCorners(cursor: Cursor): Corners {
  const earth = readEarth(cursor);
  const [columns, rows, basic, parts] = [cursor.u32(), cursor.u32(), cursor.u32(), cursor.u32()];
  const isMicro = basic === 0 || basic === missing || parts === 0 || parts === missing;
  const unit = isMicro ? 1e-6 : basic / parts;
  const point = () => [angle(cursor) * unit, angle(cursor) * unit] as const;
  const first = point();
  cursor.skip(1);
  return { earth, columns, rows, unit, first, last: point() };
}

const angle = (cursor: Cursor): number => signed(cursor.u32());

/** Longitudes of the columns as ecCodes computes them: the last one determines the distance. */
function longitudes(columns: number, first: number, last: number, scan: Scan): (i: number) => number {
  if (columns < 2) return () => first;
  const isAhead = scan.i < 0 ? first > last : last > first;
  const span = scan.i < 0 ? first - last : last - first;
  let step = (isAhead ? span : span + 360) / (columns - 1);
  if (scan.i < 0) return (i) => first - i * step;
  if (first + (columns - 2) * step > 360) return (i) => first - 360 + i * step;
  if (first + (columns - 1) * step - 360 > 1e-6) step = 360 / columns;
  return (i) => first + i * step;
}

function latitudesLongitudes({ cursor, template }: Definition): Grid {
  const { columns, rows, unit, first, last, earth } = readCorners(cursor);
  if (columns === missing || rows === missing)
    throw unsupportedFile("reduced grids of latitudes and longitudes are not read");
  cursor.skip(4);
  const increment = cursor.u32();
  const scan = readScan(cursor);
  const isGiven = increment !== missing && increment !== 0;
  const step = isGiven ? increment * unit : Math.abs(first[0] - last[0]) / Math.max(1, rows - 1);
  const latitude = (j: number) => (j > 0 && j === rows - 1 ? last[0] : first[0] + scan.j * j * step);
  const longitude = longitudes(columns, first[1], last[1], scan);
  const open = () => latitude;
  if (template === 0) return regular("regular_ll", [rows, columns], { shape: [rows], open }, longitude, scan);
  const pole = { latitude: angle(cursor) * unit, longitude: angle(cursor) * unit, angle: cursor.f32() };
  const shape = [rows, columns];
  const mapping = mappingOf("rotated_latitude_longitude", earth, {
    grid_north_pole_latitude: -pole.latitude,
    grid_north_pole_longitude: pole.longitude > 0 ? pole.longitude - 180 : pole.longitude + 180,
    north_pole_grid_longitude: pole.angle,
  });
  return projected("rotated_ll", shape, (j, i) => unrotate(latitude(j), longitude(i), pole), mapping);
}

function regular(
  type: string,
  shape: readonly number[],
  latitude: Computed,
  longitude: (i: number) => number,
  scan: Scan,
): Grid {
  const isDown = scan.j < 0 && shape[0]! > 1;
  return {
    type,
    dimensions: ["latitude", "longitude"],
    shape,
    coordinates: {
      latitude: { ...latitude, ...(isDown && { direction: "decreasing" }) },
      longitude: { shape: [shape[1]!], open: () => longitude },
    },
    attributes: gridAttributes(type),
    mapping: undefined,
  };
}

const gridAttributes = (type: string, more: readonly [string, Json][] = []): JsonObject =>
  jsonObject([["GRIB_gridType", type], ...more]);

type Locate = (j: number, i: number) => readonly [latitude: number, longitude: number];

function projected(type: string, shape: readonly number[], locate: Locate, mapping: JsonObject): Grid {
  return {
    type,
    dimensions: ["y", "x"],
    shape,
    coordinates: {
      latitude: { shape, open: () => (j, i) => locate(j, i)[0] },
      longitude: { shape, open: () => (j, i) => locate(j, i)[1] },
    },
    attributes: gridAttributes(type),
    mapping,
  };
}

/** Returns a grid with equal distances in metres from its first point on. */
function planar(
  type: string,
  shape: readonly number[],
  first: readonly [latitude: number, longitude: number],
  steps: readonly [x: number, y: number],
  projection: Projection,
  mapping: JsonObject,
): Grid {
  const [x, y] = projection.forward(first[0] * radians, first[1] * radians);
  const locate: Locate = (j, i) => {
    const [latitude, longitude] = projection.inverse(x + i * steps[0], y + j * steps[1]);
    return [latitude / radians, degrees(longitude / radians)];
  };
  return projected(type, shape, locate, mapping);
}

function mappingOf(name: string, earth: Earth, values: Readonly<Record<string, Json | number>>): JsonObject {
  const shape: [string, Json][] =
    earth.major === earth.minor
      ? [["earth_radius", floatJson(earth.major)]]
      : [
          ["semi_major_axis", floatJson(earth.major)],
          ["semi_minor_axis", floatJson(earth.minor)],
        ];
  const own = Object.entries(values).map(
    ([key, value]) => [key, typeof value === "number" ? floatJson(value) : value] as const,
  );
  return jsonObject([["grid_mapping_name", name], ...own, ...shape]);
}

/** Reads shape, first point and flags of projected grids. */
function readPlane(cursor: Cursor) {
  const earth = readEarth(cursor);
  const [columns, rows] = [cursor.u32(), cursor.u32()];
  const first = [angle(cursor) * 1e-6, angle(cursor) * 1e-6] as const;
  cursor.skip(1);
  return { earth, shape: [rows, columns], first };
}

function mercatorGrid({ cursor }: Definition): Grid {
  const { earth, shape, first } = readPlane(cursor);
  const trueScale = angle(cursor) * 1e-6;
  cursor.skip(8);
  const scan = readScan(cursor);
  const orientation = cursor.u32();
  if (orientation !== 0) throw unsupportedFile("rotated Mercator grids are not read");
  const steps = [scan.i * cursor.u32() * 1e-3, scan.j * cursor.u32() * 1e-3] as const;
  const mapping = mappingOf("mercator", earth, {
    standard_parallel: trueScale,
    longitude_of_projection_origin: 0,
  });
  return planar("mercator", shape, first, steps, mercator(earth, trueScale * radians), mapping);
}

function readDistances(cursor: Cursor) {
  const [trueScale, meridian] = [angle(cursor) * 1e-6, angle(cursor) * 1e-6];
  const [dx, dy] = [cursor.u32() * 1e-3, cursor.u32() * 1e-3];
  const centre = cursor.u8();
  const scan = readScan(cursor);
  return { trueScale, meridian, isSouth: (centre & 128) !== 0, steps: [scan.i * dx, scan.j * dy] as const };
}

function polarGrid({ cursor }: Definition): Grid {
  const { earth, shape, first } = readPlane(cursor);
  const { trueScale, meridian, isSouth, steps } = readDistances(cursor);
  const mapping = mappingOf("polar_stereographic", earth, {
    straight_vertical_longitude_from_pole: meridian,
    latitude_of_projection_origin: isSouth ? -90 : 90,
    standard_parallel: isSouth ? -Math.abs(trueScale) : Math.abs(trueScale),
  });
  const projection = polarStereographic(earth, trueScale * radians, meridian * radians, isSouth);
  return planar("polar_stereographic", shape, first, steps, projection, mapping);
}

function lambertGrid({ cursor }: Definition): Grid {
  const { earth, shape, first } = readPlane(cursor);
  const { trueScale, meridian, steps } = readDistances(cursor);
  const parallels = [angle(cursor) * 1e-6, angle(cursor) * 1e-6] as const;
  const mapping = mappingOf("lambert_conformal_conic", earth, {
    standard_parallel: parallels.map(floatJson),
    longitude_of_central_meridian: meridian,
    latitude_of_projection_origin: trueScale,
  });
  const [south, north] = parallels;
  const projection = lambertConformal(earth, meridian * radians, south * radians, north * radians);
  return planar("lambert", shape, first, steps, projection, mapping);
}

function gaussianGrid({ points, listBytes, cursor }: Definition): Grid {
  const { columns, rows, first, last } = readCorners(cursor);
  cursor.skip(4);
  const n = cursor.u32();
  const scan = readScan(cursor);
  if (n === 0 || n > maxGaussian) throw unsupportedFile(`Gaussian grids of ${n} parallels are not read`);
  if (rows > 2 * n) throw badFile(`a Gaussian grid of ${n} parallels has ${rows} rows`);
  const open = gaussianRows(n, rows, first[0], scan);
  if (columns !== missing) {
    const longitude = longitudes(columns, first[1], last[1], scan);
    return regular("regular_gg", [rows, columns], { shape: [rows], open }, longitude, scan);
  }
  if (scan.i < 0) throw unsupportedFile("reduced grids from east to west are not read");
  const list = Array.from({ length: rows }, () => cursor.uint(listBytes));
  const lines = new ReducedRows(list, degrees(first[1]), last[1], points);
  const shape = [points];
  const latitude: Computed = {
    shape,
    async open() {
      const rowLatitude = await open();
      return (index) => rowLatitude(lines.rowOf(index));
    },
  };
  const longitude: Computed = { shape, open: () => (index) => lines.longitude(index) };
  return {
    type: "reduced_gg",
    dimensions: ["values"],
    shape,
    coordinates: lines.isKnown ? { latitude, longitude } : {},
    attributes: gridAttributes("reduced_gg", [["GRIB_N", integerJson(n)]]),
    mapping: undefined,
  };
}

/** Returns the latitudes of the rows from a first one on. */
function gaussianRows(
  n: number,
  rows: number,
  first: number,
  scan: Scan,
): () => Promise<(j: number) => number> {
  const find = async () => {
    const latitudes = await inSlices(gaussianLatitudes(n));
    const near = (latitude: number) => Math.abs(latitude - first);
    const start = latitudes.reduce((best, own, i) => (near(own) < near(latitudes[best]!) ? i : best), 0);
    const end = start - scan.j * (rows - 1);
    if (near(latitudes[start]!) > 5e-3 || latitudes[end] === undefined)
      throw badFile(`${first} is not the first latitude of a Gaussian grid of ${n} parallels`);
    return (j: number) => latitudes[start - scan.j * j]!;
  };
  let found: ReturnType<typeof find> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}

/** The rows of a reduced grid: points at equal distances around the globe, or only the points in a region. */
class ReducedRows {
  /** Index of the first point of each row, and the number of points. */
  readonly #starts: Float64Array;
  /** Number of the first point in its circle, per row. */
  readonly #offsets: Float64Array;
  /** Whether the points are those that the file has. */
  readonly isKnown: boolean;

  constructor(
    private readonly circles: readonly number[],
    first: number,
    last: number,
    points: number,
  ) {
    this.#starts = new Float64Array(circles.length + 1);
    this.#offsets = new Float64Array(circles.length);
    const isGlobal = circles.reduce((sum, count) => sum + count, 0) === points;
    const end = last < first ? last + 360 : last;
    const near = 1e-6;
    for (const [j, count] of circles.entries()) {
      const from = isGlobal ? 0 : Math.ceil(((first - near) * count) / 360);
      const to = isGlobal ? count - 1 : Math.floor(((end + near) * count) / 360);
      this.#offsets[j] = from;
      this.#starts[j + 1] = this.#starts[j]! + Math.max(0, to - from + 1);
    }
    this.isKnown = this.#starts[circles.length] === points && (!isGlobal || first === 0);
  }

  rowOf(index: number): number {
    let [low, high] = [0, this.circles.length];
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! <= index) low = middle;
      else high = middle;
    }
    return low;
  }

  longitude(index: number): number {
    const row = this.rowOf(index);
    return degrees(((this.#offsets[row]! + index - this.#starts[row]!) * 360) / this.circles[row]!);
  }
}

function unstructuredGrid({ points, cursor }: Definition): Grid {
  cursor.skip(1);
  const number = cursor.uint(3);
  const reference = cursor.u8();
  const uuid = Array.from(cursor.take(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    type: "unstructured_grid",
    dimensions: ["values"],
    shape: [points],
    coordinates: {},
    attributes: gridAttributes("unstructured_grid", [
      ["GRIB_numberOfGridUsed", integerJson(number)],
      ["GRIB_numberOfGridInReference", integerJson(reference)],
      ["GRIB_uuidOfHGrid", uuid],
    ]),
    mapping: undefined,
  };
}
