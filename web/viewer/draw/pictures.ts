/** Images of tiles for 2-D contexts: no larger than displayed, and cached within a budget. */
import { labelPixel } from "../base/label-pixels.js";
import type { Plane } from "../base/plane.js";
import type { Tile } from "../tiles/tile.js";
import { type CodeLook, codeLook, paintCodes, planeCodes } from "./label-look.js";
import { labelCodes } from "./labels.js";
import { paintLabels, paintPlane, paintThinned, type Thinning, thinnedPlane } from "./paint.js";
import type { Placed } from "./placing.js";
import type { MakingTime, SceneLayer } from "./renderer.js";
import { layerColors, outsideOf } from "./table.js";
import { TileCache } from "./tile-cache.js";

export interface Picture {
  readonly key: string;
  readonly bytes: number;
  readonly thinning: Thinning;
  readonly image: ImageBitmap | HTMLCanvasElement;
}

export class Pictures extends TileCache<Picture> {
  readonly #studio = new Studio();

  constructor(budgetBytes: number) {
    super(budgetBytes, ({ image }) => {
      if ("close" in image) image.close();
    });
  }

  /**
   * Returns the image of a tile for its place on the canvas. If there is no time left to make one, returns
   * one of another resolution, or none.
   * @param look identifies the layer's colours
   */
  of(
    tile: Tile,
    layer: SceneLayer,
    look: string,
    placed: Placed,
    time: MakingTime,
  ): { picture: Picture | undefined; isFine: boolean } {
    const key = `${tile.key} ${look}`;
    const thinning = thinningFor(tile, placed);
    const kept = this.get(key);
    // Finer ones are not reused either: the result must not depend on earlier views.
    if (kept && kept.thinning.rows === thinning.rows && kept.thinning.columns === thinning.columns)
      return { picture: kept, isFine: true };
    if (time.left <= 0) return { picture: kept, isFine: false };
    const picture = this.make(tile, time, () => {
      const data = pixelValues(tile, layer, thinning);
      return { key, bytes: data.data.byteLength, thinning, image: this.#studio.take(data) };
    });
    return { picture, isFine: true };
  }
}

/**
 * Converts pixels to drawable images. A canvas for each would cost a browser several times as much as the
 * pixels.
 */
class Studio {
  #canvas: OffscreenCanvas | undefined;
  #context: OffscreenCanvasRenderingContext2D | null = null;

  take(data: ImageData): ImageBitmap | HTMLCanvasElement {
    const { width, height } = data;
    const context = this.#contextOf(width, height);
    if (!context) {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      drawingContext(canvas).putImageData(data, 0, 0);
      return canvas;
    }
    context.putImageData(data, 0, 0);
    return this.#canvas!.transferToImageBitmap();
  }

  /** In some browsers, off-screen canvases have no 2-D context. */
  #contextOf(width: number, height: number): OffscreenCanvasRenderingContext2D | null {
    if (typeof OffscreenCanvas === "undefined") return null;
    if (!this.#canvas) {
      this.#canvas = new OffscreenCanvas(width, height);
      this.#context = this.#canvas.getContext("2d", inMainMemory);
    } else if (this.#canvas.width !== width || this.#canvas.height !== height)
      Object.assign(this.#canvas, { width, height });
    return this.#context;
  }
}

/** GPU-backed canvases are slow to draw on and to read back without a GPU. */
const inMainMemory: CanvasRenderingContext2DSettings = { willReadFrequently: true };

export const drawingContext = (canvas: HTMLCanvasElement) => canvas.getContext("2d", inMainMemory)!;

/**
 * Powers of 2, so that images are remade only occasionally while zooming in, and every pixel covers whole
 * elements.
 */
function thinningFor({ plane }: Tile, { left, right, top, bottom }: Placed): Thinning {
  return { rows: stepFor(plane.rows, Math.abs(bottom - top)), columns: stepFor(plane.columns, right - left) };
}

function stepFor(length: number, pixels: number): number {
  let step = 1;
  while (length % (2 * step) === 0 && length >= 2 * step * pixels) step *= 2;
  return step;
}

function pixelValues(tile: Tile, layer: SceneLayer, step: Thinning): ImageData {
  const { plane } = tile;
  const image = new ImageData(plane.columns / step.columns, plane.rows / step.rows);
  const pixels = new Uint32Array(image.data.buffer);
  if (layer.style.kind === "labels")
    paintEvery(tile, layerColors(layer.style), step, codeLook(layer.style), pixels);
  else paintThinned(plane, step, pixels, (part, into) => paintValues(part, layer, into));
  return image;
}

/** Colours the values of a plane, as the style of a layer says. */
export function paintValues(plane: Plane, { style, low, high }: SceneLayer, pixels: Uint32Array): void {
  const range = { low, high, scale: style.scale };
  paintPlane(plane, layerColors(style), range, outsideOf(style), pixels);
}

/** One label is chosen of several: the mean of their colours would be another label's. */
function paintEvery(
  tile: Tile,
  table: Uint32Array,
  step: Thinning,
  look: CodeLook | undefined,
  pixels: Uint32Array,
): void {
  const { plane } = tile;
  const entries = labelCodes(tile);
  const thinned = thinnedPlane(plane, step, step.rows >> 1, step.columns >> 1);
  if (!entries && !look) {
    paintLabels(thinned, table, pixels);
    return;
  }
  const data = entries ? entries([0, plane.rows], [0, plane.columns], step).data : planeCodes(thinned);
  if (look) paintCodes(data, thinned.columns, table, look, pixels);
  else for (let i = 0; i < pixels.length; i++) pixels[i] = labelPixel(table, data[i]!);
}
