/** Maps of curvilinear grids: a longitude and a latitude for each element. */
import { angleBetween } from "../base/great-circle.js";
import { linearCoordinates } from "../source/coordinates.js";
import type { DatasetAxis } from "../source/dataset.js";
import type { Rectangle } from "./camera.js";
import { type GridCells, placeInCell, type Samples, sampledRectangle } from "./grid-cells.js";
import type { MapBounds } from "./map-projections.js";
import { type Centres, extentOf, isInside, Mesh, meshBounds } from "./mesh.js";
import type { ElementPosition, Projection, SeenPart } from "./projection.js";

/** Maximum number of cells of the index that guesses the element at a position. */
const maxIndex = 2 ** 22;
/** Index cells per side of a mean element. */
const indexDensity = 2;

/** @returns undefined if no element has a position. */
export function meshCells(centres: Centres): MeshCells | undefined {
  const mesh = new Mesh(centres);
  const bounds = meshBounds(mesh);
  if (!bounds) return undefined;
  const { west, east, south, north } = bounds;
  const area = Math.max(east - west, 1e-6) * Math.max(north - south, 1e-6);
  const columns = Math.max(1, Math.ceil((east - west) / Math.sqrt(area / (centres.rows * centres.columns))));
  const step = (east - west) / columns;
  const rows = Math.max(1, Math.ceil((north - south) / step));
  const axis = (name: string, role: DatasetAxis["role"], length: number, edge: number): DatasetAxis => ({
    name,
    role,
    length,
    type: "space",
    scale: step,
    translation: edge + step / 2,
    coordinates: linearCoordinates(edge + step / 2, step),
    goesUp: role === "latitude",
  });
  const axes = [
    axis("latitude", "latitude", rows, south),
    axis("longitude", "longitude", columns, west),
  ] as const;
  const plane = new MeshProjection(mesh, axes, { west, south, step }, east - west >= 360);
  return new MeshCells(mesh, plane, bounds);
}

/** Position of the world on the map, in degrees. */
interface MapOrigin {
  readonly west: number;
  readonly south: number;
  readonly step: number;
}

/** The cells of a curvilinear grid. */
export class MeshCells implements GridCells {
  readonly rows: number;
  readonly columns: number;
  readonly step: number;
  /** Cells around the poles, whose corners do not bound them; undefined until they are needed. */
  #polar: readonly number[] | undefined;

  constructor(
    private readonly mesh: Mesh,
    /** The plane of the data's own longitudes and latitudes. */
    readonly plane: MeshProjection,
    readonly bounds: MapBounds,
  ) {
    [this.rows, this.columns] = [mesh.rows, mesh.columns];
    this.step = plane.axes[0].scale!;
  }

  find(longitudes: Float64Array, latitudes: Float64Array, cells: Int32Array, from: number): void {
    const { plane } = this;
    for (let i = 0; i < longitudes.length; i++) {
      const [longitude, latitude] = [longitudes[i]!, latitudes[i]!];
      const cell = plane.cellAt(longitude, latitude);
      cells[from + i] = cell < 0 ? this.#nearPole(longitude, latitude) : cell;
    }
  }

  /** The nearest of the cells around a pole, at most 1.5 cells away. */
  #nearPole(longitude: number, latitude: number): number {
    let [nearest, least] = [-1, (1.5 * this.step * Math.PI) / 180];
    if (!(90 - Math.abs(latitude) < 10 * this.step)) return -1;
    this.#polar ??= polarCells(this.mesh);
    for (const cell of this.#polar) {
      const [east, north] = this.mesh.centre(Math.floor(cell / this.columns), cell % this.columns);
      const angle = angleBetween({ longitude, latitude }, { longitude: east, latitude: north });
      if (angle < least) [nearest, least] = [cell, angle];
    }
    return nearest;
  }

  outline(cell: number): Float64Array | undefined {
    return this.mesh.quad(cell);
  }

  parts(samples: Samples): readonly Rectangle[] {
    return sampledRectangle(samples, this.rows, this.columns);
  }
}

/** Cells near a pole that have a centre, but no outline in degrees. */
function polarCells(mesh: Mesh): number[] {
  const found: number[] = [];
  for (let cell = 0; cell < mesh.rows * mesh.columns; cell++) {
    const [longitude, latitude] = mesh.centre(Math.floor(cell / mesh.columns), cell % mesh.columns);
    if (Math.abs(latitude) > 60 && Number.isFinite(longitude) && !mesh.quad(cell)) found.push(cell);
  }
  return found;
}

