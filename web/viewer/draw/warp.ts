/** Draws planes at their coordinates: gathers the elements under the pixels into one tile. */
import type { Numbers, Plane } from "../base/plane.js";
import type { Rectangle } from "../model/camera.js";
import type { Projection } from "../model/projection.js";
import type { Tile, TileGap } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import { placing } from "./placing.js";

/** Pixels over a plane: their number, the rectangle of the world that they cover, and their elements. */
interface Raster {
  readonly width: number;
  readonly height: number;
  /** In the coordinates of the view. */
  readonly world: Rectangle;
  readonly cells: Int32Array;
  /** Positions of its rows and columns in elements; undefined for curvilinear grids. */
  readonly lines: ReturnType<Projection["rasterLines"]>;
  readonly isPeriodic: boolean;
  /** Place of the raster, pixels per side of a device pixel, and whether rows go up. */
  readonly pixels: {
    readonly left: number;
    readonly top: number;
    readonly grain: number;
    readonly isUp: boolean;
  };
  /** Numbers of rows and columns of the plane. */
  readonly plane: Size;
  /** World units per pixel. */
  readonly step: { readonly down: number; readonly across: number };
  /** Distance in pixels of the first pixel from the world's corner. */
  readonly at: { readonly row: number; readonly column: number };
  /** The pixels of the raster before that are at the same places of the world. */
  readonly kept: Kept | undefined;
}

/** Pixels that two rasters share: their place in the later one, its distance from that in the earlier one. */
interface Kept {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  readonly down: number;
  readonly across: number;
  /** Width of the earlier raster. */
  readonly width: number;
}

/** Elements per pixel above which two samples per side are taken. */
const dense = 1.5;

/** Numbers of rows and columns. */
interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Places the tiles of views; keeps the raster and the tiles of the latest one. */
export class Warping {
  #raster: { readonly key: string; readonly projection: Projection; readonly raster: Raster } | undefined;
  /** The results by the tiles that they were made of. */
  #made = new Map<string, Tile>();

  /** @param forget called with the block of a tile that is no longer needed */
  constructor(private readonly forget: (blockKey: string) => void) {}

