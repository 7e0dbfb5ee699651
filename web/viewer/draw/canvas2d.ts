/** Renderer without WebGL2: draws images of tiles with a 2-D context. */
import type { Tile, TileGap } from "../tiles/tile.js";
import { Drafts } from "./draft.js";
import { Drawn, tilePosition } from "./drawn.js";
import { drawingContext, Pictures } from "./pictures.js";
import { type Placed, placing } from "./placing.js";
import { Putter } from "./putting.js";
import {
  dotDistance,
  hatchDistance,
  type MakingTime,
  marks,
  type Renderer,
  type Scene,
  type SceneLayer,
  timeFor,
} from "./renderer.js";
import { markedGaps } from "./table.js";
import { Turning } from "./turning.js";

export class CanvasRenderer implements Renderer {
  readonly kind = "canvas";
  readonly #pictures: Pictures;
  readonly #drafts = new Drafts();
  readonly #layer = document.createElement("canvas");
  readonly #putter = new Putter();
  readonly #turning = new Turning((key) => this.#pictures.forget(key));
  readonly #drawn = new Drawn();
  /**
   * The placement of tiles on the canvas, and the keys of the tiles drawn since it was cleared, in any
   * colours.
   */
  #place = "";
  readonly #painted = new Set<string>();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    budgetBytes: number,
  ) {
    this.#pictures = new Pictures(budgetBytes);
  }

  get bytes(): number {
    return this.#pictures.bytes;
  }
  get budget(): number {
    return this.#pictures.budget;
  }
  set budget(bytes: number) {
    this.#pictures.budget = bytes;
  }

  forget(blockKey: string): void {
    this.#pictures.forget(blockKey);
    this.#drawn.forget(); // its replacement may look different
    this.#place = "";
  }

  dispose(): void {
    this.#pictures.clear();
  }

  draw(scene: Scene): boolean {
    const { width, height } = placing(scene);
    if (this.canvas.width !== width || this.canvas.height !== height)
      Object.assign(this.canvas, { width, height });
    const context = drawingContext(this.canvas);
    const time = timeFor(scene);
    const fresh = this.#drawn.fresh(scene);
    if (fresh) return this.#drawLayer(context, scene, { ...scene.layers[0]!, tiles: fresh }, time);
    this.#begin(context, scene);
    const isOfOtherSize = this.#layer.width !== width || this.#layer.height !== height;
    if (scene.layers.length > 1 && isOfOtherSize) Object.assign(this.#layer, { width, height });
    let isWhole = true;
    for (const [i, layer] of scene.layers.entries()) {
      if (i === 0) {
        isWhole = this.#drawLayer(context, scene, layer, time);
        continue;
      }
      const own = drawingContext(this.#layer);
      const isMask = layer.style.blend === "mask";
      own.clearRect(0, 0, width, height);
      // An unread mask hides nothing.
      if (isMask) own.fillRect(0, 0, width, height);
      isWhole = this.#drawLayer(own, scene, layer, time) && isWhole;
      context.globalCompositeOperation = operations[layer.style.blend];
      context.globalAlpha = layer.style.opacity;
      context.drawImage(this.#layer, 0, 0);
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = "source-over";
    return isWhole;
  }

  /**
   * Paints the ground and the paper, which tiles will cover. If only the colours change, the old picture
   * stays until its tiles are drawn in the new ones.
   */
  #begin(context: CanvasRenderingContext2D, scene: Scene): void {
    const place = tilePosition(scene);
    this.#drawn.begin(scene);
    if (scene.layers.length === 1 && place === this.#place) {
      const wanted = new Set(scene.layers[0]!.tiles.map(({ key }) => key));
      if ([...this.#painted].every((key) => wanted.has(key))) return;
    }
    this.#place = scene.layers.length === 1 ? place : "";
    this.#painted.clear();
    const { width, height, place: placeIn } = placing(scene);
    const { left, right, top, bottom } = placeIn(scene.extent);
    context.fillStyle = css(scene.ground);
    context.fillRect(0, 0, width, height);
    context.fillStyle = css(scene.paper);
    context.fillRect(left, Math.min(top, bottom), right - left, Math.abs(bottom - top));
  }

  #drawLayer(context: CanvasRenderingContext2D, scene: Scene, given: SceneLayer, time: MakingTime): boolean {
    const where = placing(scene);
    const layer = given.turn ? this.#turning.upright(given, given.turn, scene) : given;
    const look = pictureLook(layer);
    let isWhole = true;
    // Coarse levels may extend beyond the array's edge, where no finer tiles would cover them.
    const bounds = where.place(layer.extent ?? scene.extent);
    const { left, right, top, bottom } = bounds;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    for (const tile of layer.tiles) {
      const placed = where.place(tile.world);
      if (!where.isSeen(placed)) continue;
      const isDraft = scene.isDraft && this.#drafts.draw(context, tile, layer, look, placed, bounds);
      const { picture, isFine } = isDraft
        ? { picture: undefined, isFine: true }
        : this.#pictures.of(tile, layer, look, placed, time);
      if (!isFine) isWhole = false;
      if (picture) this.#putter.put(context, picture.image, placed, layer.style.kind === "labels");
      else if (!isDraft) continue;
      drawGaps(context, markedGaps(tile, layer.style), placed, scene.ratio);
      if (isFine) this.#drawn.add(tile);
      this.#painted.add(tile.key);
    }
    context.restore();
    return isWhole;
  }
}

/** Everything that determines the pixels of a layer's images. */
function pictureLook({ style, low, high }: SceneLayer): string {
  const { opacity, blend, ...colours } = style;
  return [...Object.values(colours), low, high].join();
}

const operations = { add: "lighter", over: "source-over", mask: "destination-in" } as const;

const css = ([r, g, b]: readonly number[]) => `rgb(${r} ${g} ${b})`;

function drawGaps(
  context: CanvasRenderingContext2D,
  { gaps, plane }: Pick<Tile, "gaps" | "plane">,
  placed: Placed,
  ratio: number,
): void {
  const patterns = new Map<TileGap["kind"], CanvasPattern>();
  for (const { kind, rows, columns } of gaps) {
    const across = (column: number) =>
      Math.round(placed.left + ((placed.right - placed.left) * column) / plane.columns);
    const down = (row: number) => Math.round(placed.top + ((placed.bottom - placed.top) * row) / plane.rows);
    const [left, top] = [across(columns[0]), down(rows[0])];
    const made = patterns.get(kind) ?? pattern(context, kind, ratio);
    patterns.set(kind, made);
    context.fillStyle = made;
    context.fillRect(left, top, across(columns[1]) - left, down(rows[1]) - top);
  }
}

/** A pattern of hatching or dots. */
function pattern(
  context: CanvasRenderingContext2D,
  kind: "missing" | "damaged",
  ratio: number,
): CanvasPattern {
  const side = Math.round((kind === "damaged" ? hatchDistance : dotDistance) * ratio);
  const canvas = Object.assign(document.createElement("canvas"), { width: side, height: side });
  const own = drawingContext(canvas);
  if (kind === "damaged") {
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        own.fillStyle = css((x - y + side) % side < side * 0.4 ? marks.hatchDark : marks.hatchLight);
        own.fillRect(x, y, 1, 1);
      }
  } else {
    own.fillStyle = css(marks.dot);
    own.arc(side / 2, side / 2, side * 0.17, 0, 2 * Math.PI);
    own.fill();
  }
  return context.createPattern(canvas, "repeat")!;
}
