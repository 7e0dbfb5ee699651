/** The legend: which colour stands for which value. */
import { type ColormapName, colormaps, colorTable } from "./colormaps.js";
import { h } from "./dom.js";

export class Legend {
  readonly #bar = h("canvas", { class: "zw-legend-bar", width: 256, height: 1, "aria-hidden": "true" });
  readonly #low = h("span");
  readonly #high = h("span");
  readonly #note = h("p", { class: "zw-legend-note" });
  readonly #scale = h("div", { class: "zw-legend-scale" }, this.#low, this.#bar, this.#high);
  readonly element = h("div", { class: "zw-legend", hidden: true }, this.#scale, this.#note);

  /** Shows a colour map between two values; a note about what the map does not show. */
  show(colormap: ColormapName, low: string, high: string, note: string): void {
    this.element.hidden = false;
    this.#scale.hidden = colormap === "labels";
    this.#low.textContent = low;
    this.#high.textContent = high;
    this.#note.textContent = note;
    this.#note.hidden = note === "";
    this.#scale.title = colormaps[colormap].label;
    paintBar(this.#bar, colormap);
  }

  hide(): void {
    this.element.hidden = true;
  }
}

/** Fills a canvas of 256 pixels with a colour map. */
export function paintBar(canvas: HTMLCanvasElement, colormap: ColormapName): void {
  const image = new ImageData(256, 1);
  new Uint32Array(image.data.buffer).set(colorTable(colormap));
  canvas.getContext("2d")!.putImageData(image, 0, 0);
}
