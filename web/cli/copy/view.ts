/** What of an array is copied, in the coordinates of what it is copied to. */

import { type Selection, slice, type ZarrArray } from "zarr-wasm";
import { type AxisRange, type Box, resolveSelection } from "#internal";

/** An array, seen through a selection. Its axes are those of the target. */
export class View {
  /** Per axis of the array. */
  readonly #ranges: readonly AxisRange[];

  private constructor(
    readonly array: ZarrArray,
    ranges: readonly AxisRange[],
  ) {
    this.#ranges = ranges;
  }

  /** @throws InvalidSelection. */
  static of(array: ZarrArray, selection: Selection): View {
    // Of indices and slices there are only ranges.
    return new View(array, resolveSelection(selection, array.shape, array.dimensionNames) as AxisRange[]);
  }

  /** An array that holds what lies from some position on. */
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

  /** Of the array's axes those that the target has. */
  get kept(): readonly number[] {
    return this.#ranges.flatMap(({ dropped }, axis) => (dropped ? [] : [axis]));
  }

  /** Whether it is all of the array. */
  get isWhole(): boolean {
    return this.#ranges.every(
      ({ start, step, count, dropped }, axis) =>
        !dropped && start === 0 && step === 1 && count === this.array.shape[axis]!,
    );
  }

  /** The selection of the array that a box of the target is. */
  selectionOf({ from, to }: Box): Selection {
    let axis = 0;
    return this.#ranges.map(({ start, step, dropped }) => {
      if (dropped) return start;
      const [first, end] = [from[axis]!, to[axis]!];
      axis++;
      return slice(start + first * step, start + (end - 1) * step + 1, step);
    });
  }

  /** The box of the array in which the elements of a box of the target lie. */
  sourceOf({ from, to }: Box): Box {
    const kept = this.kept;
    const bounds = this.#ranges.map(({ start, step, dropped }, axis) => {
      if (dropped) return [start, start + 1] as const;
      const at = kept.indexOf(axis);
      return [start + from[at]! * step, start + (to[at]! - 1) * step + 1] as const;
    });
    return { from: bounds.map(([first]) => first), to: bounds.map(([, end]) => end) };
  }

  /** The part of a box of the array that the target shows, as a box of the target; undefined for none. */
  shownOf({ from, to }: Box): Box | undefined {
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
   * How far the view is moved along each axis, in cells of a length, where it begins and ends where cells do (or the
   * array does); undefined where it does not.
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
