/** Makes the projection of a plane. */
import { keptFor } from "../base/memo.js";
import { equalPlaces, irregularPlaces } from "../model/axis-places.js";
import { CellAxisCells } from "../model/cell-cells.js";
import { ConvertedCells } from "../model/converted-cells.js";
import { AxisDegrees, type GridCells, RegularCells } from "../model/grid-cells.js";
import { gridProjection, wrapsAround } from "../model/grid-projection.js";
import { MapPlane } from "../model/map-plane.js";
import { mapProjection } from "../model/map-projections.js";
import { type MeshCells, meshCells } from "../model/mesh-projection.js";
import { isCellPlane, mapPositions, type Projection, projectedConverter } from "../model/projection.js";
import type { ViewState } from "../model/state.js";
import type { Dataset, DatasetAxis, GridPositions, PointConverter } from "../source/dataset.js";

export { Warping } from "../draw/warp.js";
export { equalCells } from "../model/grid-projection.js";

type Shown = Pick<ViewState, "axes" | "places" | "projection" | "meridian" | "parallel">;

/** @returns `isFinal` false if coordinates have not been read, so that it must be made again */
export function makeProjection(
  dataset: Dataset,
  state: Shown,
): { projection: Projection | undefined; isFinal: boolean } {
  const cells = gridCellsOf(dataset, state);
  if (cells) return { projection: cells.value && mapOf(cells.value, state), isFinal: cells.isFinal };
  const positions = mapPositions(dataset, state);
  if (positions) {
    if (!positions.known) return { projection: undefined, isFinal: false };
    return { projection: meshFor(dataset, positions, state.axes)?.plane, isFinal: true };
  }
  const shown = state.axes.map((axis) => {
    const plain = dataset.axes[axis]!;
    return state.places === "index" && plain.scale === undefined
      ? { ...plain, coordinates: undefined }
      : plain;
  });
  return { projection: gridProjection(shown), isFinal: shown.every(isRead) };
}

const isRead = ({ coordinates, length }: DatasetAxis): boolean =>
  !coordinates || (coordinates.at(0) !== undefined && coordinates.at(length - 1) !== undefined);

/** The grids of datasets by their axes. */
const known = keptFor((_dataset: Dataset) => new Map<string, GridCells | undefined>());
const meshes = keptFor((_dataset: Dataset) => new Map<string, MeshCells | undefined>());

function kept<T>(made: Map<string, T>, key: string, make: () => T): T {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as T;
}

/** The cells at positions that have been read; undefined if no element has one. */
const meshFor = (dataset: Dataset, positions: GridPositions, axes: readonly number[]) =>
  kept(meshes(dataset), axes.join(), () => {
    const centres = centresOf(dataset, positions, axes);
    return centres && meshCells(centres);
  });

/**
 * The cells of a plane on the sphere, for a map projection; undefined if the plane is drawn in the coordinates of the
 * data, or has no place on a map.
 */
function gridCellsOf(
  dataset: Dataset,
  state: Shown,
): { readonly value: GridCells | undefined; readonly isFinal: boolean } | undefined {
  if (state.axes.length !== 2) return undefined;
  const { cells } = dataset;
  if (cells && isCellPlane(dataset, state))
    return { value: kept(known(dataset), "cells", () => new CellAxisCells(cells)), isFinal: true };
  if (state.projection === "data") return undefined;
  const positions = mapPositions(dataset, { axes: state.axes, places: "map" });
  const shown = state.axes.map((axis) => dataset.axes[axis]!);
  const converter = projectedConverter(dataset, state.axes);
  if (!positions && !isInDegrees(shown) && !converter) return undefined;
  const isKnown = positions
    ? positions.known
    : shown.every(isRead) && (isInDegrees(shown) || converter?.value);
  if (!isKnown) return { value: undefined, isFinal: false };
  const value = positions
    ? meshFor(dataset, positions, state.axes)
    : kept(known(dataset), state.axes.join(), () => regularCells(shown, converter?.value));
  return value && { value, isFinal: true };
}

const isInDegrees = (shown: readonly DatasetAxis[]): boolean => {
  const roles = shown.map(({ role }) => role);
  return roles.includes("latitude") && roles.includes("longitude");
};

/** @returns undefined if an axis has no numbers */
function regularCells(
  shown: readonly DatasetAxis[],
  converter: PointConverter | undefined,
): GridCells | undefined {
  const places = shown.map((axis) => irregularPlaces(axis) ?? equalPlaces(axis));
  if (places.some(({ axis }) => axis.scale === undefined)) return undefined;
  const isTurned = shown[0]!.role === "longitude" || shown[0]!.role === "x";
  const degrees = places.map((one) => new AxisDegrees(one));
  const [vertical, horizontal] = (isTurned ? degrees.toReversed() : degrees) as [AxisDegrees, AxisDegrees];
  return converter && !isInDegrees(shown)
    ? new ConvertedCells(vertical, horizontal, isTurned, converter)
    : new RegularCells(vertical, horizontal, isTurned, wrapsAround(shown[isTurned ? 0 : 1]!));
}

/** Maps around a pole have Greenwich below it by default, others the middle of the data at their own. */
function mapOf(cells: GridCells, { projection, meridian, parallel }: Shown): Projection {
  const name = projection === "data" ? "plate-carree" : projection;
  const { west, east, south, north } = cells.bounds;
  const middle = name.endsWith("pole") ? 0 : (west + east) / 2;
  return new MapPlane(mapProjection(name, [meridian ?? middle, parallel ?? (south + north) / 2]), cells);
}

/** @returns undefined if positions have not been read */
function centresOf(dataset: Dataset, positions: GridPositions, axes: readonly number[]) {
  if (!positions.known) return undefined;
  const [rows, columns] = axes.map((axis) => dataset.axes[axis]!.length) as [number, number];
  const { longitudes, latitudes } = positions.known;
  if (positions.axes[0] === axes[0]) return { rows, columns, longitudes, latitudes };
  const turned = (values: Float64Array) =>
    values.map((_, at) => values[(at % columns) * rows + Math.floor(at / columns)]!);
  return { rows, columns, longitudes: turned(longitudes), latitudes: turned(latitudes) };
}
