/** The legend: the colours of values. */

import { colorTable, pixelBytes } from "../base/color-tables.js";
import type { ColormapName } from "../base/colormaps.js";
import { h } from "../base/dom.js";
import { formatBriefly, formatCount } from "../base/format.js";
import { keptFor } from "../base/memo.js";
import { type OutsideColors, outsideColors } from "../base/outside-colors.js";
import { longName, shortName } from "../base/text.js";
import { bent, type Curve, scaleCurve, unbent, type ValueScale } from "../base/value-scale.js";
import { marks } from "../draw/renderer.js";
import { layerColors, outsideOf } from "../draw/table.js";
import { text as texts } from "../language/text.js";
import { absentColor, type NamedLegend } from "../model/column-colors.js";
import type { LayerStyle } from "../model/layers.js";

/** A colour map between two values. */
export interface LegendScale {
  readonly style: LayerStyle;
  /** Strings at the ends. */
  readonly low: string;
  readonly high: string;
  /** Whether there are values below and above the range. */
  readonly isBelow: boolean;
  readonly isAbove: boolean;
}

/** A value at a share of the length of the bar. */
export interface LegendTick {
  readonly share: number;
  readonly text: string;
}

/** The colours of a picture, and its other appearances. */
export interface LegendEntries {
  /** Of a single slice; undefined for labels, whose colours have no order. */
  readonly scale?:
    | (LegendScale & {
        readonly ticks: readonly LegendTick[];
        readonly title: string;
        /** Quantity and unit, in figures. */
        readonly quantity?: string;
      })
    | undefined;
  /** Of a composite, each with its name. */
  readonly channels?: readonly (LegendScale & { readonly label: string })[];
  /** Whether chunks in view are not stored. */
  readonly isMissing?: boolean | undefined;
  /** A note on values that the colours do not show. */
  readonly note?: string;
}

export class Legend {
  readonly #columns = h("div", {
    class: "zw-legend-columns",
    role: "group",
    "aria-label": texts.legend.layers,
    hidden: true,
  });
  /** Scrolled by keys if it does not fit. */
  readonly #scrolling = new ResizeObserver(() => this.#syncFocusable());
  #shownColumns: readonly NamedLegend[] = [];
  #shown = "{}";
  readonly element = h("div", { class: "zw-legend", hidden: true }, this.#columns);

  /** @param columns whose colours are shown in addition */
  show(entries: LegendEntries, columns: readonly NamedLegend[] = []): void {
    const key = JSON.stringify(entries);
    if (key !== this.#shown) {
      this.#shown = key;
      this.element.replaceChildren(...entryParts(entries), this.#columns);
    }
    this.#showColumns(columns);
    this.element.hidden = this.element.childElementCount === 1 && columns.length === 0;
  }

  #showColumns(columns: readonly NamedLegend[]): void {
    this.#columns.hidden = columns.length === 0;
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
}

function entryParts({ scale, channels, isMissing, note }: LegendEntries): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (scale) {
    const { low, high, ticks, title, quantity } = scale;
    // The place of ticks is kept while the range is not known.
    const attributes = { class: "zw-legend-scale zw-legend-ticked", dir: "ltr", title };
    if (quantity) parts.push(h("p", { class: "zw-legend-quantity" }, quantity));
    parts.push(h("div", attributes, h("span", {}, low), scaleBar(scale, ticks), h("span", {}, high)));
  }
  if (channels) {
    const rows = channels.map((one) =>
      h("li", {}, h("b", {}, one.label), h("span", {}, one.low), scaleBar(one), h("span", {}, one.high)),
    );
    parts.push(
      h("ul", { class: "zw-legend-channels", dir: "ltr", "aria-label": texts.legend.channels }, ...rows),
    );
  }
  if (isMissing) {
    const dots = h("span", { class: "zw-legend-cap zw-legend-dots", "aria-hidden": "true" });
    dots.style.color = css(marks.dot);
    parts.push(h("p", { class: "zw-legend-note zw-legend-missing" }, dots, texts.legend.notStored));
  }
  if (note) parts.push(h("p", { class: "zw-legend-note" }, note));
  return parts;
}

const scaleBar = (scale: LegendScale, ticks: readonly LegendTick[] = []): HTMLElement =>
  legendBar(layerColors(scale.style), scale, outsideOf(scale.style), ticks);

/**
 * A colour map between two values, with a triangle at each end that values lie beyond.
 * @param outside colours of values beyond the ends. Default: those of the ends
 */
