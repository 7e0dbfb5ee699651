/** Planes whose elements are drawn at their coordinates instead of as equal cells in stored order. */
import type { Dataset, DatasetAxis, Geography, GridPositions } from "../source/dataset.js";
import type { Rectangle } from "./camera.js";
import type { ViewState } from "./state.js";

/** A part of a plane in view: a rectangle of elements, and its place in world units. */
export interface SeenPart {
  readonly elements: Rectangle;
  readonly world: Rectangle;
}

/** An element's row and column; the fraction is the position inside the element. */
export interface ElementPosition {
  readonly row: number;
  readonly column: number;
}

/** A plane on the sphere: longitudes and latitudes of its places, in world units. */
export interface GeoPlane {
  /** The place of a position; undefined outside the map. */
  place(longitude: number, latitude: number): { readonly row: number; readonly column: number } | undefined;
  /** The position at a place; undefined outside the map. */
  positionAt(row: number, column: number): readonly [longitude: number, latitude: number] | undefined;
  /** Differs between longitudes on both sides of the edge of the map. */
  side(longitude: number): number;
  /** The edge of the map as [row, column, …]; undefined for the edges of the plane. */
  readonly outline?: Float64Array | undefined;
}

/**
 * Relates elements to world units. Coordinates are linear in world units, so that rulers, maps and scale bars
 * treat the world as an evenly spaced grid of `rows` by `columns`.
 */
export interface Projection {
  /** The shown axes in world units: [down, across], or [across] for a line. */
  readonly axes: readonly DatasetAxis[];
  readonly rows: number;
  readonly columns: number;
  /** Whether the world repeats after `columns`: longitudes around the globe. */
  readonly isPeriodic: boolean;
  /** Height of a world unit divided by its width, if coordinates do not determine it. */
  readonly aspect?: number | undefined;
  /** Positions of a plane in a map projection. */
  readonly geo?: GeoPlane | undefined;
  /** The middle of a globe after a drag by a distance in world units; undefined for other maps, which are moved. */
  readonly turned?: ((down: number, across: number) => GlobeCentre) | undefined;
  /** Whether world units are elements. */
  readonly isIdentity: boolean;
  /** Side of the smallest cell in world units: limits the zoom. */
  readonly smallest: number;
  /** The element at a position of the world; undefined outside. */
  elementAt(row: number, column: number): ElementPosition | undefined;
  /** The place of a position in elements: the inverse of `elementAt`, also beyond the edges. */
  placeOf(position: ElementPosition): { readonly row: number; readonly column: number };
  /** Bounds of a rectangle of elements in world units. */
  boundsOf(elements: Rectangle): Rectangle;
  /** The parts of the plane in a rectangle of the world. */
  partsIn(world: Rectangle): readonly SeenPart[];
  /**
   * Numbers of the elements (row · columns of the plane + column) at the centres of the pixels of a raster over
   * a rectangle of the world, row by row; −1 outside the plane. `top` may be below `bottom`.
   */
  raster(world: Rectangle, width: number, height: number): Int32Array;
  /**
   * Positions in elements of the rows and columns of such a raster; undefined if they are not the same for all pixels
   * of a row and of a column.
   */
  rasterLines(
    world: Rectangle,
    width: number,
    height: number,
  ): { readonly rows: Float64Array; readonly columns: Float64Array } | undefined;
  /** World column of a position along a line; the centre of an element is at its coordinate. */
  toColumn(element: number): number;
  /** The inverse; also beyond the ends. */
  toElement(column: number): number;
  /** World column of a longitude; undefined unless the horizontal axis is a longitude. */
  columnOf(longitude: number): number | undefined;
}

/** Whether a plane shows cells at their places on a map: the two axes of their folded dimension, in order. */
export const isCellPlane = (
  { cells }: Dataset,
  { axes, places }: Pick<ViewState, "axes" | "places">,
): boolean =>
  cells !== undefined && places !== "index" && axes[0] === cells.axis && axes[1] === cells.axis + 1;

/** The converter of a plane of projected axes, if their reference system is stated. */
export function projectedConverter(
  { geography }: Dataset,
  axes: readonly number[],
): Geography["converter"] | undefined {
  const isWhole = geography && axes.includes(geography.vertical) && axes.includes(geography.horizontal);
  return isWhole ? geography.converter : undefined;
}

/** The middle of a globe in degrees. */
export interface GlobeCentre {
  readonly meridian: number;
  readonly parallel: number;
}

/** The positions at which a plane is drawn as a map; undefined for rows and columns. */
export function mapPositions(
  { positions, axes }: Dataset,
  { axes: shown, places }: Pick<ViewState, "axes" | "places">,
): GridPositions | undefined {
  if (!positions || places === "index" || shown.length !== 2) return undefined;
  if (!positions.axes.every((axis) => shown.includes(axis))) return undefined;
  const isProjected = shown.every((axis) => axes[axis]!.coordinates?.kind === "numbers");
  return places === "map" || !isProjected ? positions : undefined;
}
