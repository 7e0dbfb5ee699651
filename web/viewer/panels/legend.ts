/** The legend: the colours of values. */

import { h } from "../base/dom.js";
import { marks } from "../draw/renderer.js";
import { layerColors, outsideOf } from "../draw/table.js";
import type { NamedLegend } from "../model/layer-columns.js";
import type { LayerStyle } from "../model/layers.js";
import { columnLegend } from "./column-legend.js";
import { type Clipping, LegendBar } from "./legend-bar.js";

/** A channel in the legend. */
export interface ChannelEntry extends Clipping {
  readonly style: LayerStyle;
  readonly label: string;
  readonly low: string;
  readonly high: string;
}

/** A value at a share of the length of the bar. */
export interface LegendTick {
  readonly share: number;
  readonly text: string;
}

/** A colour map between two values, and the other appearances in the picture. */
export interface ScaleEntry extends Clipping {
  readonly style: LayerStyle;
  readonly low: string;
  readonly high: string;
  /** Values between the ends. */
  readonly ticks: readonly LegendTick[];
  /** Whether chunks in view are not stored. */
  readonly isMissing: boolean;
  /** A note on values that the colours do not show. */
  readonly note: string;
  readonly title: string;
}

export class Legend {
  readonly #bar = new LegendBar();
  readonly #low = h("span");
  readonly #high = h("span");
  readonly #missing = h(
    "p",
    { class: "zw-legend-note zw-legend-missing", hidden: true },
    h("span", { class: "zw-legend-cap zw-legend-dots", "aria-hidden": "true" }),
    "Chunk is not stored",
  );
  readonly #note = h("p", { class: "zw-legend-note" });
  readonly #scale = h(
    "div",
    { class: "zw-legend-scale", dir: "ltr" },
    this.#low,
    this.#bar.element,
    this.#high,
  );
  readonly #channels = h("ul", {
    class: "zw-legend-channels",
    dir: "ltr",
    hidden: true,
    "aria-label": "Channels",
  });
  readonly #columns = h("div", {
    class: "zw-legend-columns",
    role: "group",
    "aria-label": "Colours of layers",
    hidden: true,
  });
  /** Scrolled by keys if it does not fit. */
  readonly #scrolling = new ResizeObserver(() => this.#syncFocusable());
  #shownColumns: readonly NamedLegend[] = [];
  readonly element = h(
    "div",
    { class: "zw-legend", hidden: true },
    this.#scale,
    this.#channels,
    this.#missing,
    this.#note,
    this.#columns,
  );

  show(entry: ScaleEntry): void {
    const { style, low, high, ticks, isBelow, isAbove, isMissing, note, title } = entry;
    this.element.hidden = false;
    const places = JSON.stringify(ticks);
    const key = [...Object.values(style), low, high, places, isBelow, isAbove, isMissing, note, title].join(
      "\n",
    );
    if (key === this.#shown) return;
    this.#shown = key;
    this.#channels.hidden = true;
    this.#scale.hidden = style.kind === "labels";
    this.#low.textContent = low;
    this.#high.textContent = high;
    this.#note.textContent = note;
    this.#note.hidden = note === "";
    this.#scale.title = title;
    this.#missing.hidden = !isMissing;
    const [dots] = this.#missing.children;
    (dots as HTMLElement).style.color = `rgb(${marks.dot.join(" ")})`;
    this.#bar.show(layerColors(style), entry, outsideOf(style));
    // Their place is kept while the range is not known.
    this.#scale.classList.toggle("zw-legend-ticked", style.steps > 0 || style.scale !== "linear");
    this.#bar.bar.replaceChildren(
      ...ticks.map(({ share, text }) => {
        const tick = h("span", { class: "zw-legend-tick" }, text);
        tick.style.left = `${(100 * share).toFixed(2)}%`;
        return tick;
      }),
    );
  }

  /** Shows the channels of a composite, each with its colour and range. */
  showChannels(channels: readonly ChannelEntry[]): void {
    this.element.hidden = channels.length === 0;
    const key = JSON.stringify(channels);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#scale.hidden = true;
    this.#note.hidden = true;
    this.#missing.hidden = true;
    this.#channels.hidden = false;
    this.#channels.replaceChildren(
      ...channels.map((entry) => {
        const { style, label, low, high } = entry;
        const bar = new LegendBar();
        bar.show(layerColors(style), entry, outsideOf(style));
        return h("li", {}, h("b", {}, label), h("span", {}, low), bar.element, h("span", {}, high));
      }),
    );
  }

  #shown = "";

  /** Shows the colours of columns in addition. */
  showColumns(columns: readonly NamedLegend[]): void {
    this.#columns.hidden = columns.length === 0;
    if (columns.length > 0) this.element.hidden = false;
    const before = this.#shownColumns;
    const isSame = ({ name, legend }: NamedLegend, i: number) => {
      const last = before[i]?.legend;
      const isSameColor = legend.kind === "color" && last?.kind === "color" && legend.color === last.color;
      return name === before[i]?.name && (legend === last || isSameColor);
    };
    if (columns.length === before.length && columns.every(isSame)) return;
    this.#shownColumns = columns;
    this.#columns.replaceChildren(...columns.map(columnLegend));
    this.#scrolling.observe(this.#columns);
    this.#syncFocusable();
  }

  #syncFocusable(): void {
    const { scrollHeight, clientHeight } = this.#columns;
    if (scrollHeight > clientHeight) this.#columns.tabIndex = 0;
    else this.#columns.removeAttribute("tabindex");
  }

  hide(): void {
    this.element.hidden = true;
    for (const part of [this.#scale, this.#channels, this.#missing, this.#note]) part.hidden = true;
    this.#shown = "";
  }
}
