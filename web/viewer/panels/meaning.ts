/** A switch between decoded and stored values. */
import { h } from "../base/dom.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";

export class Meaning {
  readonly #box: HTMLInputElement;
  readonly element: HTMLElement;

  constructor({ decode, decodedKind }: Dataset, onRaw: (isRaw: boolean) => void) {
    this.#box = h("input", { type: "checkbox", onchange: () => onRaw(this.#box.checked) });
    const what = decodedKind === "milliseconds" ? "dates" : "scale, offset and missing values";
    this.element = h(
      "section",
      { class: "zw-card zw-meaning", "aria-label": "Meaning of the values" },
      h("label", { class: "zw-check" }, this.#box, `Raw values, without ${what}`),
    );
    this.element.hidden = !decode;
  }

  sync({ isRaw }: ViewState): void {
    this.#box.checked = isRaw;
  }
}
