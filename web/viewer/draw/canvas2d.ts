/** Renderer without WebGL2: puts the colours of the elements under the pixels on a 2-D canvas. */
import { applied, inverse, product } from "../base/matrix.js";
import type { Tile } from "../tiles/tile.js";
import { Drawn, tilePosition } from "./drawn.js";
import {
  cornersOf,
  grainOf,
  intersection,
  type PlacedTile,
  paperBoxes,
  pixelBox,
  placedTile,
  placing,
} from "./placing.js";
import {
  gapPattern,
  hatchDistance,
  type Pattern,
  type Renderer,
  type Scene,
  type SceneLayer,
} from "./renderer.js";
import { elementsUnder, type PixelLook, PixelPainter } from "./sampling.js";
import type { PixelBox } from "./shared-context.js";
import { markedGaps } from "./table.js";

/** GPU-backed canvases are slow to draw on and to read back without a GPU. */
const drawingContext = (canvas: HTMLCanvasElement) => canvas.getContext("2d", { willReadFrequently: true })!;

export class CanvasRenderer implements Renderer {
  readonly kind = "canvas";
  /** Nothing is kept. */
  budget = 0;
  readonly #layer = document.createElement("canvas");
  readonly #painter = new PixelPainter();
  readonly #drawn = new Drawn();
  /** The position of the last picture. */
  #position = "";

  constructor(private readonly canvas: HTMLCanvasElement) {}

  forget(): void {
    this.#drawn.forget(); // a replacement may look different
  }

  dispose(): void {}

