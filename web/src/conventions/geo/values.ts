/** Reads the values of map tiles. */

import type { ZarrArray } from "../../hierarchy/array.js";
import { bytesOptions, type GetBytesOptions, get } from "../../hierarchy/get.js";
import { type DimensionSelection, type Slice, slice } from "../../plan/selection.js";
import { chunksTouched } from "../../read/read-region.js";
import { checkObject, pickOptions } from "../../util/arguments.js";
import { Limiter, settleAll } from "../../util/async.js";
import {
  describeValue,
  invalidArgument,
  invalidSelection,
  limitExceeded,
  unsupported,
} from "../../util/errors.js";
import { allowListeners } from "../../util/platform.js";
import { firstIndex } from "../../util/search.js";
import type { CellGrid, Cells } from "../cells/grid.js";
import { decodeCF } from "../xarray/cf.js";
import { dimensionsOf } from "../xarray/xarray.js";
import { inverse, mapAxes } from "./axes.js";
import { conversion, findTileParts, type LocatedTile, locateTile, type TilePart } from "./tile.js";
import type { Georeference, ReadTileOptions, TileValues } from "./types.js";

/** 64 MiB of values. */
const maxTileSize = 4096;
const defaultMaxChunks = 4096;
/** Maximum number of parts that are read at a time. */
const parallelParts = 8;

/** Implements `readTile`. */
export async function readValues(
  reference: Georeference,
  tile: readonly [number, number, number],
  options: ReadTileOptions,
): Promise<TileValues | undefined> {
  const place = locateTile(reference, tile, options);
  const { tileSize } = place;
  if (tileSize > maxTileSize)
    throw invalidArgument(`tileSize must be at most ${maxTileSize}, got ${describeValue(tileSize)}`);
  if (reference.cells) return readCellTile(reference, reference.cells, place, options);
  const parts = findTileParts(reference, place);
  if (parts.length === 0) return undefined;
  const { level } = parts[0]!.tile;
  const array = await level.open(options.variable, { signal: options.signal });
  const layout = mapLayout(array, reference, options);
  const plans = parts.map((part) => planPart(layout, part, tileSize));
  const pieces = await readParts(
    array,
    plans.map(({ selection }) => selection),
    options,
  );
  const data = new Float32Array(tileSize * tileSize).fill(Number.NaN);
  // If the data wraps around the world more than once, the widest part is drawn last.
  for (const [i, plan] of [...plans.entries()].reverse()) draw(data, place, plan, pieces[i]!);
  return { data, shape: [tileSize, tileSize], bounds: place.bounds, level, units: pieces[0]!.units };
}

/** Row and column axes of an array, and the indices along the others. */
interface Layout {
  readonly dimensions: Georeference["dimensions"];
  readonly rows: number;
  readonly columns: number;
  readonly selection: readonly DimensionSelection[];
}

function mapLayout(
  array: ZarrArray,
  { dimensions }: Georeference,
  { selection = {} }: ReadTileOptions,
): Layout {
  const names = dimensionsOf(array) ?? array.dimensionNames ?? [];
  const [rows, columns] = mapAxes(dimensions, names, array.shape.length);
  if (rows < 0) throw invalidSelection(`"/${array.path}" has no rows and columns`);
  const indices = otherIndices(array, names, [rows, columns], selection);
  return { dimensions, rows, columns, selection: indices };
}

/** The indices along the dimensions that a tile does not determine. */
function otherIndices(
  array: ZarrArray,
  names: readonly (string | null)[],
  taken: readonly number[],
  selection: object,
): number[] {
  checkObject(selection, "the selection");
  if (!/^(bool|u?int\d|b?float\d)/.test(array.dtype.core))
    throw unsupported(`tiles require numbers, got data type ${array.dtype} at "/${array.path}"`);
  const indices: number[] = new Array(array.shape.length).fill(0);
  for (const [name, index] of Object.entries(selection)) {
    const axis = names.indexOf(name);
    if (axis < 0) throw invalidSelection(`"/${array.path}" has no dimension ${describeValue(name)}`);
    if (taken.includes(axis))
      throw invalidSelection(
        `the tile determines the range along ${describeValue(name)}; omit it from the selection`,
      );
    if (!Number.isSafeInteger(index))
      throw invalidSelection(
        `selection along ${describeValue(name)} must be an index, got ${describeValue(index)}`,
      );
    indices[axis] = index as number;
  }
  return indices;
}

