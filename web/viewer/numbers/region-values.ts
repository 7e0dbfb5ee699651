/** Values of regions: statistics, series along another axis, and profiles along lines. */

import { DType, get, slice, type WorkerPool } from "zarr-wasm";
import type { NamedRegion, Statistics } from "zarr-wasm/compute";
import { text } from "../language/text.js";
import {
  cellAt,
  latitudeWeights,
  lineCells,
  type RegionCells,
  regionArea,
  regionCells,
} from "../model/region-shapes.js";
import type { RegionLabels, RegionState } from "../model/regions.js";
import type { RegionSeries } from "../model/series-chart.js";
import type { ViewState } from "../model/state.js";
import type { Dataset, DatasetAxis, Level } from "../source/dataset.js";

/** The array that regions are computed in, as the view shows it. */
export interface RegionSource {
  readonly dataset: Dataset;
  readonly state: Pick<ViewState, "index" | "isRaw">;
  readonly pool: WorkerPool;
  readonly signal: AbortSignal;
}

export interface RegionStatistics extends Statistics {
  /** Square of the unit. Undefined for points and lines, and without units. */
  readonly area: { readonly amount: number; readonly unit: string } | undefined;
}

const planeOf = ({ dataset }: RegionSource, { axes }: RegionState): [DatasetAxis, DatasetAxis] => [
  dataset.axes[axes[0]]!,
  dataset.axes[axes[1]]!,
];

async function cellsOf(source: RegionSource, region: RegionState): Promise<RegionCells> {
  const [down, across] = planeOf(source, region);
  const cells = region.labels
    ? await labelCells(source, region)
    : regionCells(region, down.length, across.length);
  if (!cells.inside.includes(1)) throw new RangeError(text.regions.empty);
  return cells;
}

/** Maximum number of elements of the level in which labels are searched. */
const maxSearched = 2 ** 24;

/** A label image, and its axis for an axis of the picture; −1 for none. */
async function labelImage({ dataset }: RegionSource, { image }: RegionLabels) {
  if (image === "") return { labels: dataset, axisOf: (axis: number) => axis };
  const found = (await dataset.labels?.find())?.find(({ name }) => name === image);
  if (!found) throw new RangeError(text.regions.noLabels(image));
  return { labels: await found.open(), axisOf: (axis: number) => found.imageAxes.indexOf(axis) };
}

/**
 * The elements with some labels. They are searched in the finest level of up to 2^24 elements; in larger images, labels
 * must be in one of the elements around which they are in that level.
 */
async function labelCells(source: RegionSource, region: RegionState): Promise<RegionCells> {
  const { dataset, state, signal } = source;
  const { labels, axisOf } = await labelImage(source, region.labels!);
  const axes = region.axes.map(axisOf) as [number, number];
  if (axes.includes(-1)) throw new RangeError(text.regions.noLabels(region.labels!.image));
  const index = labels.axes.map(
    (_, own) => state.index[dataset.axes.findIndex((_axis, axis) => axisOf(axis) === own)] ?? 0,
  );
  const ids = new Set(region.labels!.ids);
  const lengths = region.axes.map((axis) => dataset.axes[axis]!.length) as [number, number];
  const sizeOf = ({ factor }: Level) =>
    axes.reduce((product, axis) => product * Math.ceil(labels.axes[axis]!.length / factor[axis]!), 1);
  const level = labels.levels.find((one) => sizeOf(one) <= maxSearched) ?? labels.levels.at(-1)!;
  const found = await readLabels(
    level,
    axes,
    index,
    { top: 0, left: 0, rows: lengths[0], columns: lengths[1] },
    ids,
    signal,
  );
  if (level === labels.levels[0]) return found;
  // Coarse elements stand for their neighbours, too.
  const [down, across] = axes.map((axis) => Math.ceil(2 * level.factor[axis]!)) as [number, number];
  const [top, left] = [Math.max(0, found.top - down), Math.max(0, found.left - across)];
  const rows = Math.min(lengths[0], found.top + found.rows + down) - top;
  const columns = Math.min(lengths[1], found.left + found.columns + across) - left;
  return readLabels(labels.levels[0], axes, index, { top, left, rows, columns }, ids, signal);
}

type Bounds = Omit<RegionCells, "inside">;

