/** Reads a sample of all slices, for a range that stays the same from slice to slice. */
import { type Layer, sampledAxes } from "../model/layers.js";
import { chosenSlices } from "../numbers/slice-choice.js";
import { datasetShape } from "../source/dataset.js";
import { cutTile } from "../tiles/cut.js";
import { type LayerLevel, layerLevels } from "../tiles/layer-level.js";
import { readBlock } from "../tiles/read.js";
import type { Client, Job } from "../tiles/scheduler.js";
import type { Shared } from "../tiles/shared.js";
import type { Block } from "../tiles/tile.js";
import type { Ranges } from "./ranges.js";

/** Limits on a sample, beside the bytes that it may read. */
const maxSlices = 12;
/** Slices of the same blocks cost no reading. */
const maxSlicesPerBlock = 8;
const maxTilesPerSlice = 4;
/** Maximum size of a sampled block: larger ones represent too little of the array for their cost. */
const maxBlockBytes = 8 * 2 ** 20;
/** Levels with no more than this are read as a whole, and their range is exact. */
const maxWholeSlices = 512;
const maxWholeBytes = 4 * 2 ** 20;

/** Sufficient elements of a plane: averaged levels with fewer lack the extremes of the finer ones. */
const enough = 2 ** 16;

/** A tile of a sampled slice. */
interface Wish {
  readonly layer: Layer;
  readonly level: LayerLevel;
  readonly job: Job<Block>;
}

export class RangeSampler implements Client<Block> {
  #wishes = new Map<string, Wish[]>();
  /** The sampled layers, with their numbers of slices. */
  #layers = new Map<Layer, number>();
  #isOpening = false;
  #generation = 0;
  /** Bytes that may still be read. */
  #budget = 0;

  constructor(
    private readonly shared: Shared,
    private readonly ranges: Ranges,
    private readonly onDone: () => void,
  ) {}

  /** Whether values are being read. */
  get isBusy(): boolean {
    return this.#isOpening || this.#wishes.size > 0;
  }

  /** Starts to sample those layers whose range needs it. @param budget maximum bytes to read, decoded */
  start(layers: readonly Layer[], budget: number): void {
    const wanted = layers.filter((layer) => this.ranges.needsSample(layer));
    if (wanted.length === 0 || this.isBusy) return;
    for (const layer of wanted) this.ranges.beginSample(layer);
    this.#isOpening = true;
    this.#budget = budget;
    void this.#read(wanted, ++this.#generation);
  }