  /** While a picture moves, its pixels show one element each; the next frame draws it in full. */
  draw(scene: Scene): boolean {
    const { width, height } = placing(scene);
    resize(this.canvas, width, height);
    const context = drawingContext(this.canvas);
    const position = tilePosition(scene);
    const isQuick = scene.isDraft === true || position !== this.#position;
    this.#position = position;
    const fresh = this.#drawn.fresh(scene);
    if (fresh) return this.#drawLayer(context, scene, { ...scene.layers[0]!, tiles: fresh }, isQuick);
    this.#drawn.begin(scene);
    paintGround(context, scene);
    if (scene.layers.length > 1) resize(this.#layer, width, height);
    let isWhole = true;
    for (const [i, layer] of scene.layers.entries()) {
      if (i === 0) {
        isWhole = this.#drawLayer(context, scene, layer, isQuick);
        continue;
      }
      const own = drawingContext(this.#layer);
      own.clearRect(0, 0, width, height);
      // An unread mask hides nothing.
      if (layer.style.blend === "mask") own.fillRect(0, 0, width, height);
      isWhole = this.#drawLayer(own, scene, layer, isQuick) && isWhole;
      context.globalCompositeOperation = operations[layer.style.blend];
      context.globalAlpha = layer.style.opacity;
      context.drawImage(this.#layer, 0, 0);
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = "source-over";
    return isWhole;
  }

  #drawLayer(context: CanvasRenderingContext2D, scene: Scene, layer: SceneLayer, isQuick: boolean): boolean {
    const where = placing(scene);
    const key = colorKey(layer);
    let isWhole = true;
    for (const tile of layer.tiles) {
      const placed = placedTile(tile, layer, scene, where);
      const box = pixelBox(placed, layer, scene, where);
      if (box.left >= box.right || box.top >= box.bottom) continue;
      const grain = grainOf(placed, layer);
      const isReduced = grain.includes(2);
      this.#drawTile(context, placed, box, { layer, key, grain: isQuick ? [1, 1] : grain });
      drawGaps(context, markedGaps(tile, layer.style, layer.style === scene.layers[0]!.style), placed, scene);
      if (isReduced && isQuick && !scene.isDraft) isWhole = false;
      else this.#drawn.add(tile);
    }
    return isWhole;
  }

  #drawTile(
    context: CanvasRenderingContext2D,
    { tile, matrix, seen, isTurned }: PlacedTile,
    box: PixelBox,
    look: PixelLook,
  ): void {
    const toElements = inverse(matrix);
    if (!toElements) return;
    const { left, top, right, bottom } = box;
    const image = new ImageData(right - left, bottom - top);
    const pixels = new Uint32Array(image.data.buffer);
    this.#painter.paint(tile, box, toElements, look, pixels);
    if (!isTurned) {
      context.putImageData(image, left, top);
      return;
    }
    const below = context.getImageData(left, top, image.width, image.height);
    const target = new Uint32Array(below.data.buffer);
    // One position more on each side: of pixels beyond the tile.
    const [rows, columns] = [tile.plane.rows + 2, tile.plane.columns + 2];
    const around = { offset: 0, rows, columns, rowStride: columns, columnStride: 1 };
    const elements = elementsUnder(box, product([1, 0, 0, 1, 1, 1], toElements), around);
    for (const [i, at] of elements.entries()) {
      const [row, column] = [Math.floor(at / columns) - 1, (at % columns) - 1];
      const isInside = column >= seen.left && column < seen.right && row >= seen.top && row < seen.bottom;
      if (isInside) target[i] = pixels[i]!;
    }
    context.putImageData(below, left, top);
  }
}

function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
}

/** Paints the ground, and the paper, hatched where no tile will cover it. */
function paintGround(context: CanvasRenderingContext2D, scene: Scene): void {
  const where = placing(scene);
  const { width, height, place } = where;
  const { left, right, top, bottom } = place(scene.extent);
  context.fillStyle = css(scene.ground);
  context.fillRect(0, 0, width, height);
  context.fillStyle = pattern(context, gapPattern("unread", scene), scene.ratio);
  context.fillRect(left, Math.min(top, bottom), right - left, Math.abs(bottom - top));
  context.fillStyle = css(scene.paper);
  for (const { left, top, right, bottom } of paperBoxes(scene, where))
    context.fillRect(left, top, right - left, bottom - top);
}

/** Everything that determines the colours of a layer. */
function colorKey({ style, low, high }: SceneLayer): string {
  const { opacity, blend, ...colours } = style;
  return [...Object.values(colours), low, high].join();
}

const operations = { add: "lighter", over: "source-over", mask: "destination-in" } as const;

const css = ([r, g, b]: readonly number[]) => `rgb(${r} ${g} ${b})`;

function drawGaps(
  context: CanvasRenderingContext2D,
  { gaps }: Pick<Tile, "gaps">,
  { matrix, seen, isTurned }: PlacedTile,
  scene: Scene,
): void {
  const patterns = new Map<string, CanvasPattern>();
  for (const { kind, rows, columns } of gaps) {
    const part = intersection(seen, { left: columns[0], right: columns[1], top: rows[0], bottom: rows[1] });
    if (part.left >= part.right || part.top >= part.bottom) continue;
    context.beginPath();
    for (const [x, y] of cornersOf(part)) {
      const [across, down] = applied(matrix, x, y);
      if (isTurned) context.lineTo(across, down);
      else context.lineTo(Math.round(across), Math.round(down));
    }
    const made = patterns.get(kind) ?? pattern(context, gapPattern(kind, scene), scene.ratio);
    patterns.set(kind, made);
    context.fillStyle = made;
    context.fill();
  }
}

function pattern(context: CanvasRenderingContext2D, { light, dark }: Pattern, ratio: number): CanvasPattern {
  const side = Math.round(hatchDistance * ratio);
  const canvas = Object.assign(document.createElement("canvas"), { width: side, height: side });
  const own = drawingContext(canvas);
  own.fillStyle = css(dark);
  if (light) {
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        own.fillStyle = css((x - y + side) % side < side * 0.4 ? dark : light);
        own.fillRect(x, y, 1, 1);
      }
  } else {
    own.arc(side / 2, side / 2, side * 0.17, 0, 2 * Math.PI);
    own.fill();
  }
  return context.createPattern(canvas, "repeat")!;
}
