/** Finds the part of a level that a map tile shows. */

import { bytesOptions } from "../../hierarchy/get.js";
import { slice } from "../../plan/selection.js";
import { checkObject, checkSignalIn, type OptionNames } from "../../util/arguments.js";
import { describeValue, invalidArgument, unsupported } from "../../util/errors.js";
import { inverse, moved, transformBounds } from "./axes.js";
import type { Bounds, Georeference, GeoTile, ReadTileOptions, TileOptions } from "./types.js";

/** Half the circumference of the earth in Web Mercator, in metres. */
const half = Math.PI * 6_378_137;

/** Codes of the two convertible kinds of reference systems: Web Mercator and degrees. */
const systems = {
  mercator: ["EPSG:3857", "EPSG:900913", "EPSG:3785", "EPSG:102100", "ESRI:102100", "ESRI:102113"],
  degrees: ["EPSG:4326", "OGC:CRS84", "EPSG:4979", "CRS:84"],
} as const;

type System = keyof typeof systems;

const grids: Readonly<Record<string, { system: System; columns: number; width: number; bounds: Bounds }>> = {
  WebMercatorQuad: { system: "mercator", columns: 1, width: 2 * half, bounds: [-half, -half, half, half] },
  WorldCRS84Quad: { system: "degrees", columns: 2, width: 180, bounds: [-180, -90, 180, 90] },
};

/** Options of all functions of tiles, which often share one object. */
const tileOptions: OptionNames<ReadTileOptions> = {
  ...bytesOptions,
  grid: true,
  tileSize: true,
  fillValueIsMissing: true,
  validRange: true,
  variable: true,
  maxChunks: true,
  selection: true,
};

/** A tile of a grid, with everything needed to find its data. */
export interface LocatedTile {
  readonly bounds: Bounds;
  readonly tileSize: number;
  /** Reference systems of the tile grid and of the data. */
  readonly from: System;
  readonly to: System;
}

/** A part of the data that a tile shows, with the data's offset around the world from the tile. */
export interface TilePart {
  readonly tile: GeoTile;
  readonly by: number;
}

/** Implements `tileAt`. */
export function findTile(
  reference: Georeference,
  tile: readonly [number, number, number],
  options: TileOptions,
): GeoTile | undefined {
  return findParts(reference, tile, options)[0];
}

/** Implements `tileParts`. */
export function findParts(
  reference: Georeference,
  tile: readonly [number, number, number],
  options: TileOptions,
): GeoTile[] {
  const located = locateTile(reference, tile, options);
  if (reference.cells) throw unsupported("cells have no rows and columns; use readTile");
  return findTileParts(reference, located).map((tilePart) => tilePart.tile);
}

/** @throws InvalidArgument, Unsupported: see `tileAt`. */
export function locateTile(
  reference: Georeference,
  place: readonly [number, number, number],
  options: ReadTileOptions,
): LocatedTile {
  checkObject(reference, "the reference");
  checkSignalIn(options, tileOptions);
  if (!Array.isArray(reference.levels)) throw invalidArgument("tileAt expects the result of georeference()");
  if (!Array.isArray(place)) throw invalidArgument(`a tile must be [z, x, y], got ${describeValue(place)}`);
  const { grid = "WebMercatorQuad", tileSize = 256 } = options;
  const [z, x, y] = place as readonly [number, number, number];
  const matrix = typeof grid === "string" && Object.hasOwn(grids, grid) ? grids[grid] : undefined;
  if (!matrix)
    throw invalidArgument(`grid must be ${Object.keys(grids).join(" or ")}, got ${describeValue(grid)}`);
  if (!Number.isSafeInteger(tileSize) || tileSize < 1)
    throw invalidArgument(`tileSize must be a positive integer, got ${describeValue(tileSize)}`);
  const isTile = [z, x, y].every((n) => Number.isSafeInteger(n) && n >= 0) && z <= 40;
  const count = isTile ? 2 ** z : 0;
  if (!isTile || x >= matrix.columns * count || y >= count)
    throw invalidArgument(`tile ${[z, x, y].map(describeValue).join("/")} is outside the grid`);
  const size = matrix.width / count;
  const [west, , , north] = matrix.bounds;
  const bounds: Bounds = [west + x * size, north - (y + 1) * size, west + (x + 1) * size, north - y * size];
  return { bounds, tileSize, from: matrix.system, to: tileSystem(reference) };
}

