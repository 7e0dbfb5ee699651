/** Planes drawn in a map projection: the cells of a grid under the pixels of a map. */
import type { DatasetAxis } from "../source/dataset.js";
import type { Rectangle } from "./camera.js";
import { type GridCells, placeInCell } from "./grid-cells.js";
import { type MapBounds, type MapProjection, turned } from "./map-projections.js";
import type { ElementPosition, GeoPlane, GlobeCentre, Projection, SeenPart } from "./projection.js";

/** Points per side of a view at which cells are looked up to find those to read: a multiple of 3. */
const sampled = 96;
/** Maximum number of columns: coordinates may be very close. */
const maxColumns = 2 ** 30;
/** Cells per side whose outlines are measured for the bounds of a rectangle. */
const measured = 48;

export class MapPlane implements Projection, GeoPlane {
  readonly axes: readonly DatasetAxis[];
  readonly rows: number;
  readonly columns: number;
  readonly isPeriodic: boolean;
  readonly isIdentity = false;
  readonly smallest = 1 / 8;
  readonly aspect = 1;
  readonly geo = this;
  readonly turned: ((down: number, across: number) => GlobeCentre) | undefined;
  readonly outline: Float64Array | undefined;
  /** The plane's upper left corner, and the side of a unit of the world, in units of the map. */
  readonly #west: number;
  readonly #north: number;
  readonly #unit: number;

