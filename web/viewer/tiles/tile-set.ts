/** The tiles of one view: requests wanted tiles, and provides available ones. */
import { type Rectangle, visible } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { Dataset, Level } from "../source/dataset.js";
import { cutTile } from "./cut.js";
import { chunksIn, type LayerLevel, layerLevels, shown } from "./layer-level.js";
import { readBlock } from "./read.js";
import type { Client, Job } from "./scheduler.js";
import type { Shared } from "./shared.js";
import type { Block, Tile } from "./tile.js";
import {
  ahead,
  chooseLevel,
  maxChunksInView,
  selectTiles,
  type TileRef,
  tileSpans,
  type Viewpoint,
} from "./tile-selection.js";

/** Progress of a view. */
export interface TileStatus {
  /** Number of chunks of the tiles in view, and of those read or failed. */
  readonly chunks: number;
  readonly done: number;
  /** Bytes of the decoded chunks. */
  readonly bytes: number;
  /** Number of tiles in view that exceed the budget, out of a total. */
  readonly leftOut: { readonly tiles: number; readonly of: number };
  /** Errors of unreadable tiles. */
  readonly failures: readonly unknown[];
  /** Whether there is a picture of the whole view, possibly a coarse one. */
  readonly isCovered?: boolean;
  readonly isComplete: boolean;
}

export interface TileSetCallbacks {
  /** A requested tile has been read. */
  onTile(tile: Tile, layer: Layer): void;
  /** More tiles are available, or a level has been opened. */
  onChange(): void;
}

/** Maximum share of the cache's budget for tiles in view. */
const shareInView = 0.75;

/** The view of a layer's own elements. */
const viewOf = ({ turn }: Layer, view: Viewpoint): Viewpoint => turn?.view(view) ?? view;

interface Wish {
  readonly layer: Layer;
  readonly level: LayerLevel;
  readonly ref: TileRef;
  readonly key: string;
  /** Number of chunks of the tile. */
  readonly chunks: number;
}

export class TileSet implements Client<Block> {
  readonly #tiles = new WeakMap<Block, Map<string, Tile>>();
  #layers: readonly Layer[] = [];
  #views: readonly Viewpoint[] = [];
  #wishes: readonly Wish[] = [];
  #byKey = new Map<string, Wish[]>();
  /** Keys of the tiles in view that have not been read. */
  readonly #unread = new Set<string>();
  #leftOut = { tiles: 0, of: 0 };
  readonly #openFailures = new Map<Level, unknown>();
  /** Whether requests are held back until there is a first, coarse picture. */
  #isHeld = false;

  constructor(
    private readonly shared: Shared,
    private readonly callbacks: TileSetCallbacks,
  ) {}