function tileSystem({ crs }: Georeference): System {
  for (const system of ["mercator", "degrees"] as const)
    if ((systems[system] as readonly (string | undefined)[]).includes(crs?.code)) return system;
  throw unsupported(
    `tiles require data in Web Mercator or degrees, got ${crs?.code ?? "an unnamed reference system"}`,
  );
}

function converted([left, bottom, right, top]: Bounds, from: System, to: System): Bounds {
  if (from === to) return [left, bottom, right, top];
  const { longitude, latitude } = conversion(from, to);
  const north = to === "degrees" ? latitude : (value: number) => onMap(latitude(value));
  return [longitude(left), north(bottom), longitude(right), north(top)];
}

interface Conversion {
  longitude(value: number): number;
  latitude(value: number): number;
}

/** Returns the conversion of coordinates between two systems. */
export function conversion(from: System, to: System): Conversion {
  if (from === to) return { longitude: (value) => value, latitude: (value) => value };
  return to === "degrees"
    ? { longitude: (value) => (value / half) * 180, latitude: degreesNorth }
    : { longitude: (value) => (value / 180) * half, latitude: metresNorth };
}

function degreesNorth(y: number): number {
  return (Math.atan(Math.sinh((y / half) * Math.PI)) * 180) / Math.PI;
}

function metresNorth(latitude: number): number {
  return Math.asinh(Math.tan((latitude * Math.PI) / 180)) * 6_378_137;
}

/** Clamps to the extent of Web Mercator towards the poles. */
const onMap = (metres: number) => Math.min(Math.max(metres, -half), half);

/**
 * Returns the parts of the data that a tile shows, the widest first. With longitudes from 0 to 360, a tile's
 * western half is found one revolution farther east than its eastern half. Data that crosses the 180°
 * meridian can appear at both ends of a tile.
 */
export function findTileParts(
  reference: Georeference,
  { bounds, tileSize, from, to }: LocatedTile,
): TilePart[] {
  const revolution = to === "degrees" ? 360 : 2 * half;
  const [left, bottom, right, top] = converted(bounds, from, to);
  const [west, , east] = reference.bounds;
  const overlap = (by: number) => Math.min(right + by, east) - Math.max(left + by, west);
  return [0, revolution, -revolution]
    .sort((a, b) => overlap(b) - overlap(a))
    .flatMap((by) => {
      const tile = tilePart(reference, [left + by, bottom, right + by, top], bounds, tileSize);
      return tile ? [{ tile, by }] : [];
    });
}

function tilePart(
  { levels, dimensions }: Georeference,
  wanted: Bounds,
  tileBounds: Bounds,
  tileSize: number,
): GeoTile | undefined {
  // Pixel size along x, because latitudes of Web Mercator are not evenly spaced in degrees.
  const pixel = (wanted[2] - wanted[0]) / tileSize;
  // The last level that is fine enough is the coarsest one. The tolerance keeps rounding from selecting the
  // next finer level.
  const level =
    [...levels].reverse().find(({ resolution }) => resolution[0] <= pixel * (1 + 1e-9)) ?? levels[0];
  const { transform, shape } = level;
  const [left, top, right, bottom] = transformBounds(inverse(transform), wanted);
  // The tolerance ignores overlaps that are due to rounding.
  const first = (value: number, length: number) => Math.min(Math.max(Math.floor(value + 1e-6), 0), length);
  const end = (value: number, length: number) => Math.min(Math.max(Math.ceil(value - 1e-6), 0), length);
  const columns = [first(left, shape[1]), end(right, shape[1])] as const;
  const rows = [first(top, shape[0]), end(bottom, shape[0])] as const;
  if (columns[0] >= columns[1] || rows[0] >= rows[1]) return undefined;
  const box: Bounds = [columns[0], rows[0], columns[1], rows[1]];
  return {
    level,
    selection: { [dimensions[0]]: slice(...rows), [dimensions[1]]: slice(...columns) },
    shape: [rows[1] - rows[0], columns[1] - columns[0]],
    transform: moved(transform, [columns[0], rows[0]]),
    bounds: transformBounds(transform, box),
    tileBounds,
  };
}