/** Every `step`th element, starting at `first`, relative to a part. */
interface Steps {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** Elements of a part that pixels of the tile need. */
interface PartPlan {
  readonly part: TilePart;
  readonly rows: Steps;
  readonly columns: Steps;
  readonly selection: readonly DimensionSelection[];
  readonly isTransposed: boolean;
}

/** Decoded values of a part. */
interface ReadPart {
  readonly values: ArrayLike<number | bigint>;
  readonly stride: readonly number[];
  readonly units: string | undefined;
}

function planPart(layout: Layout, part: TilePart, tileSize: number): PartPlan {
  const [rows, columns] = part.tile.shape.map((length) => chooseSteps(length, tileSize)) as [Steps, Steps];
  const selectionStart = (name: string) => part.tile.selection[name]?.start ?? 0;
  const selection = [...layout.selection];
  selection[layout.rows] = steppedSlice(selectionStart(layout.dimensions[0]), rows);
  selection[layout.columns] = steppedSlice(selectionStart(layout.dimensions[1]), columns);
  return { part, rows, columns, selection, isTransposed: layout.columns < layout.rows };
}

/** @throws LimitExceeded. */
function checkChunks(
  array: ZarrArray,
  selections: readonly PartPlan["selection"][],
  most = defaultMaxChunks,
): void {
  if (!Number.isSafeInteger(most) || most < 1)
    throw invalidArgument(`maxChunks must be a positive integer, got ${describeValue(most)}`);
  const count = selections.reduce((sum, selection) => sum + chunksTouched(array.reader, selection), 0);
  if (count > most)
    throw limitExceeded(
      `the tile needs ${count} chunks of "/${array.path}", more than the limit of ${most} (maxChunks); add coarser levels, or use larger chunks`,
    );
}

/** Reads all parts. If one fails, waits until no read is in flight. @throws LimitExceeded for too many chunks. */
async function readParts(
  array: ZarrArray,
  selections: readonly PartPlan["selection"][],
  options: ReadTileOptions,
): Promise<ReadPart[]> {
  checkChunks(array, selections, options.maxChunks);
  const controller = new AbortController();
  const { signal } = options;
  const abort = () => controller.abort(signal?.reason);
  if (signal) allowListeners(signal);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  const pieces: ReadPart[] = [];
  const limiter = new Limiter(parallelParts);
  const own = { ...options, signal: controller.signal };
  const reads = selections.map(async (selection, i) => {
    pieces[i] = await limiter.run(() => readPart(array, selection, own), own.signal);
  });
  try {
    await settleAll(reads, (error) => controller.abort(error));
    return pieces;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

async function readPart(
  array: ZarrArray,
  selection: PartPlan["selection"],
  options: ReadTileOptions,
): Promise<ReadPart> {
  const { fillValueIsMissing, validRange } = options;
  const region = await get(array, selection, pickOptions<GetBytesOptions>(options, bytesOptions));
  const { data, units } = decodeCF(array, region, { times: "counts", fillValueIsMissing, validRange });
  return { values: data as ArrayLike<number | bigint>, stride: region.stride, units };
}

// ---- Cells that share one dimension

async function readCellTile(
  { levels: [level] }: Georeference,
  { dimension, grid }: Cells,
  place: LocatedTile,
  options: ReadTileOptions,
): Promise<TileValues | undefined> {
  const { tileSize, bounds } = place;
  const cells = cellsOfPixels(grid, place);
  if (cells.every((cell) => cell < 0)) return undefined;
  const array = await level.open(options.variable, { signal: options.signal });
  const names = dimensionsOf(array) ?? [];
  const axis = names.indexOf(dimension);
  if (array.shape[axis] !== grid.count)
    throw invalidSelection(`"/${array.path}" has other cells than the reference`);
  const indices = otherIndices(array, names, [axis], options.selection ?? {});
  const runs = chunkRuns(cells, array.chunkShape[axis]!, grid.count);
  const selections = runs.map((run) =>
    indices.map((at, i): DimensionSelection => (i === axis ? slice(...run) : at)),
  );
  const pieces = await readParts(array, selections, options);
  const data = new Float32Array(tileSize * tileSize).fill(Number.NaN);
  for (const [at, cell] of cells.entries()) {
    if (cell < 0) continue;
    const run = firstIndex(runs.length, (i) => runs[i]![1] > cell);
    const { values, stride } = pieces[run]!;
    data[at] = Number(values[(cell - runs[run]![0]) * stride[0]!]);
  }
  return { data, shape: [tileSize, tileSize], bounds, level, units: pieces[0]!.units };
}

/** The cells at the centres of pixels; −1 for none. */
function cellsOfPixels(grid: CellGrid, { bounds, tileSize, from }: LocatedTile): Float64Array {
  const [west, south, east, north] = bounds;
  const { longitude, latitude } = conversion(from, "degrees");
  const cells = new Float64Array(tileSize * tileSize);
  for (let j = 0, at = 0; j < tileSize; j++) {
    const y = latitude(north + ((j + 0.5) * (south - north)) / tileSize);
    for (let i = 0; i < tileSize; i++, at++)
      cells[at] = grid.cellAt(longitude(west + ((i + 0.5) * (east - west)) / tileSize), y);
  }
  return cells;
}

/** Intervals of whole chunks that hold the cells. */
function chunkRuns(cells: Float64Array, chunk: number, count: number): [from: number, to: number][] {
  const seen = new Set<number>();
  for (const cell of cells) if (cell >= 0) seen.add(Math.floor(cell / chunk));
  const runs: [from: number, to: number][] = [];
  for (const number of [...seen].sort((a, b) => a - b)) {
    const [from, to] = [number * chunk, Math.min(count, (number + 1) * chunk)];
    const last = runs.at(-1);
    if (last?.[1] === from) last[1] = to;
    else runs.push([from, to]);
  }
  return runs;
}

/** For elements much finer than pixels, reads two to four per pixel along each axis. */
function chooseSteps(length: number, pixels: number): Steps {
  const step = Math.max(1, Math.floor(length / (2 * pixels)));
  const first = (step - 1) >> 1;
  return { first, step, count: Math.ceil((length - first) / step) };
}

const steppedSlice = (start: number, { first, step, count }: Steps): Slice =>
  slice(start + first, start + first + (count - 1) * step + 1, step);

/** Sets each pixel whose centre lies in the part to the element at that point. */
function draw(
  out: Float32Array,
  { bounds, tileSize, from, to }: LocatedTile,
  { part, rows, columns, isTransposed }: PartPlan,
  { values, stride }: ReadPart,
): void {
  const [rowStride, columnStride] = (isTransposed ? [stride[1], stride[0]] : stride) as [number, number];
  const [west, south, east, north] = bounds;
  const { longitude, latitude } = conversion(from, to);
  const along = (start: number, end: number, i: number) => start + ((i + 0.5) * (end - start)) / tileSize;
  const xs = Float64Array.from({ length: tileSize }, (_, i) => longitude(along(west, east, i)) + part.by);
  const ys = Float64Array.from({ length: tileSize }, (_, i) => latitude(along(north, south, i)));
  const [a, b, c, d, e, f] = inverse(part.tile.transform);
  const [height, width] = part.tile.shape;
  for (let j = 0, at = 0; j < tileSize; j++)
    for (let i = 0; i < tileSize; i++, at++) {
      const [x, y] = [xs[i]!, ys[j]!];
      const column = elementAt(a * x + b * y + c, width);
      const row = elementAt(d * x + e * y + f, height);
      if (column < 0 || row < 0) continue;
      const value = values[nearest(row, rows) * rowStride + nearest(column, columns) * columnStride];
      out[at] = Number(value);
    }
}

/** Returns −1 outside the elements. The tolerance makes centres on borders independent of rounding. */
function elementAt(position: number, length: number): number {
  const index = Math.floor(position + 1e-6);
  return index >= 0 && index < length ? index : -1;
}

function nearest(index: number, { first, step, count }: Steps): number {
  return Math.min(Math.max(Math.round((index - first) / step), 0), count - 1);
}
