/** A histogram of values with the colour limits, which can be dragged. */
import { h } from "../base/dom.js";
import { DoubleSlider } from "../base/double-slider.js";
import { formatBriefly, formatCount } from "../base/format.js";
import { bent, scaleCurve, unbent } from "../base/value-scale.js";
import { layerColors } from "../draw/table.js";
import { text } from "../language/text.js";
import type { Histogram } from "../numbers/findings.js";
import { isInteger, type Leaf } from "../source/leaf.js";
import type { LayerNumbers } from "./panel.js";

export interface HistogramCallbacks {
  onLimits(low: number, high: number): void;
  /** Called to find the range automatically again. */
  onReset(): void;
}

type Limits = readonly [low: number, high: number];

/** Heights in CSS pixels, of histograms with a note below and of those in a row. */
const heights = { full: 64, row: 34 };
const stripHeight = 6;
const maxBins = 96;

export class HistogramView {
  readonly #canvas = h("canvas", { class: "zw-histogram-bars", "aria-hidden": "true" });
  readonly #slider = new DoubleSlider((end, value) => this.#set(end, value), this.#canvas);
  readonly #box = this.#slider.element;
  readonly #note = h("p", { class: "zw-histogram-note" });
  readonly element: HTMLElement;
  #numbers: LayerNumbers | undefined;
  /** The values at the box's edges; unchanged while a limit is dragged. */
  #domain: Limits = [0, 1];
  #isWhole = false;
  #drawn = "";

  constructor(
    private readonly name: string,
    private readonly callbacks: HistogramCallbacks,
    private readonly size: keyof typeof heights = "full",
  ) {
    this.#box.classList.add("zw-histogram-box");
    this.#box.addEventListener("dblclick", () => this.callbacks.onReset());
    this.element = h(
      "div",
      { class: `zw-histogram zw-histogram-${size}`, role: "group", "aria-label": text.histogram.of(name) },
      this.#box,
      size === "full" && this.#note,
    );
  }

