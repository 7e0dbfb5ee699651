/** Controls for the colours of values: map, direction, gamma, centre; the range, and its histogram. */
import type { DType } from "zarr-wasm";
import { type ColormapName, colormaps } from "../base/colormaps.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { isComposite } from "../model/layers.js";
import { colormapsFor, drawnLeaf, type ValueRange, type ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { isTime } from "../source/leaf.js";
import type { Change, Control, ControlState } from "./control.js";
import { HistogramView } from "./histogram.js";
import { paintBar } from "./legend.js";

const rangeModes: readonly (readonly [ValueRange["mode"], string])[] = [
  ["auto", "Automatic"],
  ["minmax", "Minimum to maximum"],
  ["percentile", "1st to 99th percentile"],
  ["manual", "Manual"],
];

export function valueParts(dataset: Dataset, change: Change): Control[] {
  return [colormapPart(dataset, change), rangePart(dataset, change), lockPart(dataset, change)];
}

/** Whether the values are shown with a colour map. */
const isMapped = (dataset: Dataset, settings: ViewState, { kind }: ControlState): boolean =>
  kind === "image" && !isComposite(dataset, settings);

function colormapPart(dataset: Dataset, change: Change): Control {
  const names = Object.keys(colormaps) as ColormapName[];
  const list = select(
    names.map((name) => [name, colormaps[name].label] as const),
    (name) => change(() => ({ colormap: name as ColormapName }), "colormap"),
  );
  const bar = h("canvas", { class: "zw-colormap-bar", width: 256, height: 1, "aria-hidden": "true" });
  const map = labelled("Colour map", list);
  map.append(bar);
  const box = h("input", {
    type: "checkbox",
    onchange: () => change(() => ({ isReversed: box.checked }), "reversed"),
  });
  const reversed = h("label", { class: "zw-check" }, box, "Reversed");
  const gamma = gammaField((value) => change(() => ({ gamma: value }), "gamma"));
  const center = numberField({ step: "any", placeholder: "0 where it is inside" }, () => {
    const value = center.value.trim() === "" ? null : Number(center.value);
    change(() => ({ center: value }), "center");
  });
  const middle = labelled("Value at the middle", center);
  const element = h("div", { class: "zw-group" }, map, reversed, gamma.element, middle);
  return {
    element,
    sync(settings, state) {
      element.hidden = !isMapped(dataset, settings, state);
      const fitting = colormapsFor(drawnLeaf(dataset, settings.field));
      for (const option of list.options) option.hidden = !fitting.includes(option.value as ColormapName);
      list.value = settings.colormap;
      const isLabels = settings.colormap === "labels";
      bar.hidden = isLabels;
      reversed.hidden = isLabels;
      gamma.element.hidden = isLabels;
      middle.hidden = settings.colormap !== "diverging" || settings.range.mode === "manual";
      paintBar(bar, settings.colormap);
      bar.style.transform = settings.isReversed ? "scaleX(-1)" : "";
      box.checked = settings.isReversed;
      gamma.show(settings.gamma);
      showNumber(center, settings.center ?? "");
    },
  };
}

/** An exponent from 0.25 to 4, with 1 in the middle of the slider. */
export function gammaField(
  onGamma: (value: number) => void,
  name = "",
): {
  element: HTMLElement;
  show(value: number): void;
} {
  const text = h("output", { class: "zw-coordinate" });
  const slider = h("input", {
    type: "range",
    min: -2,
    max: 2,
    step: 0.05,
    oninput: () => onGamma(Number((2 ** Number(slider.value)).toPrecision(3))),
  });
  if (name !== "") slider.setAttribute("aria-label", `Gamma${name}`);
  const element = labelled("Gamma", slider, "zw-field zw-gamma");
  element.append(text);
  text.htmlFor = slider.id;
  return {
    element,
    show(value) {
      slider.value = String(Math.log2(value));
      slider.setAttribute("aria-valuetext", String(value));
      text.textContent = String(value);
    },
  };
}

/** Two number fields for the limits of a range. */
export function limitFields(name: string, onLimits: (low: number, high: number) => void) {
  const set = () => {
    const values = [low.value, high.value].map((text) => (text.trim() === "" ? Number.NaN : Number(text)));
    if (values.every(Number.isFinite)) onLimits(values[0]!, values[1]!);
  };
  const low = numberField({ step: "any", "aria-label": `Lowest value${name}` }, set);
  const high = numberField({ step: "any", "aria-label": `Highest value${name}` }, set);
  return {
    element: h("div", { class: "zw-limits" }, low, h("span", {}, "to"), high),
    show(limits: readonly [number, number], isManual: boolean) {
      const [least, most] = limits.map((value) => (isManual ? value : rounded(value)));
      showNumber(low, least);
      showNumber(high, most);
    },
  };
}

/** A list of methods to find a range. */
export function rangeList(onRange: (range: ValueRange) => void, limits: () => readonly [number, number]) {
  return select(rangeModes, (value) => {
    const [low, high] = limits();
    onRange(value === "manual" ? { mode: "manual", low, high } : { mode: value as "auto" });
  });
}

function rangePart(dataset: Dataset, change: Change): Control {
  let limits: readonly [number, number] = [0, 1];
  const setRange = (range: ValueRange) => change(() => ({ range }), "range");
  const setLimits = (low: number, high: number) => setRange({ mode: "manual", low, high });
  const mode = rangeList(setRange, () => limits);
  const fields = limitFields("", setLimits);
  const unit = h("span", { class: "zw-unit" });
  fields.element.append(unit);
  const histogram = new HistogramView("the values", {
    onLimits: setLimits,
    onReset: () => setRange({ mode: "auto" }),
  });
  const log = logBox(change);
  const element = h(
    "div",
    { class: "zw-group" },
    labelled("Value range", mode),
    fields.element,
    histogram.element,
    log.element,
  );
  return {
    element,
    sync(settings, state) {
      const { kind } = state;
      const isImage = isMapped(dataset, settings, state) && settings.colormap !== "labels";
      element.hidden = !isImage && kind !== "line";
      const leaf = drawnLeaf(dataset, settings.field);
      unit.hidden = !leaf || !isTime(leaf.dtype);
      unit.textContent = leaf ? unitText(leaf.dtype) : "";
      mode.value = settings.range.mode;
      const [numbers] = state.numbers;
      if (!numbers || element.hidden) return;
      limits = numbers.limits;
      fields.show(limits, settings.range.mode === "manual");
      histogram.sync(isImage ? numbers : undefined, leaf, settings.isLogHistogram);
      log.element.hidden = histogram.element.hidden;
      log.sync(settings);
    },
  };
}

/** Whether histograms are logarithmic. */
export function logBox(change: Change) {
  const box = h("input", {
    type: "checkbox",
    onchange: () => change(() => ({ isLogHistogram: box.checked }), "log"),
  });
  return {
    element: h("label", { class: "zw-check" }, box, "Logarithmic counts"),
    sync({ isLogHistogram }: ViewState) {
      box.checked = isLogHistogram;
    },
  };
}

/** If there are other slices: whether each gets its own range. */
function lockPart(dataset: Dataset, change: Change): Control {
  const box = h("input", {
    type: "checkbox",
    onchange: () => change(() => ({ isRangeLocked: box.checked }), "lock"),
  });
  const element = h("label", { class: "zw-check" }, box, "The same range for all slices");
  return {
    element,
    sync(settings, { kind }) {
      const isFound = isComposite(dataset, settings)
        ? settings.channels!.some(({ range }) => range.mode !== "manual")
        : settings.range.mode !== "manual" && settings.colormap !== "labels";
      const hasSlices = dataset.axes.some(({ length }, axis) => length > 1 && !settings.axes.includes(axis));
      element.hidden = kind !== "image" || !isFound || !hasSlices;
      box.checked = settings.isRangeLocked;
    },
  };
}

function unitText({ core, unit, scaleFactor = 1 }: DType): string {
  const count = `counts of ${scaleFactor} ${unit}`;
  return core === "datetime64" ? `${count} since 1970` : count;
}

/** Six digits are enough for a starting value. */
function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(6));
}
