/** What a renderer has made of tiles: kept within a budget, and forgotten with the block that it was made from. */
import { Cache, type Kept } from "../tiles/cache.js";
import type { Tile } from "../tiles/tile.js";
import type { MakingTime } from "./renderer.js";

export class TileCache<T extends Kept> extends Cache<T> {
  /** Keys by the block that they were made from. */
  readonly #byBlock = new Map<string, Set<string>>();

  /** Keeps what is made of a tile. Only what is made counts: however long drawing takes, it goes on. */
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