  /** Stops reading. */
  leave(): void {
    this.#generation++;
    for (const layer of this.#layers.keys()) this.ranges.dropSample(layer);
    this.shared.scheduler.leave(this);
    this.#wishes.clear();
    this.#layers.clear();
    this.#isOpening = false;
  }

  async #read(layers: readonly Layer[], generation: number): Promise<void> {
    this.#layers = new Map(layers.map((layer) => [layer, 0]));
    // Without the level, the limits of the first slice are kept.
    await Promise.allSettled(layers.map((layer) => sampledLevel(layer).open()));
    if (generation !== this.#generation) return;
    const budget = this.#budget / layers.length;
    for (const layer of layers) this.#layers.set(layer, this.#want(layer, budget));
    this.#isOpening = false;
    const { scheduler } = this.shared;
    scheduler.want(
      this,
      [...this.#wishes.values()].map(([wish]) => wish!.job),
    );
    for (const key of [...this.#wishes.keys()]) {
      const block = scheduler.cache.peek(key);
      if (block) this.onRead(block, key);
      else if (scheduler.failureOf(key) !== undefined) this.onFail(undefined, key);
    }
    this.#endIfDone();
  }

  /** Lists the tiles of a layer to read. @returns the number of slices */
  #want(layer: Layer, budget: number): number {
    const axes = sampledAxes(layer);
    const shape = datasetShape(layer.dataset);
    const lengths = axes.map((axis) => shape[axis]!);
    const at = (slice: readonly number[]): Layer => {
      const index = [...layer.index];
      for (const [i, axis] of axes.entries()) index[axis] = slice[i]!;
      return { ...layer, index };
    };
    const levelOf = (one: Layer) => {
      const number = one.dataset.levels.indexOf(sampledLevel(one));
      return layerLevels(one).find(({ view }) => view.level === number);
    };
    const first = levelOf(layer);
    if (!first) return 0;
    const { shape: size, dtype } = first.array;
    const { slices, tiles } = sampleSize(lengths, first.view.rows * first.view.columns, {
      bytesPerTile: first.grid.bytesPerTile,
      slicesPerBlock: axes.reduce(
        (product, axis) => product * Math.min(first.grid.tile[axis]!, size[axis]!),
        1,
      ),
      wholeBytes: size.reduce((product, length) => product * length, dtype.itemBytes),
      maxBytes: budget,
    });
    const [rows, columns] = [first.view.rows, first.view.columns];
    const add = (slice: readonly number[], count: number, canRead: boolean): boolean => {
      const one = at(slice);
      const level = levelOf(one)!;
      const added = chosenSlices([rows, columns], count).map(([row, column]) =>
        this.#add(one, level, row!, column!, canRead),
      );
      return added.some(Boolean);
    };
    if (slices === 0) return 0;
    const isCut =
      slices <
      Math.min(
        maxSlices,
        lengths.reduce((a, b) => a * b, 1),
      );
    const wanted = chosenSlices(lengths, slices);
    // If the budget allows only a few: also the slice in view, and others as far as they have been read.
    const inView = isCut ? [axes.map((axis) => layer.index[axis]!)] : [];
    const others = isCut ? chosenSlices(lengths, maxSlices) : [];
    const chosen = new Map([...inView, ...wanted].map((slice) => [slice.join(), slice]));
    const extra = new Map(others.map((slice) => [slice.join(), slice]));
    for (const key of chosen.keys()) extra.delete(key);
    const read = [...chosen.values()].filter((slice) => add(slice, tiles, true));
    const more = [...extra.values()].filter((slice) => add(slice, maxTilesPerSlice, false));
    return read.length + more.length;
  }

  /** @returns false if the tile is neither cached nor may be read */
  #add(layer: Layer, level: LayerLevel, row: number, column: number, canRead: boolean): boolean {
    const { array, grid, index, name } = level;
    const box = grid.boxOf(row, column, index);
    const key = `${name} ${box.start.join()}`;
    if (!this.#wishes.has(key) && !this.shared.scheduler.isSettled(key)) {
      if (!canRead || grid.bytesPerTile > this.#budget) return false;
      this.#budget -= grid.bytesPerTile;
    }
    const read = (signal: AbortSignal) =>
      readBlock(key, array, grid, box, { pool: this.shared.pool, signal });
    const same = this.#wishes.get(key) ?? [];
    this.#wishes.set(key, [...same, { layer, level, job: { key, bytes: grid.bytesPerTile, read } }]);
    return true;
  }

  onRead(block: Block, key: string): void {
    for (const { layer, level } of this.#wishes.get(key) ?? [])
      this.ranges.addSample(cutTile(`${key} ${level.plane}`, block, level.cut), layer);
    this.#settle(key);
  }

  onFail(_error: unknown, key: string): void {
    this.#settle(key);
  }

  #settle(key: string): void {
    if (this.#wishes.delete(key) && !this.#isOpening) this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#wishes.size > 0 || this.#layers.size === 0) return;
    for (const [layer, slices] of this.#layers) this.ranges.endSample(layer, slices);
    this.#layers.clear();
    this.onDone();
  }
}

/** The coarsest level with enough elements. */
function sampledLevel({ dataset, axes }: Layer) {
  const { levels, array } = dataset;
  const elements = (factor: readonly number[]) =>
    axes.reduce((product, axis) => (product * array.shape[axis]!) / factor[axis]!, 1);
  return levels.filter(({ factor }) => elements(factor) >= enough).at(-1) ?? levels[0];
}

interface SampleCost {
  readonly bytesPerTile: number;
  /** Number of slices in a block. */
  readonly slicesPerBlock: number;
  /** Size of the level. */
  readonly wholeBytes: number;
  readonly maxBytes: number;
}

/** Numbers of slices, and of tiles of each, within the limits; no slices if the tiles are too large. */
export function sampleSize(
  lengths: readonly number[],
  tilesPerSlice: number,
  { bytesPerTile, slicesPerBlock, wholeBytes, maxBytes: limit }: SampleCost,
): { slices: number; tiles: number } {
  const all = lengths.reduce((a, b) => a * b, 1);
  if (all * tilesPerSlice <= maxWholeSlices && wholeBytes <= Math.min(limit, maxWholeBytes))
    return { slices: all, tiles: tilesPerSlice };
  if (bytesPerTile > maxBlockBytes) return { slices: 0, tiles: 0 };
  const blocks = Math.max(1, Math.floor(limit / bytesPerTile));
  const slices = Math.min(all, maxSlices, blocks);
  const tiles = Math.max(1, Math.min(tilesPerSlice, maxTilesPerSlice, Math.floor(blocks / slices)));
  // Blocks are at most as many as before if their slices are next to one another, as they mostly are.
  const isDeep = slicesPerBlock > 1 && Math.ceil(all / slicesPerBlock) <= slices;
  return { slices: isDeep ? Math.min(all, slices * maxSlicesPerBlock) : slices, tiles };
}
