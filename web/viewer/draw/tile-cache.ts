/** Caches a renderer's textures or images of tiles, within a budget, and drops them with their block. */
import { type Kept, LruCache } from "#internal";
import type { Tile } from "../tiles/tile.js";
import type { MakingTime } from "./renderer.js";

export class TileCache<T extends Kept> extends LruCache<T> {
  /** Keys by block. */
  readonly #byBlock = new Map<string, Set<string>>();

  /**
   * Makes and caches something for a tile. Only the time for making is charged, so that slow drawing cannot
   * stop progress.
   */
  protected make(tile: Tile, time: MakingTime, make: () => T): T {
    const started = performance.now();
    const made = make();
    this.set(made);
    time.left -= performance.now() - started;
    const ofBlock = this.#byBlock.get(tile.block.key) ?? new Set();
    this.#byBlock.set(tile.block.key, ofBlock.add(made.key));
    return made;
  }

  forget(blockKey: string): void {
    for (const key of this.#byBlock.get(blockKey) ?? []) this.delete(key);
    this.#byBlock.delete(blockKey);
  }

  override clear(): void {
    super.clear();
    this.#byBlock.clear();
  }
}
