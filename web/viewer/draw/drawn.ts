/** What a canvas shows already, so that what comes may be added to it: pictures of one layer only. */
import type { Tile } from "../tiles/tile.js";
import type { Scene } from "./renderer.js";

export class Drawn {
  /** Everything but the tiles; undefined where nothing is known of the canvas. */
  #look: string | undefined;
  /** Levels of tiles, by their keys. */
  readonly #levels = new Map<string, number>();
  /** Of the finest tile. */
  #finest = Number.POSITIVE_INFINITY;

  /** The canvas is about to be drawn anew. */
  begin(scene: Scene): void {
    this.forget();
    if (scene.layers.length === 1) this.#look = lookOf(scene);
  }

  /** What is on the canvas may look different from what would be drawn. */
  forget(): void {
    this.#look = undefined;
    this.#levels.clear();
    this.#finest = Number.POSITIVE_INFINITY;
  }

  add({ key, level }: Tile): void {
    this.#levels.set(key, level);
    this.#finest = Math.min(level, this.#finest);
  }

  /**
   * The tiles that can be drawn onto what is there already: those that have come since, where nothing else is
   * different, none is gone, and none belongs below what has been drawn. Undefined where everything is to be drawn.
   */
  fresh(scene: Scene): readonly Tile[] | undefined {
    if (scene.layers.length !== 1 || this.#look !== lookOf(scene)) return undefined;
    const { tiles } = scene.layers[0]!;
    const fresh = tiles.filter(({ key }) => !this.#levels.has(key));
    const finest = tiles.at(-1)?.level ?? Number.POSITIVE_INFINITY;
    // Coarse ones are left out as soon as all fine ones are there, and are covered by them then.
    const isCovered = tiles.every(({ level }) => level === finest);
    const wanted = new Set(tiles.map(({ key }) => key));
    const isNoneGone = [...this.#levels].every(
      ([key, level]) => wanted.has(key) || (isCovered && level > finest),
    );
    return isNoneGone && fresh.every(({ level }) => level <= this.#finest) ? fresh : undefined;
  }
}

/** Everything that a picture depends on but its tiles. */
function lookOf(scene: Scene): string {
  const styles = scene.layers.map(({ style, low, high }) => [...Object.values(style), low, high]);
  return `${placeOf(scene)} ${JSON.stringify(styles)}`;
}

/** What decides where things lie, and what is behind them. */
export function placeOf({ size, ratio, camera, aspect, extent, ground, paper }: Scene): string {
  const [sides, centre, edges] = [size, camera, extent].map((part) => Object.values(part));
  return JSON.stringify([sides, ratio, centre, aspect, edges, ground, paper]);
}
