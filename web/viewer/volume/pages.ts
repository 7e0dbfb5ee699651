/**
 * The page table: for every cell of the volume the finest brick at hand. Cells have the size of bricks of level 0;
 * a coarser brick fills several of them.
 */
import {
  type Box,
  type Brick,
  brickGrid,
  brickKey,
  bricksWithin,
  eachIndex,
  enclosingBrick,
  map3,
  type Vec3,
  type VolumeLevel,
} from "./bricks.js";

/** Maximum number of bricks, which are numbered from 1 in 16 bits. */
export const maxPages = 65_535;

interface Page {
  readonly brick: Brick;
  readonly number: number;
}

export class PageTable {
  /** Cells along each axis. */
  readonly grid: Vec3;
  /** Numbers of bricks, 0 for none; x varies fastest. */
  readonly cells: Uint16Array;
  readonly #pages = new Map<string, Page>();
  readonly #levelOf = new Int8Array(maxPages + 1);
  readonly #free: number[] = [];
  #last = 0;
  #changed: Box | undefined;

  constructor(private readonly levels: readonly VolumeLevel[]) {
    this.grid = brickGrid(levels[0]!);
    this.cells = new Uint16Array(this.grid[0] * this.grid[1] * this.grid[2]);
  }

  numberOf(brick: Brick): number | undefined {
    return this.#pages.get(brickKey(brick))?.number;
  }

  /** Adds a brick. @returns its number; undefined if there are too many */
  add(brick: Brick): number | undefined {
    const number = this.#free.pop() ?? (this.#last < maxPages ? ++this.#last : undefined);
    if (number === undefined) return undefined;
    this.#pages.set(brickKey(brick), { brick, number });
    this.#levelOf[number] = brick.level;
    this.#eachCell(brick, (cell) => {
      const old = this.cells[cell]!;
      if (old === 0 || this.#levelOf[old]! > brick.level) this.cells[cell] = number;
    });
    return number;
  }

  /** Removes a brick: coarser ones take its cells. */
  remove(brick: Brick): void {
    const page = this.#pages.get(brickKey(brick));
    if (!page) return;
    this.#pages.delete(brickKey(brick));
    this.#free.push(page.number);
    this.#eachCell(brick, (cell, at) => {
      if (this.cells[cell] === page.number) this.cells[cell] = this.#coarser(at, brick.level);
    });
  }

  /** The cells changed since the last call. */
  takeChanged(): Box | undefined {
    const changed = this.#changed;
    this.#changed = undefined;
    return changed;
  }

  #coarser(at: Vec3, than: number): number {
    for (let level = than + 1; level < this.levels.length; level++) {
      const place = enclosingBrick(this.levels[0]!, at, this.levels[level]!);
      const number = this.numberOf({ level, at: place });
      if (number !== undefined) return number;
    }
    return 0;
  }

  #eachCell(brick: Brick, call: (cell: number, at: Vec3) => void): void {
    const [finest, level] = [this.levels[0]!, this.levels[brick.level]!];
    const within =
      brick.level === 0
        ? { from: brick.at, to: map3((i) => brick.at[i]! + 1) }
        : bricksWithin(level, brick.at, finest);
    const { grid } = this;
    eachIndex(within, (at) => call((at[2] * grid[1] + at[1]) * grid[0] + at[0], at));
    const old = this.#changed ?? within;
    this.#changed = {
      from: map3((i) => Math.min(old.from[i]!, within.from[i]!)),
      to: map3((i) => Math.max(old.to[i]!, within.to[i]!)),
    };
  }
}