  constructor(
    readonly map: MapProjection,
    readonly cells: GridCells,
  ) {
    const { bounds } = cells;
    this.isPeriodic = map.isCylindrical && bounds.east - bounds.west >= 359.9;
    const { west, east, south, north } = this.isPeriodic ? map.bounds : this.#boundsOfData();
    // Even, so that maps twice as wide as high have whole rows, too.
    const count = Math.ceil((east - west) / cells.step / 2);
    this.columns = 2 * Math.max(1, Math.min(count || 1, maxColumns / 2));
    [this.#west, this.#north, this.#unit] = [west, north, (east - west) / this.columns];
    this.rows = Math.max(1, Math.ceil((north - south) / this.#unit - 1e-9));
    this.axes = [this.#axis("latitude", this.rows), this.#axis("longitude", this.columns)];
    if (!map.isCylindrical) this.outline = this.#outline();
    if (map.name === "globe") this.turned = (down, across) => this.#turned(down, across);
  }

  /** As [row, column, …]. */
  #outline(): Float64Array {
    return this.map
      .outline()
      .map((_, i, all) =>
        i % 2 === 0 ? (this.#north - all[i + 1]!) / this.#unit : (all[i - 1]! - this.#west) / this.#unit,
      );
  }

  /** Near the poles, meridians turn no faster than at 80 degrees. */
  #turned(down: number, across: number): GlobeCentre {
    const [longitude, latitude] = this.map.centre;
    const width = Math.max(0.17, Math.cos((latitude * Math.PI) / 180));
    const round = (at: number) => Number(at.toFixed(4));
    return {
      meridian: round(turned(longitude - (across * this.#unit) / width)),
      parallel: round(Math.min(90, Math.max(-90, latitude + down * this.#unit))),
    };
  }

  side(longitude: number): number {
    const isDisc = this.outline !== undefined && this.map.name !== "equal-earth";
    return isDisc ? 0 : Math.floor((longitude - this.map.centre[0] + 180) / 360);
  }

  /** An axis whose coordinates are evenly spaced, or not shown. */
  #axis(name: "latitude" | "longitude", length: number): DatasetAxis {
    const axis = { name, length, type: "space", goesUp: false, role: undefined, coordinates: undefined };
    return { ...axis, scale: undefined, translation: undefined } as DatasetAxis;
  }

  /** The part of the map with data. */
  #boundsOfData(): MapBounds {
    const { rows, columns, bounds } = this.cells;
    const { map } = this;
    const isGlobal = bounds.east - bounds.west >= 359.9 && bounds.north - bounds.south > 170;
    if (isGlobal || map.name === "globe") return map.bounds;
    const found = this.#measure({ top: 0, left: 0, bottom: rows, right: columns });
    if (!found) return map.bounds;
    // Beside the edge of the map, outlines may end early.
    const inside = (at: number) => Math.min(Math.max(at, map.bounds.west), map.bounds.east);
    return { ...found, west: inside(found.west), east: inside(found.east) };
  }

  /** Bounds on the map of the outlines of cells, at most some of each row and column; undefined if none is on it. */
  #measure({ top, left, bottom, right }: Rectangle): MapBounds | undefined {
    const places: number[] = [];
    const { cells, map } = this;
    const steps = (from: number, to: number) => {
      const count = Math.min(measured, to - from);
      return Array.from({ length: count }, (_, i) =>
        count < 2 ? from : Math.round(from + (i * (to - 1 - from)) / (count - 1)),
      );
    };
    for (const row of steps(Math.floor(top), Math.ceil(bottom)))
      for (const column of steps(Math.floor(left), Math.ceil(right))) {
        const outline = cells.outline(row * cells.columns + column) ?? [];
        for (let i = 0; i < outline.length; i += 2) {
          const place = map.forward(outline[i]!, outline[i + 1]!);
          if (place) places.push(...place);
        }
      }
    if (places.length === 0) return undefined;
    const [x, y] = [0, 1].map((from) => places.filter((_, i) => i % 2 === from)) as [number[], number[]];
    return { west: Math.min(...x), east: Math.max(...x), south: Math.min(...y), north: Math.max(...y) };
  }

  /** Place in the world of a position in degrees; undefined outside the map. */
  place(longitude: number, latitude: number): { row: number; column: number } | undefined {
    const at = this.map.forward(longitude, latitude);
    return at && { row: (this.#north - at[1]) / this.#unit, column: (at[0] - this.#west) / this.#unit };
  }

  /** Longitude, from −180 to 180, and latitude at a place of the world; undefined outside the map. */
  positionAt(row: number, column: number): readonly [longitude: number, latitude: number] | undefined {
    const [longitudes, latitudes] = [new Float64Array(1), new Float64Array(1)];
    const { map } = this;
    map.inverseRow(
      this.#west + column * this.#unit,
      this.#north - row * this.#unit,
      0,
      longitudes,
      latitudes,
    );
    const [longitude, latitude] = [turned(longitudes[0]!), latitudes[0]!];
    return Number.isNaN(longitude + latitude) ? undefined : [longitude, latitude];
  }

  elementAt(row: number, column: number): ElementPosition | undefined {
    const cell = this.raster({ top: row, bottom: row, left: column, right: column }, 1, 1)[0]!;
    if (cell < 0) return undefined;
    const down = Math.floor(cell / this.cells.columns);
    return { row: down + 0.5, column: cell - down * this.cells.columns + 0.5 };
  }

  placeOf(position: ElementPosition): ElementPosition {
    return placeInCell(this, this.cells, position);
  }

  boundsOf(elements: Rectangle): Rectangle {
    const { rows, columns } = this.cells;
    const { top, left, bottom, right } = elements;
    const isWhole = top <= 0 && left <= 0 && bottom >= rows && right >= columns;
    const found = isWhole ? undefined : this.#measure(elements);
    if (!found) return { top: 0, left: 0, bottom: this.rows, right: this.columns };
    const [x, y] = [this.#west, this.#north];
    return {
      top: (y - found.north) / this.#unit,
      bottom: (y - found.south) / this.#unit,
      left: (found.west - x) / this.#unit,
      right: (found.east - x) / this.#unit,
    };
  }

  partsIn(world: Rectangle): readonly SeenPart[] {
    const cells = this.raster(world, sampled, sampled);
    const isIn = (latitude: number) => {
      const at = this.place(0, latitude);
      if (!at || !this.map.forward(90, latitude)) return false;
      const isDown = at.row >= world.top - 1 && at.row <= world.bottom + 1;
      return (
        isDown && (this.map.isCylindrical || (at.column >= world.left - 1 && at.column <= world.right + 1))
      );
    };
    const samples = { cells, width: sampled, isNorthIn: isIn(90), isSouthIn: isIn(-90) };
    const size = cellSize(cells, this.cells.columns, world);
    return this.cells.parts(samples).map(({ top, left, bottom, right }) => ({
      elements: { top, left, bottom, right },
      world: { top: 0, left: 0, bottom: size.down * (bottom - top), right: size.across * (right - left) },
    }));
  }

  raster(world: Rectangle, width: number, height: number): Int32Array {
    const found = new Int32Array(width * height);
    const [longitudes, latitudes] = [new Float64Array(width), new Float64Array(width)];
    const [down, across] = [(world.bottom - world.top) / height, (world.right - world.left) / width];
    const x = this.#west + (world.left + across / 2) * this.#unit;
    for (let row = 0; row < height; row++) {
      const y = this.#north - (world.top + (row + 0.5) * down) * this.#unit;
      this.map.inverseRow(x, y, across * this.#unit, longitudes, latitudes);
      this.cells.find(longitudes, latitudes, found, row * width);
    }
    return found;
  }

  rasterLines(): undefined {
    return undefined;
  }

  toColumn(element: number): number {
    return element;
  }

  toElement(column: number): number {
    return column;
  }

  columnOf(longitude: number): number | undefined {
    return this.place(longitude, 0)?.column;
  }
}

/** Height and width in world units of cells in the middle of a view, where the map may enlarge them. */
function cellSize(
  cells: Int32Array,
  columns: number,
  { top, bottom, left, right }: Rectangle,
): { down: number; across: number } {
  const part = sampled / 3;
  const steps = [Math.abs(right - left) / sampled, Math.abs(bottom - top) / sampled] as const;
  let [down, across, count] = [0, 0, 0];
  for (let y = part; y < 2 * part; y++)
    for (let x = part; x < 2 * part; x++) {
      const at = y * sampled + x;
      for (const [i, near] of [at + 1, at + sampled].entries()) {
        const [a, b] = [cells[at]!, cells[near]!];
        if (a < 0 || b < 0) continue;
        const rows = Math.floor(b / columns) - Math.floor(a / columns);
        down += Math.abs(rows) / steps[i]!;
        across += Math.abs(b - a - rows * columns) / steps[i]!;
        count += 0.5;
      }
    }
  const size = (sum: number) => (sum > 0 ? count / sum : 1);
  return { down: size(down), across: size(across) };
}
