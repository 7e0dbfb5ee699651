/** Divides a level into blocks that are processed one by one. */
import { countOf } from "../../../util/strides.js";

/** A box of `shape` elements from `start` along each axis. */
export interface Box {
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

/** A grid of blocks over a shape. */
export class Blocks {
  readonly #grid: readonly number[];
  readonly count: number;

  constructor(
    private readonly whole: readonly number[],
    private readonly block: readonly number[],
  ) {
    this.#grid = whole.map((length, axis) => Math.ceil(length / block[axis]!));
    this.count = countOf(this.#grid);
  }

  /** Returns a block by its number in C order, clipped to the shape. */
  at(index: number): Box {
    const position = new Array<number>(this.block.length);
    let rest = index;
    for (let axis = this.block.length - 1; axis >= 0; axis--) {
      position[axis] = rest % this.#grid[axis]!;
      rest = Math.floor(rest / this.#grid[axis]!);
    }
    return this.box(position);
  }

  /** Returns the number of a block in C order. */
  indexOf(position: readonly number[]): number {
    return position.reduce((index, at, axis) => index * this.#grid[axis]! + at, 0);
  }

  /** Returns the positions of the blocks that hold elements from `from` (inclusive) to `to` (exclusive). */
  around(from: readonly number[], to: readonly number[]): { from: number[]; to: number[] } {
    const block = (at: number, axis: number) => at / this.block[axis]!;
    return {
      from: from.map((at, axis) => Math.floor(block(at, axis))),
      to: to.map((at, axis) => Math.min(this.#grid[axis]!, Math.ceil(block(at, axis)))),
    };
  }

  /** Returns a block by its position in the grid, clipped to the shape. */
  box(position: readonly number[]): Box {
    const start = position.map((at, axis) => at * this.block[axis]!);
    const shape = start.map((from, axis) => Math.min(this.block[axis]!, this.whole[axis]! - from));
    return { start, shape };
  }

  /**
   * Returns the number of units (such as chunks) in the first `blocks` blocks. Each block consists of whole
   * units.
   */
  unitsBefore(blocks: number, unit: readonly number[]): number {
    const unitsIn = (axis: number, from: number, to: number) => {
      const end = Math.min(to * this.block[axis]!, this.whole[axis]!);
      return Math.ceil(Math.max(0, end - from * this.block[axis]!) / unit[axis]!);
    };
    let units = 0;
    let share = 1; // units of the block along the preceding axes
    let rest = blocks;
    for (let axis = 0; axis < this.block.length; axis++) {
      const row = countOf(this.#grid.slice(axis + 1));
      const at = Math.floor(rest / row);
      rest -= at * row;
      const others = this.whole.slice(axis + 1).map((length, i) => Math.ceil(length / unit[axis + 1 + i]!));
      units += share * unitsIn(axis, 0, at) * countOf(others);
      share *= unitsIn(axis, at, at + 1);
    }
    return units;
  }
}

/**
 * Returns the shape of blocks: as many whole units as memory allows.
 * @param unit the smallest indivisible box: a chunk or shard to write, or chunks to decode.
 * @param atLeast lengths that blocks should reach before they grow further, so that chunks of the source are
 *   decoded once.
 * @param most maximum number of elements of a block; a single unit may have more.
 */
export function blockShape(
  unit: readonly number[],
  whole: readonly number[],
  atLeast: readonly number[],
  most: number,
): number[] {
  const shape = unit.map((length, axis) => Math.min(length, whole[axis]!));
  const counts = unit.map(() => 1);
  const lengthOf = (axis: number, count: number) => Math.min(unit[axis]! * count, whole[axis]!);
  for (;;) {
    const growing = counts
      .map((_, axis) => axis)
      .filter((axis) => shape[axis]! < whole[axis]!)
      .filter((axis) => (countOf(shape) / shape[axis]!) * lengthOf(axis, 2 * counts[axis]!) <= most);
    if (growing.length === 0) return shape;
    const lacking = growing.filter((axis) => shape[axis]! < atLeast[axis]!);
    const axis = (lacking.length > 0 ? lacking : growing).at(-1)!;
    counts[axis]! *= 2;
    shape[axis] = lengthOf(axis, counts[axis]!);
  }
}