  /**
   * Sets the views, each of a part of the plane, at the same scale. `next` are layers that will be shown soon (the next slice): they are read after everything
   * else. `way` is the direction of movement, in elements of level 0.
   */
  update(
    layers: readonly Layer[],
    views: readonly Viewpoint[],
    next: readonly Layer[] = [],
    way: { row: number; column: number } = { row: 0, column: 0 },
  ): void {
    this.#layers = layers;
    this.#views = views;
    const [wishes, spared] = [[] as Wish[], [] as string[]];
    this.#leftOut = { tiles: 0, of: 0 };
    this.#isHeld = false;
    const later: Wish[] = [];
    const count = layers.length + next.length;
    const perLayer = layers.flatMap((layer) =>
      views.map((view) => this.#wishesOf(layer, viewOf(layer, view), count, way)),
    );
    // Tiles of all layers at a position are requested together: a composite is drawn once all its channels
    // have been read.
    const longest = Math.max(0, ...perLayer.map(({ now }) => now.length));
    for (let i = 0; i < longest; i++) for (const { now } of perLayer) if (now[i]) wishes.push(now[i]!);
    for (const { soon, around } of perLayer) {
      later.push(...soon);
      spared.push(...around);
    }
    for (const layer of next)
      for (const view of views) later.push(...this.#wishesOf(layer, viewOf(layer, view), count, way).now);
    this.#wishes = wishes;
    this.#unread.clear();
    for (const { key } of wishes) if (!this.shared.scheduler.isSettled(key)) this.#unread.add(key);
    this.#byKey = new Map();
    for (const wish of [...wishes, ...later]) {
      const same = this.#byKey.get(wish.key);
      if (same) same.push(wish);
      else this.#byKey.set(wish.key, [wish]);
    }
    const jobs = [...this.#byKey.values()].map(([wish]) => this.#jobOf(wish!));
    this.shared.scheduler.want(this, jobs, spared);
  }

  /** Whether there is a first picture, after which `update` would request more. */
  get isDue(): boolean {
    return this.#isHeld && this.#wishes.some(({ key }) => this.shared.scheduler.isSettled(key));
  }

  /** Whether all tiles in view have been read. */
  get isRead(): boolean {
    return this.#unread.size === 0;
  }

  /** Withdraws all requests. */
  leave(): void {
    this.shared.scheduler.leave(this);
    this.#wishes = [];
    this.#byKey.clear();
  }

  /** Retries failed reads, including damaged chunks. */
  retry(): void {
    this.#openFailures.clear();
    const { cache } = this.shared.scheduler;
    for (const { key } of this.#wishes)
      if (cache.peek(key)?.gaps.some(({ kind }) => kind === "damaged")) cache.delete(key);
    this.shared.scheduler.retry();
  }

  onRead(block: Block, key: string): void {
    this.#unread.delete(key);
    for (const { layer, level } of this.#byKey.get(key) ?? [])
      if (this.#layers.includes(layer)) this.callbacks.onTile(this.#tileOf(block, level), layer);
    this.callbacks.onChange();
  }

  onFail(_error: unknown, key: string): void {
    this.#unread.delete(key);
    this.callbacks.onChange();
  }

  get status(): TileStatus {
    const { scheduler } = this.shared;
    let [chunks, done, bytes] = [0, 0, 0];
    const failures: unknown[] = [...this.#openFailures.values()];
    // Several layers may be planes of the same blocks.
    const counted = new Set<string>();
    for (const { chunks: count, key } of this.#wishes) {
      if (counted.has(key)) continue;
      counted.add(key);
      chunks += count;
      const block = scheduler.cache.peek(key);
      if (block) bytes += block.bytes;
      const failure = block ? undefined : scheduler.failureOf(key);
      if (failure !== undefined) failures.push(failure);
      if (scheduler.isSettled(key)) done += count;
    }
    const isOpen = this.#layers.every((layer) => this.#isTargetOpen(layer));
    const isComplete = done === chunks && isOpen && !this.#isHeld;
    const isCovered = isComplete || this.isDue || this.#isCoarseRead;
    return { chunks, done, bytes, leftOut: this.#leftOut, failures, isCovered, isComplete };
  }

  /** Whether tiles of a coarser level than the one for the zoom have been read. */
  get #isCoarseRead(): boolean {
    const finest = Math.min(...this.#wishes.map(({ ref }) => ref.level));
    return this.#wishes.some(({ ref, key }) => ref.level > finest && this.shared.scheduler.isSettled(key));
  }

  /** The available tiles of a layer: coarse ones first, unless the level for the zoom is complete. */
  tilesOf(layer: Layer): Tile[] {
    const wishes = this.#wishes.filter((wish) => wish.layer === layer);
    const target = wishes.at(-1)?.ref.level;
    const fine = wishes.filter(({ ref }) => ref.level === target);
    const at = (list: readonly Wish[]) => list.flatMap((wish) => this.#atHand(wish) ?? []);
    const found = at(fine);
    if (found.length === fine.length && this.#leftOut.tiles === 0) return found;
    const seen = this.#views.map((view) => {
      const { camera, size, aspect } = viewOf(layer, view);
      return visible(camera, size, aspect);
    });
    const coarse = layerLevels(layer)
      .filter(({ view }) => view.level !== target)
      .sort((a, b) => b.view.level - a.view.level)
      .flatMap((level) => seen.flatMap((part) => at(this.#around(layer, level, part))));
    return [...coarse, ...found];
  }

  /** The finest available tile at a position in elements of the layer. */
  tileAt(layer: Layer, { row, column }: { readonly row: number; readonly column: number }): Tile | undefined {
    const holds = ({ world }: Tile) =>
      row >= world.top && row < world.bottom && column >= world.left && column < world.right;
    return this.tilesOf(layer)
      .filter(holds)
      .reduce<Tile | undefined>((best, tile) => (!best || tile.level <= best.level ? tile : best), undefined);
  }

  #isTargetOpen(layer: Layer): boolean {
    const target = this.#targetOf(layer);
    const level = layer.dataset.levels[target]!;
    return level.array !== undefined || this.#openFailures.has(level);
  }

  #targetOf(layer: Layer): number {
    const { dataset, axes } = layer;
    // A line shows every sample: coarser levels lack isolated ones.
    if (axes.length === 1) return 0;
    return chooseLevel(
      dataset.levels.map(({ factor }) => shown(factor, axes)),
      viewOf(layer, this.#views[0]!),
    );
  }

  /** All tiles of a level in view; empty if there are too many. */
  #around(layer: Layer, level: LayerLevel, seen: Rectangle): Wish[] {
    const [rows, columns] = tileSpans(level.view, seen);
    const wishes: Wish[] = [];
    if ((rows.last - rows.first + 1) * (columns.last - columns.first + 1) > 1024) return wishes;
    for (let row = rows.first; row <= rows.last; row++)
      for (let column = columns.first; column <= columns.last; column++)
        wishes.push(this.#wish(layer, level, { level: level.view.level, row, column }));
    return wishes;
  }

  #wishesOf(layer: Layer, view: Viewpoint, layers: number, way: { row: number; column: number }) {
    const target = this.#targetOf(layer);
    const levels = layerLevels(layer);
    const bytes = (this.shared.scheduler.cache.budget * shareInView) / layers;
    const wanted = selectTiles(
      levels.map((level) => level.view),
      target,
      view,
      { bytes, chunks: maxChunksInView / layers },
    );
    const first = this.#firstOf(layer, levels, target, wanted.view);
    if (first) {
      this.#isHeld = true;
      return { now: first, soon: [], around: [] };
    }
    this.#open(layer.dataset, target);
    if (wanted.leftOut.tiles > 0) this.#leftOut = wanted.leftOut;
    const wish = (ref: TileRef) =>
      this.#wish(layer, levels.find((level) => level.view.level === ref.level)!, ref);
    const around = wanted.around.map(wish);
    const fit = levels.find((level) => level.view.level === wanted.around[0]?.level);
    const soon = fit ? ahead(wanted.around, fit.view, view.camera, way).map(wish) : [];
    return { now: wanted.view.map(wish), soon, around: around.map(({ key }) => key) };
  }

  /**
   * The tiles of the coarsest level, requested alone until one has been read: they take the fewest requests
   * over a slow connection. Undefined if there is one, or no coarser level.
   */
  #firstOf(
    layer: Layer,
    levels: readonly LayerLevel[],
    target: number,
    refs: readonly TileRef[],
  ): Wish[] | undefined {
    const coarsest = levels.at(-1);
    if (!coarsest || coarsest.view.level <= target) return undefined;
    const wishes = refs
      .filter(({ level }) => level === coarsest.view.level)
      .map((ref) => this.#wish(layer, coarsest, ref));
    const isAny = wishes.some(({ key }) => this.shared.scheduler.isSettled(key));
    return wishes.length === 0 || isAny ? undefined : wishes;
  }

  #open(dataset: Dataset, index: number): void {
    const level = dataset.levels[index]!;
    if (level.array || this.#openFailures.has(level)) return;
    level.open().then(
      () => this.#again(),
      (error) => {
        this.#openFailures.set(level, error);
        this.callbacks.onChange();
      },
    );
  }

  #again(): void {
    if (this.#wishes.length > 0) this.update(this.#layers, this.#views);
    this.callbacks.onChange();
  }

  #wish(layer: Layer, level: LayerLevel, ref: TileRef): Wish {
    const box = level.grid.boxOf(ref.row, ref.column, level.index);
    const key = `${level.name} ${box.start.join()}`;
    return { layer, level, ref, key, chunks: chunksIn(level, box) };
  }

  #jobOf({ level, ref, key }: Wish): Job<Block> {
    const { array, grid, index } = level;
    const { pool } = this.shared;
    return {
      key,
      bytes: grid.bytesPerTile,
      read: (signal) => readBlock(key, array, grid, grid.boxOf(ref.row, ref.column, index), { pool, signal }),
    };
  }

  #atHand({ level, key }: Wish): Tile | undefined {
    const block = this.shared.scheduler.cache.peek(key);
    return block && this.#tileOf(block, level);
  }

  #tileOf(block: Block, { cut, plane, placedPlane }: LayerLevel): Tile {
    const tiles = this.#tiles.get(block) ?? new Map<string, Tile>();
    this.#tiles.set(block, tiles);
    let tile = tiles.get(placedPlane);
    if (!tile) {
      tile = cutTile(`${block.key} ${plane}`, block, cut);
      // Planes of a deep block are made on demand; converted ones take memory.
      if (tiles.size >= maxPlanes) tiles.delete(tiles.keys().next().value!);
      tiles.set(placedPlane, tile);
    }
    return tile;
  }
}

/** Maximum number of planes kept per block. */
const maxPlanes = 8;
