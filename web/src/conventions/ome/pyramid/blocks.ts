/** Cutting a level into blocks that are worked on one by one. */
import { countOf } from "../../../util/strides.js";

/** Elements from `start`, as many as `shape` says, along each axis. */
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

  /** A block by its number in C order, as far as it lies in the shape. */
  at(index: number): Box {
    const position = new Array<number>(this.block.length);
    let rest = index;
    for (let axis = this.block.length - 1; axis >= 0; axis--) {
      position[axis] = rest % this.#grid[axis]!;
      rest = Math.floor(rest / this.#grid[axis]!);
    }
    return this.box(position);
  }

  /** The number of a block in C order. */
  indexOf(position: readonly number[]): number {
    return position.reduce((index, at, axis) => index * this.#grid[axis]! + at, 0);
  }

  /** Positions of the blocks that hold elements from `from` up to, not including, `to`. */
  around(from: readonly number[], to: readonly number[]): { from: number[]; to: number[] } {
    const block = (at: number, axis: number) => at / this.block[axis]!;
    return {
      from: from.map((at, axis) => Math.floor(block(at, axis))),
      to: to.map((at, axis) => Math.min(this.#grid[axis]!, Math.ceil(block(at, axis)))),
    };
  }

  /** A block by its position in the grid, as far as it lies in the shape. */
  box(position: readonly number[]): Box {
    const start = position.map((at, axis) => at * this.block[axis]!);
    const shape = start.map((from, axis) => Math.min(this.block[axis]!, this.whole[axis]! - from));
    return { start, shape };
  }

  /** Units (chunks, say) in the first blocks, however many these are. Blocks are whole units. */
  unitsBefore(blocks: number, unit: readonly number[]): number {
    const unitsIn = (axis: number, from: number, to: number) => {
      const end = Math.min(to * this.block[axis]!, this.whole[axis]!);
      return Math.ceil(Math.max(0, end - from * this.block[axis]!) / unit[axis]!);
    };
    let units = 0;
    let share = 1; // units of the block on the axes before
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
 * The shape of blocks: whole units, as many as memory allows.
 * @param unit what a block must not cut: a chunk or shard that is written, or chunks that are decoded.
 * @param atLeast lengths that blocks should have before others grow, so that chunks of the source are decoded once.
 * @param most elements of a block; one unit may have more.
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