  sync(numbers: LayerNumbers | undefined, leaf: Leaf | undefined, isLog: boolean): void {
    this.#numbers = numbers;
    const { findings, limits } = numbers ?? {};
    this.element.hidden = !findings || !limits || findings.finite === 0;
    if (!numbers || !findings || !limits || this.element.hidden) return;
    this.#isWhole = leaf !== undefined && isInteger(leaf.dtype) && !numbers.layer.dataset.decode;
    if (!this.#slider.isDragged) this.#domain = this.#domainOf(numbers);
    this.#placeHandles(limits);
    const { style } = numbers.layer;
    const looks = [
      ...Object.values(style),
      ...limits,
      ...this.#domain,
      isLog,
      findings.finite,
      findings.size,
    ];
    const key = [...looks, this.#box.clientWidth].join();
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.#draw(numbers, isLog);
    const note = noteText(numbers);
    if (this.#note.textContent !== note) this.#note.textContent = note;
  }

  /** The scale of the colours, along which the box is divided; linear if its limits have no place on it. */
  get #scale() {
    const { layer, limits } = this.#numbers!;
    const { scale } = layer.style;
    const isLinear = scale === "log" && !(limits[0] > 0 && this.#domain[0] > 0);
    return { scale: isLinear ? "linear" : scale, threshold: scaleCurve(scale, ...limits).threshold } as const;
  }

  /** The place of a value in the box, from 0 to 1. */
  #shareOf(value: number): number {
    const { scale, threshold } = this.#scale;
    const [from, to, at] = [...this.#domain, value].map((one) => bent(scale, one, threshold) / 2);
    return (at! - from!) / (to! - from!);
  }

  #valueOf(share: number): number {
    const { scale, threshold } = this.#scale;
    const [from, to] = this.#domain.map((one) => bent(scale, one, threshold)) as [number, number];
    return unbent(scale, from + share * (to - from), threshold);
  }

  /**
   * The extent of the values, clipped to three times their robust range and widened to include the limits.
   */
  #domainOf({ findings, limits, layer }: LayerNumbers): Limits {
    const [min, max] = findings.extent ?? limits;
    const [low, high] = findings.robustRange() ?? [min, max];
    const margin = high - low;
    let [from, to] = [Math.max(min, low - margin), Math.min(max, high + margin)];
    if (layer.style.scale === "log") from = Math.max(from, findings.leastPositive ?? from);
    from = Math.min(from, limits[0]);
    to = Math.max(to, limits[1]);
    if (this.#isWhole) [from, to] = [Math.floor(from) - 0.5, Math.ceil(to) + 0.5];
    return to > from ? [from, to] : [from - 0.5, to + 0.5];
  }

  #draw(numbers: LayerNumbers, isLog: boolean): void {
    const { findings, limits, layer } = numbers;
    const [from, to] = this.#domain;
    const isLinear = layer.style.scale === "linear";
    const steps = this.#isWhole && isLinear ? Math.min(maxBins, to - from) : maxBins;
    const place = isLinear ? undefined : (value: number) => this.#shareOf(value);
    const histogram = findings.histogram(Math.max(1, Math.round(steps)), this.#domain, place);
    const width = Math.max(1, Math.round(this.#box.clientWidth || 280));
    const height = heights[this.size];
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this.#canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const context = this.#canvas.getContext("2d");
    if (!context || !histogram) return;
    context.scale(ratio, ratio);
    context.fillStyle = getComputedStyle(this.#canvas).color;
    const each = width / histogram.bins.length;
    const shares = barHeights(histogram, isLog);
    const room = height - stripHeight - 2;
    shares.forEach((share, i) => {
      if (share === 0) return;
      const value = this.#valueOf((i + 0.5) / shares.length);
      context.globalAlpha = value >= limits[0] && value <= limits[1] ? 1 : 0.4;
      const bar = Math.max(1, share * room);
      context.fillRect(i * each, room - bar, Math.max(each - (each > 4 ? 0.5 : 0), 0.75), bar);
    });
    context.globalAlpha = 1;
    this.#drawStrip(context, width, numbers);
  }

  /** Draws the colours below the bars, at their values. */
  #drawStrip(context: CanvasRenderingContext2D, width: number, { limits, layer }: LayerNumbers): void {
    const height = heights[this.size];
    const table = new Uint8Array(layerColors(layer.style).buffer);
    const { scale } = layer.style;
    const { start, factor, threshold } = scaleCurve(scale, limits[0], limits[1]);
    for (let x = 0; x < width; x++) {
      const value = this.#valueOf((x + 0.5) / width);
      const part = Math.floor((bent(scale, value, threshold) - start) * factor);
      const at = 4 * Math.min(255, Math.max(0, part));
      context.fillStyle = `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
      context.fillRect(x, height - stripHeight, 1, stripHeight);
    }
  }

  #placeHandles(ends: Limits): void {
    const [from, to] = this.#domain;
    const isLinear = this.#scale.scale === "linear";
    const least = this.#isWhole ? 1 : 0;
    const step = isLinear
      ? Math.max(least, this.#isWhole ? Math.round((to - from) / 100) : (to - from) / 100)
      : least;
    const names = [text.histogram.limits[0](this.name), text.histogram.limits[1](this.name)] as const;
    const format = this.#numbers!.layer.dataset.decodedKind === "milliseconds" ? String : formatBriefly;
    const scale = isLinear
      ? undefined
      : {
          shareOf: (value: number) => this.#shareOf(value),
          valueOf: (share: number) => this.#valueOf(share),
        };
    this.#slider.show({ ends, domain: this.#domain, step, scale, names, format });
  }

  /** The limits keep their order. */
  #set(end: 0 | 1, value: number): void {
    const [low, high] = this.#numbers!.limits;
    const [from, to] = this.#domain;
    // Along a bent scale, small values need more digits than large ones.
    const size = this.#scale.scale === "linear" ? to - from : Math.abs(value);
    const rough = this.#isWhole ? Math.round(value) : rounded(value, size);
    const clamped = Math.min(Math.max(rough, from), to);
    const own = this.#isWhole ? Math.round(clamped) : clamped;
    if (end === 0 ? own < high : own > low)
      this.callbacks.onLimits(end === 0 ? own : low, end === 0 ? high : own);
  }
}

/** Rounds to enough digits to tell the pixels of a histogram apart. */
function rounded(value: number, width: number): number {
  const digits = Math.ceil(3 - Math.log10(width));
  const factor = 10 ** Math.min(Math.max(digits, -300), 300);
  const short = Math.round(value * factor) / factor;
  return Number.isFinite(short) ? short : value;
}

/** Heights from 0 to 1; a bar that towers above all others is cut off, so that these stay visible. */
function barHeights({ bins }: Histogram, isLog: boolean): number[] {
  const sorted = [...bins].sort((a, b) => b - a);
  const most = Math.min(sorted[0]!, 4 * (sorted[1] || sorted[0]!));
  if (!(most > 0)) return [...bins].map(() => 0);
  const least = sorted.findLast((share) => share > 0)!;
  const height = (share: number) =>
    isLog ? Math.log1p(share / least) / Math.log1p(most / least) : share / most;
  return [...bins].map((share) => Math.min(1, share === 0 ? 0 : height(share)));
}

/** Describes the data of the histogram; minimum and maximum are given only if they are final. */
export function noteText({ findings, isAllSeen }: Pick<LayerNumbers, "findings" | "isAllSeen">): string {
  const count = text.histogram.count(formatCount(findings.count), findings.missing > 0);
  const [min, max] = findings.extent ?? [Number.NaN, Number.NaN];
  if (isAllSeen) return text.histogram.all(count, intervalText(min, max));
  const [low, high] = findings.percentiles([0.01, 0.99]);
  return text.histogram.some(count, intervalText(low!, high!));
}

/** Both ends with as many digits as tell them apart. */
function intervalText(low: number, high: number): string {
  const resolution = Math.abs(high / 100 - low / 100);
  return text.histogram.interval(formatBriefly(low, resolution), formatBriefly(high, resolution));
}