  /**
   * Begins a frame. @param plane number of rows and columns of elements
   * @returns a function that turns the tiles of a layer into one over the visible part of the world
   */
  begin(
    projection: Projection,
    view: Viewpoint,
    plane: Size,
  ): (tiles: readonly Tile[], isSmooth: boolean) => readonly Tile[] {
    const key = JSON.stringify([view, plane]);
    let former: ReadonlyMap<string, Tile> = new Map();
    if (this.#raster?.key !== key || this.#raster.projection !== projection) {
      const before = this.#raster?.projection === projection ? this.#raster.raster : undefined;
      this.#raster = { key, projection, raster: makeRaster(projection, view, plane, before) };
      if (this.#raster.raster.kept) former = new Map(this.#made);
      this.#drop(this.#made);
    }
    const { raster } = this.#raster;
    const before = this.#made;
    this.#made = new Map();
    queueMicrotask(() => this.#drop(before));
    return (tiles, isSmooth) => {
      const name = JSON.stringify([isSmooth, tiles.map(({ key, world }) => [key, world])]);
      const tile =
        before.get(name) ?? this.#made.get(name) ?? warped(tiles, raster, isSmooth, former.get(name));
      before.delete(name);
      if (!tile) return [];
      this.#made.set(name, tile);
      return [tile];
    };
  }

  /** Paints the pixels of the frame that have no element: unlike missing values, they are not part of the plane. */
  fillOutside(context: CanvasRenderingContext2D, colour: string): void {
    const { cells, width, height, lines, pixels } = this.#raster!.raster;
    if (lines) return;
    const { left, top, grain, isUp } = pixels;
    context.beginPath();
    for (let y = 0; y < height; y += grain)
      for (let x = 0, from = -1; x <= width; x += grain) {
        const isOut = x < width && cells[y * width + x]! < 0;
        if (isOut && from < 0) from = x;
        if (isOut || from < 0) continue;
        const row = (isUp ? height - grain - y : y) / grain;
        context.rect(left + from / grain, top + row, (x - from) / grain, 1);
        from = -1;
      }
    context.fillStyle = colour;
    context.fill();
  }

  #drop(tiles: Map<string, Tile>): void {
    for (const { block } of tiles.values()) this.forget(block.key);
    tiles.clear();
  }
}

/** The raster of the part of the world in view, bounded by whole device pixels. */
function makeRaster(projection: Projection, view: Viewpoint, plane: Size, before?: Raster): Raster {
  const { place, exact, width: most, height: highest } = placing(view);
  const unit = place({ top: 0, left: 0, bottom: projection.rows, right: projection.columns });
  const [left, right] = [Math.max(0, unit.left), Math.min(most, unit.right)];
  const [low, high] = [
    Math.max(0, Math.min(unit.top, unit.bottom)),
    Math.min(highest, Math.max(unit.top, unit.bottom)),
  ];
  const corner = exact({ top: 0, left: 0, bottom: 1, right: 1 });
  // Not by differences of places, which vary when the view is moved.
  const across = view.camera.scale * view.ratio;
  const down = across * view.aspect;
  const edges = [low, high].map((y) => (y - corner.top) / down).sort((a, b) => a - b) as [number, number];
  const world = {
    top: edges[0],
    bottom: edges[1],
    left: (left - corner.left) / across,
    right: (right - corner.left) / across,
  };
  const [columns, rows] = [Math.max(0, right - left), Math.max(0, high - low)];
  const share =
    ((world.right - world.left) * (world.bottom - world.top)) / (projection.rows * projection.columns);
  // Maps show the elements at the centres of pixels.
  const isMap = projection.geo !== undefined;
  const grain = !isMap && (plane.rows * plane.columns * share) / (columns * rows) > dense ? 2 : 1;
  const [width, height] = [columns * grain, rows * grain];
  const shift = view.shift ?? 0;
  const shifted = { ...world, left: world.left + shift, right: world.right + shift };
  const step = { down: 1 / Math.abs(down) / grain, across: 1 / across / grain };
  const at = { row: shifted.top / step.down, column: shifted.left / step.across };
  const sized = { width, height, step, at };
  const kept = before && keptPixels(before, sized);
  return {
    ...sized,
    world,
    kept,
    cells: kept
      ? extended(projection, kept, before!.cells, sized, shifted)
      : projection.raster(shifted, width, height),
    lines: projection.rasterLines(shifted, width, height),
    isPeriodic: projection.isPeriodic,
    pixels: { left, top: low, grain, isUp: down < 0 },
    plane,
  };
}

type Sized = Pick<Raster, "width" | "height" | "step" | "at">;

/** @returns undefined unless the view has moved by whole pixels, by less than its size */
function keptPixels(before: Raster, { width, height, step, at }: Sized): Kept | undefined {
  const isSame = (a: number, b: number) => Math.abs(a - b) <= 1e-12 * Math.abs(a);
  if (!isSame(before.step.down, step.down) || !isSame(before.step.across, step.across)) return undefined;
  const moved = [at.row - before.at.row, at.column - before.at.column] as const;
  const [down, across] = moved.map(Math.round) as [number, number];
  if (Math.abs(moved[0] - down) > 1e-6 || Math.abs(moved[1] - across) > 1e-6) return undefined;
  const [top, bottom] = [Math.max(0, -down), Math.min(height, before.height - down)];
  const [left, right] = [Math.max(0, -across), Math.min(width, before.width - across)];
  const isOver = bottom > top && right > left;
  return isOver ? { top, bottom, left, right, down, across, width: before.width } : undefined;
}

/** Copies the known pixels, and looks up the cells of the others: the rows above and below, and both sides. */
function extended(
  projection: Projection,
  kept: Kept,
  known: Int32Array,
  { width, height, step }: Sized,
  world: Rectangle,
): Int32Array {
  const cells = new Int32Array(width * height);
  const { top, bottom, left, right } = kept;
  keepPixels(known, cells, width, kept);
  const add = (first: number, end: number, from: number, to: number) => {
    if (end <= first || to <= from) return;
    const part = {
      top: world.top + first * step.down,
      bottom: world.top + end * step.down,
      left: world.left + from * step.across,
      right: world.left + to * step.across,
    };
    const own = projection.raster(part, to - from, end - first);
    for (let row = first, at = 0; row < end; row++, at += to - from)
      cells.set(own.subarray(at, at + to - from), row * width + from);
  };
  add(0, top, 0, width);
  add(bottom, height, 0, width);
  add(top, bottom, 0, left);
  add(top, bottom, right, width);
  return cells;
}

let count = 0;

function keepPixels<T extends Int32Array | Float32Array | Float64Array>(
  from: T,
  to: T,
  width: number,
  { top, bottom, left, right, down, across, width: before }: Kept,
): void {
  for (let row = top; row < bottom; row++) {
    const start = (row + down) * before + left + across;
    to.set(from.subarray(start, start + right - left), row * width + left);
  }
}

/** One tile of the elements under the pixels of a raster; NaN for unread elements. Later tiles cover earlier ones. */
function warped(
  tiles: readonly Tile[],
  raster: Raster,
  isSmooth: boolean,
  former: Tile | undefined,
): Tile | undefined {
  const { width, height, cells, world, plane: size } = raster;
  if (tiles.length === 0 || cells.length === 0) return undefined;
  const owners = new Owners(tiles);
  const values = pixelValues(tiles, cells.length);
  const gaps: TileGap[] = [];
  let [before, value] = [-1, Number.NaN];
  let gap: TileGap["kind"] | undefined;
  const kept = isSmooth || former?.gaps.length !== 0 ? undefined : raster.kept;
  if (kept) keepPixels(former!.plane.values as typeof values, values, width, kept);
  for (let at = 0; at < cells.length; at++) {
    while (kept && at % width === kept.left && at >= kept.top * width && at < kept.bottom * width)
      at += kept.right - kept.left;
    if (at >= cells.length) break;
    const cell = cells[at]!;
    if (cell !== before) {
      before = cell;
      const [row, column] = [Math.floor(cell / size.columns), cell % size.columns];
      value = cell < 0 ? Number.NaN : owners.valueAt(row, column);
      gap = cell >= 0 && Number.isNaN(value) ? owners.gapAt(row, column) : undefined;
    }
    values[at] = value;
    if (gap) addGap(gaps, gap, Math.floor(at / width), at % width);
  }
  if (isSmooth) interpolate(values, owners, raster);
  return gatheredTile(values, { width, height, world }, tiles[0]!, stacked(gaps));
}

/** Adds a pixel without data to the run that ends beside it, or to a new one. */
function addGap(gaps: TileGap[], kind: TileGap["kind"], row: number, column: number): void {
  const last = gaps.at(-1);
  const isBeside = last?.kind === kind && last.rows[0] === row && last.columns[1] === column;
  const from = isBeside ? gaps.pop()!.columns[0] : column;
  gaps.push({ kind, rows: [row, row + 1], columns: [from, column + 1] });
}

/** Joins runs of the same columns in consecutive rows. */
function stacked(runs: readonly TileGap[]): TileGap[] {
  const joined = new Map<string, TileGap>();
  for (const run of runs) {
    const [from, to] = run.columns;
    const above = joined.get(`${run.kind} ${run.rows[0]} ${from} ${to}`);
    joined.delete(`${run.kind} ${run.rows[0]} ${from} ${to}`);
    const rows = [above?.rows[0] ?? run.rows[0], run.rows[1]] as const;
    joined.set(`${run.kind} ${rows[1]} ${from} ${to}`, { ...run, rows });
  }
  return [...joined.values()];
}

/** A tile of gathered values. @param like one of the tiles that they are from */
function gatheredTile(
  values: Float32Array | Float64Array,
  { width, height, world }: Pick<Raster, "width" | "height" | "world">,
  like: Tile,
  gaps: readonly TileGap[] = [],
): Tile {
  const key = `warped ${++count}`;
  const shape = [height, width];
  const region = { ...like.block.region, data: values, shape, stride: [width, 1] };
  const plane: Plane = { values, offset: 0, rows: height, columns: width, rowStride: width, columnStride: 1 };
  return {
    key,
    level: 0,
    world,
    plane,
    block: { key, start: [0, 0], region, gaps: [], bytes: values.byteLength },
    offsetOf: (row, column) => row * width + column,
    origin: [0, 0],
    gaps,
  };
}

/**
 * Replaces values by those on planes through the centres of the four nearest elements. Beside an element without
 * a number, and at the edges, the nearest element keeps its value.
 */
function interpolate(values: Float32Array | Float64Array, owners: Owners, raster: Raster): void {
  const { lines, width, height, isPeriodic, plane } = raster;
  if (!lines) return;
  const columnAt = (column: number) =>
    isPeriodic ? (column + plane.columns) % plane.columns : Math.min(Math.max(column, 0), plane.columns - 1);
  const rowAt = (row: number) => Math.min(Math.max(row, 0), plane.rows - 1);
  for (let y = 0, at = 0; y < height; y++) {
    const down = lines.rows[y]! - 0.5;
    const row = Math.floor(down);
    const [top, bottom] = [rowAt(row), rowAt(row + 1)];
    const below = down - row;
    let [before, a, b, c, d] = [Number.NaN, 0, 0, 0, 0];
    for (let x = 0; x < width; x++, at++) {
      const across = lines.columns[x]! - 0.5;
      const column = Math.floor(across);
      if (column !== before) {
        before = column;
        const [left, right] = [columnAt(column), columnAt(column + 1)];
        [a, b] = [owners.valueAt(top, left), owners.valueAt(top, right)];
        [c, d] = [owners.valueAt(bottom, left), owners.valueAt(bottom, right)];
      }
      const beside = across - column;
      const value = (1 - below) * ((1 - beside) * a + beside * b) + below * ((1 - beside) * c + beside * d);
      if (Number.isFinite(value) && raster.cells[at]! >= 0) values[at] = value;
    }
  }
}

/** Singles hold small integers exactly; others need doubles. */
function pixelValues(tiles: readonly Tile[], length: number): Float32Array | Float64Array {
  const isExact = ({ plane: { values } }: Tile) =>
    values.BYTES_PER_ELEMENT <= 2 || values instanceof Float32Array;
  return tiles.every(isExact) ? new Float32Array(length) : new Float64Array(length);
}

/** A tile as a source of values. */
interface Source {
  readonly values: Numbers;
  readonly plane: Plane;
  readonly top: number;
  readonly left: number;
  /** Elements of the tile per element of level 0. */
  readonly down: number;
  readonly across: number;
}

/** Owner of elements that cannot be read. */
const damaged = 0xffffffff;

/** Finds the tile of an element: the edges of all tiles divide the plane into rectangles with one tile each. */
class Owners {
  readonly #sources: readonly Source[];
  readonly #rows: Intervals;
  readonly #columns: Intervals;
  /** One more than the number of the tile of each rectangle; 0 for none, or `damaged`. */
  readonly #owner: Uint32Array;

