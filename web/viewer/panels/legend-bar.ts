/** Colour maps as bars. */
import { colorTable, pixelBytes } from "../base/color-tables.js";
import type { ColormapName } from "../base/colormaps.js";
import { h } from "../base/dom.js";
import { keptFor } from "../base/memo.js";
import type { OutsideColors } from "../base/outside-colors.js";

/** Whether there are values below and above the range of a bar. */
export interface Clipping {
  readonly isBelow: boolean;
  readonly isAbove: boolean;
}

/** A colour map between two values, with a triangle at each end that values lie beyond. */
export class LegendBar {
  readonly bar = h("div", { class: "zw-legend-bar" });
  readonly #ends = ["below", "above"].map((end) =>
    h("span", { class: `zw-legend-end zw-legend-${end}`, title: `Values ${end} the range` }, h("span")),
  ) as [HTMLElement, HTMLElement];
  readonly element = h(
    "div",
    { class: "zw-legend-colors", "aria-hidden": "true" },
    this.#ends[0],
    this.bar,
    this.#ends[1],
  );

  /** @param outside colours of values beyond the ends. Default: those of the ends */
  show(table: Uint32Array, { isBelow, isAbove }: Clipping, outside?: OutsideColors): void {
    paintTable(this.bar, table);
    const [below, above] = this.#ends;
    showEnd(below, isBelow, outside?.below ?? pixelBytes(table[0]!));
    showEnd(above, isAbove, outside?.above ?? pixelBytes(table.at(-1)!));
  }
}

function showEnd(end: HTMLElement, isShown: boolean, color: readonly number[]): void {
  end.hidden = !isShown;
  (end.firstElementChild as HTMLElement).style.background = css(color);
}

const css = (color: readonly number[]): string => `rgb(${color.join(" ")})`;

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
  const stop = (i: number, at: number) => `${css(pixelBytes(table[i]!))} ${(at / 2.56).toFixed(2)}%`;
  const starts = [...table.keys()].filter((i) => i === 0 || table[i] !== table[i - 1]);
  const stops =
    starts.length > maxSharp
      ? Array.from({ length: maxSharp }, (_, i) => stop(5 * i, 5 * i + 0.5))
      : starts.flatMap((start, i) => [stop(start, start), stop(start, starts[i + 1] ?? 256)]);
  return `linear-gradient(to right, ${stops.join(", ")})`;
});
