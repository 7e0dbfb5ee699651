/** Draws tiles as drafts: every pixel is one element, painted at its place without a filter. */
import type { Numbers, Plane } from "../base/plane.js";
import type { Tile } from "../tiles/tile.js";
import { paintValues } from "./pictures.js";
import type { Placed } from "./placing.js";
import type { SceneLayer } from "./renderer.js";

/** Minimum number of pixels of a tile for which a table of all values is made. */
const minPixels = 2 ** 13;

export class Drafts {
  /** The colours of all values of a data type of up to 16 bits, and what determines them. */
  #colors: { readonly key: string; readonly pixels: Uint32Array } | undefined;

  /**
   * Draws the draft of a tile.
   * @param look identifies the layer's colours
   * @returns false if it has none: it is magnified, or not wholly within the plane
   */
  draw(
    context: CanvasRenderingContext2D,
    { plane }: Tile,
    layer: SceneLayer,
    look: string,
    placed: Placed,
    bounds: Placed,
  ): boolean {
    if (layer.style.kind === "labels" || !isWithin(placed, bounds)) return false;
    const sampling = draftSampling(plane, placed, context.canvas);
    if (!sampling) return false;
    const { left, top, across, down } = sampling;
    if (down.length === 0 || across.length === 0) return true;
    const image = new ImageData(across.length, down.length);
    this.paint(plane, sampling, layer, look, new Uint32Array(image.data.buffer));
    context.putImageData(image, left, top);
    return true;
  }

  /** Colours the sampled elements. */
  paint(plane: Plane, sampling: Sampling, layer: SceneLayer, look: string, pixels: Uint32Array): void {
    const colors = this.#colorsOf(plane, layer, look, pixels.length);
    if (colors) lookUp(plane, sampling, colors, pixels);
    else paintValues(sampledPlane(plane, sampling), layer, pixels);
  }

  /** Returns the colours of all values; undefined if they are too many, or the tile has too few pixels. */
  #colorsOf({ values }: Plane, layer: SceneLayer, look: string, count: number): Uint32Array | undefined {
    const bytes = values.BYTES_PER_ELEMENT;
    if (bytes > 2) return undefined;
    const Values = values.constructor as new (length: number) => Numbers;
    const key = `${Values.name} ${look}`;
    if (this.#colors?.key === key) return this.#colors.pixels;
    if (count < minPixels) return undefined;
    const columns = 2 ** (8 * bytes);
    const all = new Values(columns).map((_, i) => i); // wraps around for signed types
    const pixels = new Uint32Array(columns);
    const plane = { values: all, offset: 0, rows: 1, columns, rowStride: columns, columnStride: 1 };
    paintValues(plane, layer, pixels);
    this.#colors = { key, pixels };
    return pixels;
  }
}

function isWithin({ left, right, top, bottom }: Placed, bounds: Placed): boolean {
  const [least, most] = [Math.min(bounds.top, bounds.bottom), Math.max(bounds.top, bounds.bottom)];
  const isBeside = left < bounds.left || right > bounds.right;
  return !isBeside && Math.min(top, bottom) >= least && Math.max(top, bottom) <= most;
}

/** The elements that a draft shows, and the place of its first pixel. */
interface Sampling {
  readonly left: number;
  readonly top: number;
  /** Offsets of the columns, and of the rows. */
  readonly across: Int32Array;
  readonly down: Int32Array;
}

/** The elements under the centres of the visible pixels of a plane, one per pixel. Undefined if it is magnified. */
export function draftSampling(
  { offset, rows, columns, rowStride, columnStride }: Plane,
  placed: Placed,
  { width, height }: { readonly width: number; readonly height: number },
): Sampling | undefined {
  const [top, bottom] = [Math.min(placed.top, placed.bottom), Math.max(placed.top, placed.bottom)];
  if (placed.right - placed.left > columns || bottom - top > rows) return undefined;
  const across = centres(placed.left, placed.right, width, columns);
  const down = centres(top, bottom, height, rows);
  // Rows go up if the top is below the bottom.
  const isUp = placed.bottom < placed.top;
  return {
    left: across.first,
    top: down.first,
    across: across.at.map((column) => column * columnStride),
    down: down.at.map((row) => offset + (isUp ? rows - 1 - row : row) * rowStride),
  };
}

/** The sampled elements as a plane. */
export function sampledPlane({ values }: Plane, { across, down }: Sampling): Plane {
  const [rows, columns] = [down.length, across.length];
  const out = new (values.constructor as new (length: number) => Numbers)(rows * columns);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const start = down[row]!;
    for (let column = 0; column < columns; column++) out[at++] = values[start + across[column]!]!;
  }
  return { values: out, offset: 0, rows, columns, rowStride: columns, columnStride: 1 };
}

/** Colours the sampled elements from a table of all values. */
function lookUp(
  { values }: Plane,
  { across, down }: Sampling,
  colors: Uint32Array,
  pixels: Uint32Array,
): void {
  const [rows, columns, mask] = [down.length, across.length, colors.length - 1];
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const start = down[row]!;
    for (let column = 0; column < columns; column++)
      pixels[at++] = colors[values[start + across[column]!]! & mask]!;
  }
}

/** The first visible pixel from `start` to `stop`, and the elements under the centres of it and the following. */
function centres(start: number, stop: number, size: number, count: number) {
  const first = Math.max(0, start);
  const step = count / (stop - start);
  const at = new Int32Array(Math.max(0, Math.min(size, stop) - first));
  for (let i = 0; i < at.length; i++)
    at[i] = Math.min(count - 1, Math.floor((first + i + 0.5 - start) * step));
  return { first, at };
}