  constructor(tiles: readonly Tile[]) {
    this.#sources = tiles.map(({ plane, world }) => ({
      values: plane.values,
      plane,
      top: world.top,
      left: world.left,
      down: plane.rows / (world.bottom - world.top),
      across: plane.columns / (world.right - world.left),
    }));
    const parts = [...tiles.map(({ world }) => world), ...tiles.flatMap(damagedParts)];
    this.#rows = new Intervals(parts.flatMap(({ top, bottom }) => [top, bottom]));
    this.#columns = new Intervals(parts.flatMap(({ left, right }) => [left, right]));
    this.#owner = new Uint32Array(this.#rows.count * this.#columns.count);
    for (const [i, tile] of tiles.entries()) {
      this.#own(tile.world, i + 1);
      for (const part of damagedParts(tile)) this.#own(part, damaged);
    }
  }

  #own({ top, bottom, left, right }: Rectangle, owner: number): void {
    for (let y = this.#rows.indexOf(top); y < this.#rows.indexOf(bottom); y++)
      for (let x = this.#columns.indexOf(left); x < this.#columns.indexOf(right); x++)
        this.#owner[y * this.#columns.count + x] = owner;
  }

  #ownerAt(row: number, column: number): number {
    const [y, x] = [this.#rows.at(row + 0.5), this.#columns.at(column + 0.5)];
    return y < 0 || x < 0 ? 0 : this.#owner[y * this.#columns.count + x]!;
  }

  gapAt(row: number, column: number): "damaged" | "unread" | undefined {
    const owner = this.#ownerAt(row, column);
    return owner === damaged ? "damaged" : owner === 0 ? "unread" : undefined;
  }

  valueAt(row: number, column: number): number {
    const owner = this.#ownerAt(row, column);
    if (owner === 0 || owner === damaged) return Number.NaN;
    const { values, plane, top, left, down, across } = this.#sources[owner - 1]!;
    const own = Math.floor((row + 0.5 - top) * down);
    const along = Math.floor((column + 0.5 - left) * across);
    return values[plane.offset + own * plane.rowStride + along * plane.columnStride]!;
  }
}

