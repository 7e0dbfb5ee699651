/** A region that was read, seen as rows and columns of numbers. */
import type { Region } from "zarr-wasm";
import { type Leaf, numbersOf, type Part } from "./leaf.js";
import type { SlicePlan } from "./plan.js";
import type { Cell } from "./pointer.js";
import type { Plane } from "./render.js";
import type { ValueRange } from "./settings.js";
import { quantiles, type Statistics, statisticsOf } from "./statistics.js";

/** A read slice: the plan and what came of it. */
export interface Slice {
  readonly plan: SlicePlan;
  readonly region: Region;
}

/** Distance of neighbouring rows and columns in the region, which is in the array's order of axes. */
function stridesOf({ plan, region }: Slice): { rowStride: number; columnStride: number } {
  const inOrder = plan.axes.map(({ axis }) => axis).sort((a, b) => a - b);
  const [down, across] = plan.axes.map(({ axis }) => region.stride[inOrder.indexOf(axis)]!);
  return across === undefined
    ? { rowStride: 0, columnStride: down ?? 0 }
    : { rowStride: down!, columnStride: across };
}

/** Rows and columns of a slice; a line is one row. */
export function gridOf({ plan: { axes } }: Slice): { rows: number; columns: number } {
  const counts = axes.map(({ count }) => count);
  return { rows: counts.length > 1 ? counts[0]! : 1, columns: counts.at(-1) ?? 1 };
}

/** Position of a cell's element in the region. */
export function offsetOf(slice: Slice, { row, column }: Cell): number {
  const { rowStride, columnStride } = stridesOf(slice);
  return row * rowStride + column * columnStride;
}

/** Index of a cell's element in the whole array. */
export function indexOf({ axes }: SlicePlan, index: readonly number[], { row, column }: Cell): number[] {
  const cells = axes.length > 1 ? [row, column] : [column];
  const full = [...index];
  axes.forEach(({ axis, start, step }, i) => {
    full[axis] = start + cells[i]! * step;
  });
  return full;
}

/** The cell that an index of the array lies in, or undefined where it lies outside. */
export function cellOf({ axes }: SlicePlan, index: readonly number[]): Cell | undefined {
  if (axes.some(({ axis, start, stop }) => index[axis]! < start || index[axis]! >= stop)) return undefined;
  const [column, row = 0] = axes
    .map(({ axis, start, step }) => Math.floor((index[axis]! - start) / step))
    .reverse();
  return { row, column: column! };
}

/** The numbers that are drawn, with what the automatic ranges need of them. */
export class Picture {
  readonly plane: Plane;
  readonly statistics: Statistics;
  #percentiles: readonly number[] | undefined;

  constructor(
    readonly slice: Slice,
    readonly leaf: Leaf,
    readonly part: Part,
  ) {
    this.plane = {
      values: numbersOf(slice.region, leaf, part),
      ...gridOf(slice),
      ...stridesOf(slice),
    };
    this.statistics = statisticsOf(this.plane);
  }

  /** Where the colours begin and end; 0 to 1 where there is no finite value to go by. */
  limits(range: ValueRange): readonly [low: number, high: number] {
    if (range.mode === "manual") return [range.low, range.high];
    const { min, max } = this.statistics;
    if (Number.isNaN(min)) return [0, 1];
    if (range.mode === "minmax") return [min, max];
    this.#percentiles ??= quantiles(this.plane, [0.01, 0.99]);
    return this.#percentiles as [number, number];
  }
}
