/** The part of an array that is copied. */

import type { ZarrArray } from "../hierarchy/array.js";
import { type AxisRange, resolveSelection, type Selection, slice } from "../plan/selection.js";
import { invalidSelection } from "../util/errors.js";
import type { Box } from "../util/shapes.js";

/** A selection of an array, with the axes of the target. */
export class View {
  /** Per axis of the array. */
  readonly #ranges: readonly AxisRange[];

  private constructor(
    readonly array: ZarrArray,
    ranges: readonly AxisRange[],
  ) {
    this.#ranges = ranges;
  }

  /** @throws InvalidSelection, also for lists of indices. */
  static of(array: ZarrArray, selection: Selection): View {
    const ranges = resolveSelection(selection, array.shape, array.dimensionNames);
    if (ranges.every((range) => "step" in range)) return new View(array, ranges as AxisRange[]);
    throw invalidSelection("`select` must contain indices and slices, got a list of indices");
  }

  /** An array whose first element lies at a position of the target. */
  static from(array: ZarrArray, origin: readonly number[]): View {
    const ranges = array.shape.map((count, axis) => ({
      start: -origin[axis]!,
      step: 1,
      count,
      dropped: false,
    }));
    return new View(array, ranges);
  }

  get shape(): number[] {
    return this.axes.map(({ count }) => count);
  }

  /** The ranges that are axes of the target. */
  get axes(): readonly AxisRange[] {
    return this.#ranges.filter(({ dropped }) => !dropped);
  }

  /** Axes of the array that the target has. */
  get kept(): readonly number[] {
    return this.#ranges.flatMap(({ dropped }, axis) => (dropped ? [] : [axis]));
  }

  /** Whether all of the array is selected. */
  get isWhole(): boolean {
    return this.#ranges.every(
      ({ start, step, count, dropped }, axis) =>
        !dropped && start === 0 && step === 1 && count === this.array.shape[axis]!,
    );
  }

  /** Selection of the array for a box of the target. */
  selectionFor({ from, to }: Box): Selection {
    let axis = 0;
    return this.#ranges.map(({ start, step, dropped }) => {
      if (dropped) return start;
      const [first, end] = [from[axis]!, to[axis]!];
      axis++;
      return slice(start + first * step, start + (end - 1) * step + 1, step);
    });
  }

  /** Bounding box in the array of a box of the target. */
  sourceBox({ from, to }: Box): Box {
    const kept = this.kept;
    const bounds = this.#ranges.map(({ start, step, dropped }, axis) => {
      if (dropped) return [start, start + 1] as const;
      const at = kept.indexOf(axis);
      return [start + from[at]! * step, start + (to[at]! - 1) * step + 1] as const;
    });
    return { from: bounds.map(([first]) => first), to: bounds.map(([, end]) => end) };
  }

  /** Part of a box of the array that is selected, as a box of the target; undefined if it is empty. */
  targetBox({ from, to }: Box): Box | undefined {
    const bounds: (readonly [first: number, end: number])[] = [];
    for (const [axis, { start, step, count, dropped }] of this.#ranges.entries()) {
      if (dropped && (start < from[axis]! || start >= to[axis]!)) return undefined;
      const first = Math.max(0, Math.ceil((from[axis]! - start) / step));
      const end = Math.min(count, Math.ceil((to[axis]! - start) / step));
      if (!dropped && first >= end) return undefined;
      if (!dropped) bounds.push([first, end]);
    }
    return { from: bounds.map(([first]) => first), to: bounds.map(([, end]) => end) };
  }

  /**
   * Start of the selection along each axis, in cells of a length. Undefined if it does not consist of whole cells, of
   * which the last ones may be cut off by the end of the array.
   */
  cellOffsets(cell: readonly number[]): number[] | undefined {
    if (this.isWhole) return cell.map(() => 0);
    const { shape, spec } = this.array;
    const fits = this.#ranges.every(
      ({ start, step, count, dropped }, axis) =>
        !dropped &&
        step === 1 &&
        start % cell[axis]! === 0 &&
        (start + count === shape[axis]! || count % cell[axis]! === 0),
    );
    return fits && spec.isRegular ? this.#ranges.map(({ start }, axis) => start / cell[axis]!) : undefined;
  }
}