/** The elements of the picture with some labels of a level, in their bounds. */
async function readLabels(
  level: Level,
  [down, across]: readonly [number, number],
  index: readonly number[],
  { top, left, rows, columns }: Bounds,
  ids: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<RegionCells> {
  const array = await level.open();
  const own = (axis: number, at: number) => {
    const element = Math.floor((at + 0.5 - level.origin[axis]!) / level.factor[axis]!);
    return Math.min(Math.max(element, 0), array.shape[axis]! - 1);
  };
  const [firstRow, firstColumn] = [own(down, top), own(across, left)];
  const selection = index.map((at, axis) => {
    if (axis === down) return slice(firstRow, own(down, top + rows - 1) + 1);
    return axis === across ? slice(firstColumn, own(across, left + columns - 1) + 1) : own(axis, at);
  });
  const { data, stride } = await get(array, selection, { signal });
  const [rowStride, columnStride] = (down < across ? stride : [...stride].reverse()) as [number, number];
  const columnAt = Array.from(
    { length: columns },
    (_, i) => (own(across, left + i) - firstColumn) * columnStride,
  );
  const bounds = { top: top + rows, left: left + columns, bottom: top, right: left };
  const each = (use: (row: number, column: number) => void) => {
    for (let row = 0; row < rows; row++) {
      const start = (own(down, top + row) - firstRow) * rowStride;
      for (let column = 0; column < columns; column++)
        if (ids.has(Number(data[start + columnAt[column]!]))) use(top + row, left + column);
    }
  };
  each((row, column) => {
    bounds.top = Math.min(bounds.top, row);
    bounds.left = Math.min(bounds.left, column);
    bounds.bottom = Math.max(bounds.bottom, row + 1);
    bounds.right = Math.max(bounds.right, column + 1);
  });
  const size = {
    rows: Math.max(0, bounds.bottom - bounds.top),
    columns: Math.max(0, bounds.right - bounds.left),
  };
  const cells = {
    top: bounds.top,
    left: bounds.left,
    ...size,
    inside: new Uint8Array(size.rows * size.columns),
  };
  each((row, column) => {
    cells.inside[cellAt(cells, row, column)!] = 1;
  });
  return cells;
}

/**
 * The elements of a region as a virtual array: those outside are missing.
 * @param along an axis that is kept whole
 */
async function masked(source: RegionSource, region: RegionState, cells: RegionCells, along?: number) {
  const { dataset, state, pool } = source;
  const { expression } = await import("zarr-wasm/compute");
  const dimensionNames = dataset.axes.map((_, axis) => `a${axis}`);
  const [down, across] = region.axes;
  const selection = state.index.map((at, axis) => {
    if (axis === along) return slice(null);
    if (axis === down) return slice(cells.top, cells.top + cells.rows);
    return axis === across ? slice(cells.left, cells.left + cells.columns) : at;
  });
  const mask: NamedRegion = {
    data: cells.inside,
    shape: [cells.rows, cells.columns],
    stride: [cells.columns, 1],
    dtype: DType.simple("uint8"),
    dimensionNames: [`a${down}`, `a${across}`],
  };
  return expression(
    "where(inside, values, nan)",
    { values: { array: dataset.array, selection, dimensionNames }, inside: mask },
    { pool, ...(state.isRaw ? { decode: false } : {}) },
  );
}

/** Options of a reduction over a region. Means are weighted by latitude; undefined weights are equal. */
function reduction(source: RegionSource, region: RegionState, cells: RegionCells) {
  const found = latitudeWeights(cells, planeOf(source, region));
  const weights = found && {
    data: found.values,
    dimensionNames: [`a${region.axes[found.axis]}`],
  };
  return { over: region.axes.map((axis) => `a${axis}`), weights, signal: source.signal };
}

/** @throws RangeError for regions without elements, or with too many; the errors of `expression` and `statistics` */
export async function regionStatistics(source: RegionSource, region: RegionState): Promise<RegionStatistics> {
  const { reduce, statistics } = await import("zarr-wasm/compute");
  const cells = await cellsOf(source, region);
  const array = await masked(source, region, cells);
  const options = reduction(source, region, cells);
  const [found, weighted] = await Promise.all([
    statistics(array, null, { bins: 64, signal: source.signal }),
    options.weights && reduce(array, { ...options, method: "mean" }),
  ]);
  const isArea = region.kind !== "point" && region.kind !== "line";
  return {
    ...found,
    mean: weighted?.data[0] ?? found.mean,
    area: isArea ? regionArea(cells, planeOf(source, region)) : undefined,
  };
}

/** @throws as {@link regionStatistics} */
export async function regionSeries(
  source: RegionSource,
  region: RegionState,
  along: number,
): Promise<RegionSeries> {
  const { reduce } = await import("zarr-wasm/compute");
  const cells = await cellsOf(source, region);
  const array = await masked(source, region, cells, along);
  const options = reduction(source, region, cells);
  const { mean, min, max } = await reduce(array, { ...options, method: ["mean", "min", "max"] });
  return { mean: mean.data, min: toNumbers(min.data), max: toNumbers(max.data) };
}

const toNumbers = (data: ArrayLike<number | bigint>): Float64Array => Float64Array.from(data, Number);

/** The values of the elements along a line. @throws as {@link regionStatistics} */
export async function lineProfile(source: RegionSource, region: RegionState): Promise<RegionSeries> {
  const cells = await cellsOf(source, region);
  const array = await masked(source, region, cells);
  const { data } = await get(array, null, { signal: source.signal });
  const isTurned = array.dimensionNames?.[0] !== `a${region.axes[0]}`;
  const values = lineCells(region.points[0]!, region.points[1]!).map(([row, column]) => {
    const at = cellAt(cells, row, column);
    if (at === undefined) return Number.NaN;
    return Number(data[isTurned ? (column - cells.left) * cells.rows + row - cells.top : at]);
  });
  return { mean: values, min: values, max: values };
}
