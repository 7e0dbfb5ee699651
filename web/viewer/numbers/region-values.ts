/** Values of regions: statistics, series along another axis, and profiles along lines. */
import { get, slice, type WorkerPool } from "zarr-wasm";
import type { NamedRegion, Statistics } from "zarr-wasm/compute";
import {
  latitudeWeights,
  lineCells,
  type RegionCells,
  regionArea,
  regionCells,
} from "../model/region-shapes.js";
import type { RegionState } from "../model/regions.js";
import type { RegionSeries } from "../model/series-chart.js";
import type { ViewState } from "../model/state.js";
import type { Dataset, DatasetAxis } from "../source/dataset.js";

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

function cellsOf(source: RegionSource, region: RegionState): RegionCells {
  const [down, across] = planeOf(source, region);
  const cells = regionCells(region, down.length, across.length);
  if (!cells.inside.includes(1)) throw new RangeError("The region contains no element of the array");
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
    dtype: await maskType(),
    dimensionNames: [`a${down}`, `a${across}`],
  };
  return expression(
    "where(inside, values, nan)",
    { values: { array: dataset.array, selection, dimensionNames }, inside: mask },
    { pool, ...(state.isRaw ? { decode: false } : {}) },
  );
}

let uint8: Promise<NamedRegion["dtype"]> | undefined;
/** The type of masks. */
const maskType = () =>
  (uint8 ??= import("zarr-wasm").then(async ({ create }) => {
    const array = await create(new Map(), { shape: [1], dtype: "uint8" });
    return array.dtype;
  }));

/** The mean weighted by latitude; undefined if all elements weigh the same. */
async function weightedMean(
  source: RegionSource,
  region: RegionState,
  cells: RegionCells,
  array: Awaited<ReturnType<typeof masked>>,
): Promise<ArrayLike<number> | undefined> {
  const weights = latitudeWeights(cells, planeOf(source, region));
  if (!weights) return undefined;
  const { reduce } = await import("zarr-wasm/compute");
  const { data } = await reduce(array, {
    method: "mean",
    over: region.axes.map((axis) => `a${axis}`),
    weights: { data: weights.values, dimensionNames: [`a${region.axes[weights.axis]}`] },
    signal: source.signal,
  });
  return data;
}

/** @throws RangeError for regions without elements, or with too many; the errors of `expression` and `statistics` */
export async function regionStatistics(source: RegionSource, region: RegionState): Promise<RegionStatistics> {
  const { statistics } = await import("zarr-wasm/compute");
  const cells = cellsOf(source, region);
  const array = await masked(source, region, cells);
  const [found, mean] = await Promise.all([
    statistics(array, null, { bins: 64, signal: source.signal }),
    weightedMean(source, region, cells, array),
  ]);
  const isArea = region.kind !== "point" && region.kind !== "line";
  return {
    ...found,
    mean: mean?.[0] ?? found.mean,
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
  const cells = cellsOf(source, region);
  const array = await masked(source, region, cells, along);
  const over = region.axes.map((axis) => `a${axis}`);
  const [{ mean, min, max }, weighted] = await Promise.all([
    reduce(array, { method: ["mean", "min", "max"], over, signal: source.signal }),
    weightedMean(source, region, cells, array),
  ]);
  return { mean: weighted ?? mean.data, min: toNumbers(min.data), max: toNumbers(max.data) };
}

const toNumbers = (data: ArrayLike<number | bigint>): Float64Array => Float64Array.from(data, Number);

/** The values of the elements along a line. @throws as {@link regionStatistics} */
export async function lineProfile(source: RegionSource, region: RegionState): Promise<RegionSeries> {
  const cells = cellsOf(source, region);
  const array = await masked(source, region, cells);
  const { data } = await get(array, null, { signal: source.signal });
  const isTurned = array.dimensionNames?.[0] !== `a${region.axes[0]}`;
  const values = lineCells(region.points[0]!, region.points[1]!).map(([row, column]) => {
    const [y, x] = [row - cells.top, column - cells.left];
    if (y < 0 || x < 0 || y >= cells.rows || x >= cells.columns) return Number.NaN;
    return Number(data[isTurned ? x * cells.rows + y : y * cells.columns + x]);
  });
  return { mean: values, min: values, max: values };
}
