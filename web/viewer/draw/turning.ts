/** Draws turned and sheared layers without shaders: gathers the elements under the pixels into one upright tile. */
import { applied, inverse, type Matrix } from "../base/matrix.js";
import type { Rectangle } from "../model/camera.js";
import type { Tile, TileGap } from "../tiles/tile.js";
import { placing } from "./placing.js";
import type { Scene, SceneLayer } from "./renderer.js";
import { addDamaged, gatheredTile, Owners, pixelValues } from "./warp.js";

/** Maximum number of kept tiles. */
const maxKept = 8;

export class Turning {
  readonly #made = new Map<string, Tile>();

  /** @param forget called with the block of a tile that is no longer needed */
  constructor(private readonly forget: (blockKey: string) => void) {}

  /** A layer with one tile over the whole canvas. */
  upright(layer: SceneLayer, turn: Matrix, scene: Scene): SceneLayer {
    const { size, ratio, camera, aspect } = scene;
    const { style, tiles, extent } = layer;
    const key = JSON.stringify([
      turn,
      size,
      ratio,
      camera,
      aspect,
      style.kind,
      tiles.map((tile) => tile.key),
    ]);
    const tile = this.#made.get(key) ?? upright(layer, turn, scene);
    this.#made.delete(key);
    if (!tile) return { ...layer, tiles: [], turn: undefined };
    this.#made.set(key, tile);
    for (const [name, { block }] of this.#made) {
      if (this.#made.size <= maxKept) break;
      this.#made.delete(name);
      this.forget(block.key);
    }
    return { ...layer, tiles: [tile], turn: undefined, extent: extent && tile.world };
  }
}

function upright({ tiles, extent, style }: SceneLayer, turn: Matrix, scene: Scene): Tile | undefined {
  const back = inverse(turn);
  const [first] = tiles;
  if (!back || !first) return undefined;
  const where = placing(scene);
  const unit = where.exact({ left: 0, top: 0, right: 1, bottom: 1 });
  const [across, down] = [unit.right - unit.left, unit.bottom - unit.top];
  const rows = [-unit.top / down, (where.height - unit.top) / down];
  const world = {
    left: -unit.left / across,
    right: (where.width - unit.left) / across,
    top: Math.min(...rows),
    bottom: Math.max(...rows),
  };
  const grain = isReduced(tiles, turn, across, down) && style.kind !== "labels" ? 2 : 1;
  const [width, height] = [where.width * grain, where.height * grain];
  const owners = new Owners(tiles);
  const values = pixelValues(tiles, width * height);
  const step = { x: (world.right - world.left) / width, y: (world.bottom - world.top) / height };
  const gaps: TileGap[] = [];
  for (let j = 0, at = 0; j < height; j++)
    for (let i = 0; i < width; i++, at++) {
      const [column, row] = applied(back, world.left + (i + 0.5) * step.x, world.top + (j + 0.5) * step.y);
      if (extent && !holds(extent, row, column)) {
        values[at] = Number.NaN;
        continue;
      }
      const [y, x] = [Math.floor(row), Math.floor(column)];
      const value = owners.valueAt(y, x);
      values[at] = value;
      if (Number.isNaN(value) && owners.isDamagedAt(y, x)) addDamaged(gaps, j, i);
    }
  return gatheredTile(values, { width, height, world }, first, gaps);
}

const holds = ({ top, bottom, left, right }: Rectangle, row: number, column: number): boolean =>
  row >= top && row < bottom && column >= left && column < right;

/** Whether elements of the finest tiles are smaller than pixels, as in the shader. */
function isReduced(tiles: readonly Tile[], [a, b, c, d]: Matrix, across: number, down: number): boolean {
  const { world, plane } = tiles.at(-1)!;
  const [x, y] = [(world.right - world.left) / plane.columns, (world.bottom - world.top) / plane.rows];
  return Math.min(x * Math.hypot(a * across, b * down), y * Math.hypot(c * across, d * down)) < 0.95;
}
