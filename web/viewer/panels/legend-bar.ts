/** Colour maps as bars. */
import { colorTable } from "../base/color-tables.js";
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

const colormapGradient = keptFor((table: Uint32Array) => {
  const bytes = new Uint8Array(table.buffer, table.byteOffset);
  const stops = Array.from({ length: 52 }, (_, i) => {
    const at = 5 * i;
    return `rgb(${bytes.subarray(4 * at, 4 * at + 3).join(" ")}) ${((at + 0.5) / 2.56).toFixed(2)}%`;
  });
  return `linear-gradient(to right, ${stops.join(", ")})`;
});
