/** Colour maps as bars. */
import { colorTable, pixelBytes } from "../base/color-tables.js";
import type { ColormapName } from "../base/colormaps.js";
import { keptFor } from "../base/memo.js";

/** Fills a canvas of 256 pixels with a colour map. */
export function paintBar(canvas: HTMLCanvasElement, colormap: ColormapName): void {
  paintTable(canvas, colorTable(colormap));
}

/** As a CSS gradient: drawing on the first canvas of a page waits for the GPU to start. */
export function paintTable(bar: HTMLElement, table: Uint32Array): void {
  bar.style.background = colormapGradient(table);
}

/** Number of colours up to which their edges are sharp. */
const maxSharp = 52;

const colormapGradient = keptFor((table: Uint32Array) => {
  const stop = (i: number, at: number) =>
    `rgb(${pixelBytes(table[i]!).join(" ")}) ${(at / 2.56).toFixed(2)}%`;
  const starts = [...table.keys()].filter((i) => i === 0 || table[i] !== table[i - 1]);
  const stops =
    starts.length > maxSharp
      ? Array.from({ length: maxSharp }, (_, i) => stop(5 * i, 5 * i + 0.5))
      : starts.flatMap((start, i) => [stop(start, start), stop(start, starts[i + 1] ?? 256)]);
  return `linear-gradient(to right, ${stops.join(", ")})`;
});