class MeshProjection implements Projection {
  readonly rows: number;
  readonly columns: number;
  readonly isIdentity = false;
  readonly smallest = 1 / 8;
  /** Elements of a regular grid over the world, −1 for none. */
  readonly #index: Int32Array;
  /** The element found last: neighbouring pixels share it. */
  #last = -1;
  readonly #indexSize: { readonly rows: number; readonly columns: number; readonly perUnit: number };

  constructor(
    private readonly mesh: Mesh,
    readonly axes: readonly [DatasetAxis, DatasetAxis],
    private readonly origin: MapOrigin,
    readonly isPeriodic: boolean,
  ) {
    [this.rows, this.columns] = [axes[0].length, axes[1].length];
    const density = Math.min(indexDensity, Math.sqrt(maxIndex / (this.rows * this.columns)));
    const size = (length: number) => Math.max(1, Math.ceil(length * density));
    this.#indexSize = { rows: size(this.rows), columns: size(this.columns), perUnit: density };
    this.#index = this.#makeIndex();
  }

  /** Every index cell holds the element at its centre, and every element without one marks its own place. */
  #makeIndex(): Int32Array {
    const { rows, columns } = this.#indexSize;
    const index = new Int32Array(rows * columns).fill(-1);
    const [marked, column] = [
      new Int32Array(rows * columns).fill(-1),
      (at: number) => ((at % columns) + columns) % columns,
    ];
    for (let cell = 0; cell < this.mesh.rows * this.mesh.columns; cell++) {
      const quad = this.#worldQuad(cell);
      if (!quad) continue;
      for (let i = 0; i < 8; i++) quad[i]! *= this.#indexSize.perUnit;
      const [[left, right], [top, bottom]] = [extentOf(quad, 0), extentOf(quad, 1)];
      const middle = Math.floor((top + bottom) / 2);
      if (middle >= 0 && middle < rows)
        marked[middle * columns + column(Math.floor((left + right) / 2))] = cell;
      for (let y = Math.max(0, Math.ceil(top - 0.5)); y < Math.min(rows, bottom - 0.5); y++)
        for (let x = Math.ceil(left - 0.5); x < right - 0.5; x++)
          if ((this.isPeriodic || (x >= 0 && x < columns)) && isInside(quad, x + 0.5, y + 0.5))
            index[y * columns + column(x)] = cell;
    }
    return index.map((cell, at) => (cell < 0 ? marked[at]! : cell));
  }

  /** Corners of an element in world units. */
  #worldQuad(cell: number): Float64Array | undefined {
    const quad = this.mesh.quad(cell);
    if (!quad) return undefined;
    const { west, south, step } = this.origin;
    const turn = 360 * Math.floor((quad[0]! - west + 1e-9) / 360);
    for (let i = 0; i < 8; i += 2) {
      quad[i] = (quad[i]! - turn - west) / step;
      quad[i + 1] = (quad[i + 1]! - south) / step;
    }
    return quad;
  }

  /** The element at a position in degrees; −1 outside. */
  cellAt(longitude: number, latitude: number): number {
    const { south, step } = this.origin;
    return Number.isNaN(latitude) ? -1 : this.#exact((latitude - south) / step, this.columnOf(longitude));
  }

  elementAt(row: number, column: number): ElementPosition | undefined {
    const cell = this.#exact(row, column);
    if (cell < 0) return undefined;
    const down = Math.floor(cell / this.mesh.columns);
    return { row: down + 0.5, column: cell - down * this.mesh.columns + 0.5 };
  }

  /** Index cell of a position; −1 outside. */
  #guessAt(row: number, column: number): number {
    const { rows, columns, perUnit } = this.#indexSize;
    const at = this.isPeriodic ? ((column % this.columns) + this.columns) % this.columns : column;
    const [y, x] = [Math.floor(row * perUnit), Math.floor(at * perUnit)];
    return y >= 0 && y < rows && x >= 0 && x < columns ? y * columns + x : -1;
  }

  /** The element at a position: the guess of the index, or one of its neighbours. */
  #exact(row: number, column: number): number {
    const at = this.#guessAt(row, column);
    if (at < 0) return -1;
    const { west, south, step } = this.origin;
    const [longitude, latitude] = [west + column * step, south + row * step];
    if (this.#last >= 0 && this.mesh.contains(this.#last, longitude, latitude)) return this.#last;
    const guess = this.#index[at]!;
    const isRight = guess >= 0 && this.mesh.contains(guess, longitude, latitude);
    this.#last = isRight ? guess : this.#near(at, longitude, latitude);
    return this.#last;
  }

  /** Searches the elements of the surrounding index cells, and their neighbours. */
  #near(at: number, longitude: number, latitude: number): number {
    const { columns } = this.#indexSize;
    const tried = new Set<number>();
    for (const shift of [0, -1, 1, -columns, columns, -columns - 1, -columns + 1, columns - 1, columns + 1]) {
      const guess = this.#index[at + shift];
      if (guess === undefined || guess < 0) continue;
      for (const cell of this.#around(guess)) {
        if (tried.has(cell)) continue;
        tried.add(cell);
        if (this.mesh.contains(cell, longitude, latitude)) return cell;
      }
    }
    return -1;
  }

  /** An element and those that touch it. */
  #around(cell: number): number[] {
    const { rows, columns } = this.mesh;
    const row = Math.floor(cell / columns);
    const column = cell - row * columns;
    const found: number[] = [];
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++)
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++)
        found.push(y * columns + x);
    return found;
  }

  placeOf(position: ElementPosition): ElementPosition {
    return placeInCell(this, this.mesh, position);
  }

  boundsOf({ top, bottom, left, right }: Rectangle): Rectangle {
    const { rows, columns } = this.mesh;
    if (top <= 0 && left <= 0 && bottom >= rows && right >= columns)
      return { top: 0, left: 0, bottom: this.rows, right: this.columns };
    const bounds = {
      top: this.rows,
      left: Number.POSITIVE_INFINITY,
      bottom: 0,
      right: Number.NEGATIVE_INFINITY,
    };
    const add = (row: number, column: number) => {
      const quad = this.#worldQuad(row * columns + column);
      if (!quad) return;
      const [[west, east], [low, high]] = [extentOf(quad, 0), extentOf(quad, 1)];
      bounds.left = Math.min(bounds.left, west);
      bounds.right = Math.max(bounds.right, east);
      bounds.top = Math.min(bounds.top, low);
      bounds.bottom = Math.max(bounds.bottom, high);
    };
    for (let row = top; row < bottom; row++) for (const column of [left, right - 1]) add(row, column);
    for (let column = left; column < right; column++) for (const row of [top, bottom - 1]) add(row, column);
    return bounds.right > bounds.left ? bounds : { top: 0, left: 0, bottom: this.rows, right: this.columns };
  }

  partsIn(world: Rectangle): readonly SeenPart[] {
    const [width, { rows, columns }] = [96, this.mesh];
    const samples = { cells: this.#guesses(world, width, width), width };
    return sampledRectangle(samples, rows, columns).map((elements) => ({ elements, world }));
  }

  raster(world: Rectangle, width: number, height: number): Int32Array {
    const perPixel = Math.abs((world.right - world.left) / width) * this.#indexSize.perUnit;
    // Pixels larger than cells of the index need no exact borders.
    if (perPixel >= 1) return this.#guesses(world, width, height);
    return this.#each(world, width, height, (row, column) => this.#exact(row, column));
  }

  rasterLines(): undefined {
    return undefined;
  }

  #guesses(world: Rectangle, width: number, height: number): Int32Array {
    return this.#each(world, width, height, (row, column) => {
      const at = this.#guessAt(row, column);
      return at < 0 ? -1 : this.#index[at]!;
    });
  }

  #each(
    { top, bottom, left, right }: Rectangle,
    width: number,
    height: number,
    cellAt: (row: number, column: number) => number,
  ): Int32Array {
    const cells = new Int32Array(width * height);
    const [down, across] = [(bottom - top) / height, (right - left) / width];
    for (let y = 0, at = 0; y < height; y++)
      for (let x = 0; x < width; x++, at++)
        cells[at] = cellAt(top + (y + 0.5) * down, left + (x + 0.5) * across);
    return cells;
  }

  toColumn(element: number): number {
    return element;
  }

  toElement(column: number): number {
    return column;
  }

  columnOf(longitude: number): number {
    const { west, step } = this.origin;
    const turned = (((longitude - west) % 360) + 360) % 360;
    return turned / step;
  }
}
