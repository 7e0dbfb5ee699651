/** Colours the elements under the pixels of a canvas, as the shaders do. */
import { labelCount } from "../base/color-tables.js";
import { labelPixel } from "../base/label-pixels.js";
import type { Matrix } from "../base/matrix.js";
import type { Numbers, Plane } from "../base/plane.js";
import type { Tile } from "../tiles/tile.js";
import { type CodeLook, codeLook, tileCodes } from "./label-look.js";
import { mixPixels, paintPlane } from "./paint.js";
import type { Grain } from "./placing.js";
import type { SceneLayer } from "./renderer.js";
import type { PixelBox } from "./shared-context.js";
import { faint, layerColors, outsideOf } from "./table.js";

/** Places of one or two samples along a side of a pixel, from its centre. */
const places = { 1: [0], 2: [-0.25, 0.25] } as const;

/** Minimum number of samples for which a table of the colours of all values is made. */
const minSamples = 2 ** 13;

/**
 * The elements under the pixels of a box, row by row, as positions in the values of a plane. Beyond its edges, the
 * nearest elements.
 * @param toElements from device pixels to columns and rows of the plane
 * @param shift of the samples from the centres of the pixels
 */
export function elementsUnder(
  { left, top, right, bottom }: PixelBox,
  [a, b, c, d, e, f]: Matrix,
  { offset, rows, columns, rowStride, columnStride }: Omit<Plane, "values">,
  [across, down]: readonly [number, number] = [0, 0],
): Int32Array {
  const width = right - left;
  const found = new Int32Array(width * (bottom - top));
  const inside = (at: number, count: number) => Math.min(Math.max(Math.floor(at), 0), count - 1);
  const isUpright = b === 0 && c === 0;
  const columnsAt = new Int32Array(width);
  for (let j = 0, at = 0; j < bottom - top; j++) {
    const y = top + j + 0.5 + down;
    if (j === 0 || !isUpright)
      for (let i = 0; i < width; i++)
        columnsAt[i] = inside(a * (left + i + 0.5 + across) + c * y + e, columns) * columnStride;
    if (isUpright) {
      const start = offset + inside(d * y + f, rows) * rowStride;
      for (let i = 0; i < width; i++) found[at++] = start + columnsAt[i]!;
    } else
      for (let i = 0; i < width; i++) {
        const row = inside(b * (left + i + 0.5 + across) + d * y + f, rows);
        found[at++] = offset + row * rowStride + columnsAt[i]!;
      }
  }
  return found;
}

/** The content of a picture that is being drawn. */
export interface PixelLook {
  readonly layer: SceneLayer;
  /** Identifies the colours of the layer. */
  readonly key: string;
  readonly grain: Grain;
}

export class PixelPainter {
  /** The colours of all values of a data type of up to 16 bits, and what determines them. */
  #colors: { readonly key: string; readonly pixels: Uint32Array } | undefined;

  /** Colours the pixels of a box, row by row. @param toElements from device pixels to columns and rows of the tile */
  paint(tile: Tile, box: PixelBox, toElements: Matrix, look: PixelLook, pixels: Uint32Array): void {
    if (look.layer.style.kind === "labels") {
      const codes = tileCodes(tile);
      paintCodes(codes, elementsUnder(box, toElements, codes), look.layer, pixels);
      return;
    }
    const { plane } = tile;
    const [across, down] = look.grain;
    const shifts = places[down].flatMap((y) => places[across].map((x) => [x, y] as const));
    const samples = shifts.map((shift) => {
      const sample = shifts.length > 1 ? new Uint32Array(pixels.length) : pixels;
      this.#paintNumbers(plane.values, elementsUnder(box, toElements, plane, shift), look, sample);
      return sample;
    });
    if (samples.length > 1) mixPixels(samples.length === 2 ? [...samples, ...samples] : samples, pixels);
  }

  #paintNumbers(values: Numbers, elements: Int32Array, look: PixelLook, pixels: Uint32Array): void {
    const colors = this.#colorsOf(values, look, elements.length);
    if (!colors) {
      const gathered = emptyLike(values, elements.length);
      for (let i = 0; i < elements.length; i++) gathered[i] = values[elements[i]!]!;
      paintRow(gathered, look.layer, pixels);
      return;
    }
    const mask = colors.length - 1;
    for (let i = 0; i < elements.length; i++) pixels[i] = colors[values[elements[i]!]! & mask]!;
  }

  /** Returns the colours of all values; undefined if they are too many for so few samples. */
  #colorsOf(values: Numbers, { layer, key: look }: PixelLook, count: number): Uint32Array | undefined {
    const bytes = values.BYTES_PER_ELEMENT;
    if (bytes > 2) return undefined;
    const key = `${values.constructor.name} ${look}`;
    if (this.#colors?.key === key) return this.#colors.pixels;
    if (count < minSamples) return undefined;
    const pixels = new Uint32Array(2 ** (8 * bytes));
    const all = emptyLike(values, pixels.length).map((_, i) => i); // wraps around for signed types
    paintRow(all, layer, pixels);
    this.#colors = { key, pixels };
    return pixels;
  }
}

const emptyLike = (values: Numbers, length: number): Numbers =>
  new (values.constructor as new (length: number) => Numbers)(length);

/** Colours numbers as the style of a layer says. */
function paintRow(values: Numbers, { style, low, high }: SceneLayer, pixels: Uint32Array): void {
  const columns = values.length;
  const plane = { values, offset: 0, rows: 1, columns, rowStride: columns, columnStride: 1 };
  paintPlane(plane, layerColors(style), { low, high, scale: style.scale }, outsideOf(style), pixels);
}

const everyLabel: CodeLook = { isOutline: false, hidden: [], selected: [], isFaint: false, plain: undefined };

/**
 * Colours codes of labels. An element is part of an outline if a neighbour has another label; inside it, and in place of
 * hidden labels, is the background.
 */
function paintCodes(
  { values: codes, rows, columns, rowStride, columnStride }: Plane,
  elements: Int32Array,
  { style }: SceneLayer,
  pixels: Uint32Array,
): void {
  const table = layerColors(style);
  const look = codeLook(style) ?? everyLabel;
  const [hidden, selected] = [new Set(look.hidden), new Set(look.selected)];
  const isInner = (at: number) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const isSame = (isInside: boolean, step: number) => !isInside || codes[at + step] === codes[at];
    return (
      isSame(column > 0, -columnStride) &&
      isSame(column < columns - 1, columnStride) &&
      isSame(row > 0, -rowStride) &&
      isSame(row < rows - 1, rowStride)
    );
  };
  for (let i = 0; i < elements.length; i++) {
    const code = codes[elements[i]!]!;
    if (hidden.has(code) || (look.isOutline && isInner(elements[i]!))) {
      pixels[i] = table[0]!;
      continue;
    }
    const pixel = labelPixel(table, code, look.plain);
    pixels[i] = look.isFaint && code >= labelCount && !selected.has(code) ? faint(pixel, table[0]!) : pixel;
  }
}
