/** The legend: the colours of values. */

import { colorTable, pixelBytes } from "../base/color-tables.js";
import type { ColormapName } from "../base/colormaps.js";
import { h } from "../base/dom.js";
import { formatBriefly, formatCount } from "../base/format.js";
import { keptFor } from "../base/memo.js";
import { type OutsideColors, outsideColors } from "../base/outside-colors.js";
import { longName, shortName } from "../base/text.js";
import { bent, type Curve, scaleCurve, type ValueScale } from "../base/value-scale.js";
import { marks } from "../draw/renderer.js";
import { layerColors, outsideOf } from "../draw/table.js";
import { absentColor, type NamedLegend } from "../model/column-colors.js";
import type { LayerStyle } from "../model/layers.js";

/** A channel in the legend. */
interface ChannelEntry extends Clipping {
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
interface ScaleEntry extends Clipping {
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

/** Whether there are values below and above the range of a bar. */
interface Clipping {
  readonly isBelow: boolean;
  readonly isAbove: boolean;
}

/** A colour map between two values, with a triangle at each end that values lie beyond. */
class LegendBar {
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

/** Minimum distance of two values, as a share of the bar. */
const leastDistance = 0.16;

/** Values to label, from those that matter most; empty for continuous colours on a linear scale. */
export function legendTicks(
  style: LayerStyle,
  [low, high]: readonly [number, number],
  format: (value: number) => string,
): LegendTick[] {
  if (!(high > low) || style.kind === "labels" || (style.scale === "log" && !(low > 0))) return [];
  const curve = scaleCurve(style.scale, low, high);
  const share = (value: number) =>
    ((bent(style.scale, value, curve.threshold) - curve.start) * curve.factor) / 256;
  if (style.steps > 0) return spread(stepEdges(style), (at) => format(valueAt(style.scale, curve, at)));
  if (style.scale === "linear") return [];
  const values = roundPowers(style.scale, low, high, curve.threshold);
  return spread(values.map(share), (_, i) => format(values[i]!));
}

/** Shares of the bar at which the colour changes. */
function stepEdges(style: LayerStyle): number[] {
  const table = layerColors(style);
  return [...table.keys()].filter((i) => i > 0 && table[i] !== table[i - 1]).map((i) => i / 256);
}

/** The value at a share of the bar. */
function valueAt(scale: ValueScale, { start, factor, threshold }: Curve, share: number): number {
  const at = start + (256 * share) / factor;
  if (scale === "log") return Math.exp(at);
  return scale === "symlog" ? Math.sign(at) * threshold * Math.expm1(Math.abs(at)) : at;
}

/** 0 and powers of ten between the limits; their multiples by 2 and 5 if there are few of them. */
function roundPowers(scale: ValueScale, low: number, high: number, threshold: number): number[] {
  const least = scale === "log" ? low : threshold;
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const [first, last] = [Math.ceil(Math.log10(least) - 1), Math.floor(Math.log10(largest))];
  const powers = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (last - i));
  const multiples = (factors: readonly number[]) =>
    [0, ...factors.flatMap((factor) => powers.map((power) => Number((factor * power).toPrecision(3))))]
      .flatMap((value) => (scale === "symlog" && value > 0 ? [value, -value] : [value]))
      .filter((value) => value > low && value < high && (scale === "symlog" || value > 0));
  const plain = multiples([1]);
  return plain.length >= 2 ? plain : multiples([1, 2, 5]);
}

/** Leaves out values that would touch earlier ones. */
function spread(shares: readonly number[], text: (share: number, index: number) => string): LegendTick[] {
  const kept: LegendTick[] = [];
  for (const [i, share] of shares.entries())
    if (kept.every((one) => Math.abs(one.share - share) >= leastDistance))
      kept.push({ share, text: text(share, i) });
  return kept.sort((a, b) => a.share - b.share);
}

/** Maximum number of categories in the legend. */
const maxCategories = 24;

function columnLegend({ name, legend }: NamedLegend): HTMLElement {
  const head = h("b", { title: longName(name) }, shortName(name));
  if (legend.kind === "color")
    return h("div", { class: "zw-legend-column zw-legend-color" }, swatch(legend.color), head);
  const list = h("ul", { class: "zw-legend-rows", dir: "ltr", "aria-label": shortName(name) });
  if (legend.kind === "categories") {
    const { entries } = legend;
    const used = entries.filter(({ count }) => count > 0);
    list.append(
      ...used
        .slice(0, maxCategories)
        .map(({ name: text, color, count }) => entry(color, text === "" ? "(empty)" : text, count)),
    );
    const more = used.length - maxCategories;
    if (more > 0) list.append(h("li", {}, `and ${formatCount(more)} more`));
  } else {
    const { low, high, colormap, isBelow, isAbove, isMarked } = legend;
    const table = colorTable(colormap);
    const bar = new LegendBar();
    bar.show(table, legend, isMarked ? outsideColors(table) : undefined);
    const resolution = Math.abs(high / 100 - low / 100);
    const format = (value: number, isBeyond: boolean, sign: string) =>
      `${isBeyond ? `${sign} ` : ""}${formatBriefly(value, resolution)}`;
    list.append(
      h(
        "li",
        { class: "zw-legend-numbers", title: colormap },
        h("span", {}, format(low, isBelow, "≤")),
        bar.element,
        h("span", {}, format(high, isAbove, "≥")),
      ),
    );
  }
  if (legend.absent > 0) list.append(entry(absentColor, "no value", legend.absent));
  return h("div", { class: "zw-legend-column" }, head, list);
}

/** @param color "rrggbb" */
function swatch(color: string): HTMLElement {
  const cap = h("span", { class: "zw-legend-cap", "aria-hidden": "true" });
  cap.style.background = `#${color}`;
  return cap;
}

function entry(color: number, text: string, count: number): HTMLElement {
  return h(
    "li",
    { title: longName(text) },
    swatch(color.toString(16).padStart(6, "0")),
    shortName(text),
    h("span", { class: "zw-legend-count" }, formatCount(count)),
  );
}
