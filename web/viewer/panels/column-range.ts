/** Fields for the limits of a column whose numbers give colours. */
import { h, numberField, showNumber } from "../base/dom.js";
import type { ValueRange } from "../model/channels.js";

export class ColumnRange {
  readonly element: HTMLElement;
  readonly #fields: readonly HTMLInputElement[];
  #shown = "";

  /** @param suffix of the labels, if a page has several of these fields */
  constructor(
    private readonly onChange: (range: ValueRange) => void,
    suffix = "",
  ) {
    const field = (label: string) =>
      numberField({ step: "any", placeholder: "auto", "aria-label": `${label}${suffix}` }, () => this.#set());
    this.#fields = [field("Lowest value of the column"), field("Highest value of the column")];
    const [low, high] = this.#fields;
    this.element = h("div", { class: "zw-window" }, h("span", {}, "Values"), low, h("span", {}, "to"), high);
  }

  #set(): void {
    const texts = this.#fields.map(({ value }) => value.trim());
    const [low, high] = texts.map((text) => (text === "" ? Number.NaN : Number(text)));
    if (Number.isFinite(low) && Number.isFinite(high) && low! < high!)
      this.onChange({ mode: "manual", low: low!, high: high! });
    else if (texts.every((text) => text === "")) this.onChange({ mode: "auto" });
  }

  /** Shows a range if it has changed: a limit that was entered stays until the other one follows. */
  sync(range: ValueRange): void {
    const limits = range.mode === "manual" ? [range.low, range.high] : ["", ""];
    const shown = limits.join();
    if (shown === this.#shown) return;
    this.#shown = shown;
    for (const [i, field] of this.#fields.entries()) showNumber(field, limits[i]);
  }
}
