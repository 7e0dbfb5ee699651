/** Container for the legend, which is loaded with the first picture. */
import { h } from "../base/dom.js";
import type { Legend, LegendContent } from "./legends.js";

export class LazyLegend {
  readonly element = h("div", { class: "zw-legend-place" });
  #drawn: LegendContent | undefined;
  #loading: Promise<void> | undefined;
  #legend: { readonly legend: Legend; readonly show: (drawn: LegendContent) => void } | undefined;

  show(drawn: LegendContent): void {
    this.#drawn = drawn;
    if (this.#legend) this.#legend.show(drawn);
    else if (drawn.layers.length > 0 || drawn.dataset.embedding) this.#loading ??= this.#load();
  }

  hide(): void {
    this.#drawn = undefined;
    this.#legend?.legend.hide();
  }

  async #load(): Promise<void> {
    try {
      const { Legend, showLegend } = await import("./legends.js");
      const legend = new Legend();
      this.#legend = { legend, show: (drawn) => showLegend(legend, drawn) };
      this.element.append(legend.element);
      if (this.#drawn) this.#legend.show(this.#drawn);
    } catch {
      this.#loading = undefined; // the next picture tries again
    }
  }
}
