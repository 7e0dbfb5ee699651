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
  if (!cells.inside.includes(1)) throw new RangeError(text.regionValues.empty);
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
  const cells = cellsOf(source, region);
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
  const cells = cellsOf(source, region);
  const array = await masked(source, region, cells, along);
  const options = reduction(source, region, cells);
  const { mean, min, max } = await reduce(array, { ...options, method: ["mean", "min", "max"] });
  return { mean: mean.data, min: toNumbers(min.data), max: toNumbers(max.data) };
}

const toNumbers = (data: ArrayLike<number | bigint>): Float64Array => Float64Array.from(data, Number);

/** The values of the elements along a line. @throws as {@link regionStatistics} */
export async function lineProfile(source: RegionSource, region: RegionState): Promise<RegionSeries> {
  const cells = cellsOf(source, region);
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