/** The unreadable parts of a tile, in elements of level 0. */
function damagedParts({ gaps, plane, world }: Tile): Rectangle[] {
  const [down, across] = [
    (world.bottom - world.top) / plane.rows,
    (world.right - world.left) / plane.columns,
  ];
  return gaps
    .filter(({ kind }) => kind === "damaged")
    .map(({ rows, columns }) => ({
      top: world.top + rows[0] * down,
      bottom: world.top + rows[1] * down,
      left: world.left + columns[0] * across,
      right: world.left + columns[1] * across,
    }));
}

/** Intervals between sorted edges. */
class Intervals {
  readonly #edges: readonly number[];
  /** The interval of the last position: neighbouring pixels share it. */
  #last = 0;

  constructor(edges: readonly number[]) {
    this.#edges = [...new Set(edges)].sort((a, b) => a - b);
  }

  get count(): number {
    return Math.max(0, this.#edges.length - 1);
  }

  indexOf(edge: number): number {
    return this.#edges.findIndex((at) => at >= edge);
  }

  /** Index of the interval that holds a position; −1 outside. */
  at(position: number): number {
    const edges = this.#edges;
    const last = this.#last;
    if (position >= edges[last]! && position < edges[last + 1]!) return last;
    if (!(position >= edges[0]! && position < edges.at(-1)!)) return -1;
    let [first, end] = [0, edges.length - 2];
    while (first < end) {
      const middle = (first + end + 1) >> 1;
      if (edges[middle]! <= position) first = middle;
      else end = middle - 1;
    }
    this.#last = first;
    return first;
  }
}