function legendBar(
  table: Uint32Array,
  { isBelow, isAbove }: Pick<LegendScale, "isBelow" | "isAbove">,
  outside?: OutsideColors,
  ticks: readonly LegendTick[] = [],
): HTMLElement {
  const bar = h("div", { class: "zw-legend-bar" });
  paintTable(bar, table);
  for (const { share, text } of ticks) {
    const tick = h("span", { class: "zw-legend-tick" }, text);
    tick.style.left = `${(100 * share).toFixed(2)}%`;
    bar.append(tick);
  }
  const end = (name: "below" | "above", isShown: boolean, color: readonly number[]) => {
    const inside = h("span");
    inside.style.background = css(color);
    const title = texts.legend[name];
    return h("span", { class: `zw-legend-end zw-legend-${name}`, title, hidden: !isShown }, inside);
  };
  return h(
    "div",
    { class: "zw-legend-colors", "aria-hidden": "true" },
    end("below", isBelow, outside?.below ?? pixelBytes(table[0]!)),
    bar,
    end("above", isAbove, outside?.above ?? pixelBytes(table.at(-1)!)),
  );
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

/** Minimum distance of two labels and of two ticks, as shares of the bar. */
const leastDistance = 0.16;
const leastTickDistance = 0.02;

/** Values to label, from those that matter most. */
export function legendTicks(
  style: LayerStyle,
  [low, high]: readonly [number, number],
  format: (value: number) => string,
): LegendTick[] {
  if (!(high > low) || style.kind === "labels" || (style.scale === "log" && !(low > 0))) return [];
  const curve = scaleCurve(style.scale, low, high);
  const share = (value: number) =>
    ((bent(style.scale, value, curve.threshold) - curve.start) * curve.factor) / 256;
  if (style.steps > 0) {
    // Entries of the table are not divisible by every number of steps.
    const exact = (at: number) => Math.round(at * style.steps) / style.steps;
    return spread(stepEdges(style), (at) =>
      format(rounded(valueAt(style.scale, curve, exact(at)), high - low)),
    );
  }
  if (style.scale === "linear") return labelled(roundTicks(low, high), share, format);
  const values = roundPowers(style.scale, low, high, curve.threshold);
  // Powers of ten are enough labels if there are several.
  const isPower = (value: number) => /^-?[01](e|$)/.test(value.toExponential());
  const areEnough = values.filter(isPower).length >= 2;
  return spread(values.map(share), (_, i) => (areEnough && !isPower(values[i]!) ? "" : format(values[i]!)));
}

/** Minimum number of ticks, if there are so many round values. */
const leastTicks = 5;
/** Characters of all labels for which a bar has room. */
const mostCharacters = 36;

/** Round values between two limits: as few as possible, but at least five. */
function roundTicks(low: number, high: number): number[] {
  const power = 10 ** Math.floor(Math.log10(high - low));
  for (const factor of [5, 2.5, 2, 1, 0.5, 0.25, 0.2, 0.1]) {
    const distance = factor * power;
    const first = Math.floor(low / distance) + 1;
    const count = Math.max(0, Math.ceil(high / distance) - first);
    if (count >= leastTicks)
      return Array.from({ length: count }, (_, i) => rounded((first + i) * distance, distance));
  }
  return [];
}

/** Removes digits that calculations add, as in 0.30000000000000004. */
const rounded = (value: number, size: number): number =>
  Math.abs(value) < size * 1e-9 ? 0 : Number(value.toPrecision(12));

/** Ticks, of which every second, third, … one has a label if labels are long. */
function labelled(
  values: readonly number[],
  share: (value: number) => number,
  format: (value: number) => string,
): LegendTick[] {
  const texts = values.map(format);
  const length = Math.max(...texts.map((text) => text.length + 1));
  const every = Math.ceil((length * texts.length) / mostCharacters);
  // Zero and multiples of the distance of labels are labelled at any limits.
  const distance = values.length > 1 ? values[1]! - values[0]! : 1;
  const first = Math.round(values[0]! / distance);
  return values.map((value, i) => ({
    share: share(value),
    text: Number.isFinite(first) && (first + i) % every === 0 ? texts[i]! : "",
  }));
}

/** Shares of the bar at which the colour changes. */
function stepEdges(style: LayerStyle): number[] {
  const table = layerColors(style);
  return [...table.keys()].filter((i) => i > 0 && table[i] !== table[i - 1]).map((i) => i / 256);
}

/** The value at a share of the bar. */
const valueAt = (scale: ValueScale, { start, factor, threshold }: Curve, share: number): number =>
  unbent(scale, start + (256 * share) / factor, threshold);

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
  return plain.length >= leastTicks ? plain : multiples([1, 2, 5]);
}

/** Ticks, of which those have labels that would not touch the labels of earlier ones. */
function spread(shares: readonly number[], text: (share: number, index: number) => string): LegendTick[] {
  const kept: LegendTick[] = [];
  const isFree = (share: number, distance: number, among = kept) =>
    among.every((one) => Math.abs(one.share - share) >= distance);
  for (const [i, share] of shares.entries()) {
    const labels = kept.filter((one) => one.text !== "");
    const label = isFree(share, leastDistance, labels) ? text(share, i) : "";
    if (isFree(share, leastTickDistance)) kept.push({ share, text: label });
  }
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
        .map(({ name: text, color, count }) => entry(color, text === "" ? texts.legend.empty : text, count)),
    );
    const more = used.length - maxCategories;
    if (more > 0) list.append(h("li", {}, texts.legend.more(formatCount(more))));
  } else {
    const { low, high, colormap, isBelow, isAbove, isMarked } = legend;
    const table = colorTable(colormap);
    const bar = legendBar(table, legend, isMarked ? outsideColors(table) : undefined);
    const resolution = Math.abs(high / 100 - low / 100);
    const format = (value: number, isBeyond: boolean, sign: string) =>
      `${isBeyond ? `${sign} ` : ""}${formatBriefly(value, resolution)}`;
    list.append(
      h(
        "li",
        { class: "zw-legend-numbers", title: colormap },
        h("span", {}, format(low, isBelow, "≤")),
        bar,
        h("span", {}, format(high, isAbove, "≥")),
      ),
    );
  }
  if (legend.absent > 0) list.append(entry(absentColor, texts.legend.noValue, legend.absent));
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
