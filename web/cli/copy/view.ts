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
