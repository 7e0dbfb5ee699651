/** Tracks the content of a canvas, so that new tiles can be added to it. For pictures of one layer only. */
import type { Tile } from "../tiles/tile.js";
import type { Scene } from "./renderer.js";

export class Drawn {
  /** Everything except the tiles; undefined if the content of the canvas is unknown. */
  #look: string | undefined;
  /** Levels of drawn tiles, by key. */
  readonly #levels = new Map<string, number>();
  /** The finest level drawn. */
  #finest = Number.POSITIVE_INFINITY;

  /** Called before the canvas is redrawn from scratch. */
  begin(scene: Scene): void {
    this.forget();
    if (scene.layers.length === 1) this.#look = layerLook(scene);
  }

  /** Invalidates the content of the canvas, which may differ from a fresh drawing. */
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
   * Returns the tiles to draw onto the present content: the new ones, if nothing else has changed, no tile
   * has gone, and none belongs below a drawn one. Undefined if everything must be redrawn.
   */
  fresh(scene: Scene): readonly Tile[] | undefined {
    if (scene.layers.length !== 1 || this.#look !== layerLook(scene)) return undefined;
    const { tiles, turn } = scene.layers[0]!;
    if (turn) return undefined;
    const fresh = tiles.filter(({ key }) => !this.#levels.has(key));
    const finest = tiles.at(-1)?.level ?? Number.POSITIVE_INFINITY;
    // Coarse tiles are dropped once all fine ones have been read, which then cover them.
    const isCovered = tiles.every(({ level }) => level === finest);
    const wanted = new Set(tiles.map(({ key }) => key));
    const isNoneGone = [...this.#levels].every(
      ([key, level]) => wanted.has(key) || (isCovered && level > finest),
    );
    return isNoneGone && fresh.every(({ level }) => level <= this.#finest) ? fresh : undefined;
  }
}

/** Everything that determines a picture except its tiles. */
function layerLook(scene: Scene): string {
  const styles = scene.layers.map(({ style, low, high }) => [...Object.values(style), low, high]);
  return `${tilePosition(scene)} ${scene.isDraft === true} ${JSON.stringify(styles)}`;
}

/** Everything that determines the placement of tiles, and their background. */
export function tilePosition({ size, ratio, camera, aspect, extent, ground, paper, unread }: Scene): string {
  const [sides, centre, edges] = [size, camera, extent].map((part) => Object.values(part));
  return JSON.stringify([sides, ratio, centre, aspect, edges, ground, paper, unread]);
}
