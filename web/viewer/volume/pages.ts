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
  readonly #brickOf: Brick[] = [];
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

  /** The finest brick at hand of a cell. */
  brickAt(cell: Vec3): Brick | undefined {
    const { grid, cells } = this;
    const number = cells[(cell[2] * grid[1] + cell[1]) * grid[0] + cell[0]];
    return number ? this.#brickOf[number] : undefined;
  }

  /** Adds a brick. @returns its number; undefined if there are too many */
  add(brick: Brick): number | undefined {
    const number = this.#free.pop() ?? (this.#last < maxPages ? ++this.#last : undefined);
    if (number === undefined) return undefined;
    this.#pages.set(brickKey(brick), { brick, number });
    this.#levelOf[number] = brick.level;
    this.#brickOf[number] = brick;
    const { level } = brick;
    this.#eachRow(brick, (cell, end) => {
      for (; cell < end; cell++) {
        const old = this.cells[cell]!;
        if (old === 0 || this.#levelOf[old]! > level) this.cells[cell] = number;
      }
    });
    return number;
  }

  /** Removes a brick: coarser ones take its cells. */
  remove(brick: Brick): void {
    const page = this.#pages.get(brickKey(brick));
    if (!page) return;
    this.#pages.delete(brickKey(brick));
    this.#free.push(page.number);
    this.#eachRow(brick, (first, end, at) => {
      for (let cell = first; cell < end; cell++) {
        if (this.cells[cell] !== page.number) continue;
        const [x, y, z] = [at[0] + cell - first, at[1], at[2]];
        this.cells[cell] = this.#coarser([x, y, z], brick.level);
      }
    });
  }

  /** The cells changed since the last call. */
  takeChanged(): Box | undefined {
    const changed = this.#changed;
    this.#changed = undefined;
    return changed;
  }

  /** The number of the finest brick at hand that holds a cell, of a level above `than`. */
  #coarser(cell: Vec3, than: number): number {
    for (let outer = than + 1; outer < this.levels.length; outer++) {
      const place = enclosingBrick(this.levels[0]!, cell, this.levels[outer]!);
      const number = this.numberOf({ level: outer, at: place });
      if (number !== undefined) return number;
    }
    return 0;
  }

  #eachRow(brick: Brick, call: (first: number, end: number, at: Vec3) => void): void {
    const [finest, level] = [this.levels[0]!, this.levels[brick.level]!];
    const within =
      brick.level === 0
        ? { from: brick.at, to: map3((i) => brick.at[i]! + 1) }
        : bricksWithin(level, brick.at, finest);
    const { grid } = this;
    const { from, to } = within;
    for (let z = from[2]; z < to[2]; z++)
      for (let y = from[1]; y < to[1]; y++) {
        const row = (z * grid[1] + y) * grid[0];
        call(row + from[0], row + to[0], [from[0], y, z]);
      }
    const old = this.#changed ?? within;
    this.#changed = {
      from: map3((i) => Math.min(old.from[i]!, within.from[i]!)),
      to: map3((i) => Math.max(old.to[i]!, within.to[i]!)),
    };
  }
}
