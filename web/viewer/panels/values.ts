/** Controls for the colours of values: map, direction, gamma, centre; the range, and its histogram. */
import type { DType } from "zarr-wasm";
import { chooser } from "../base/chooser.js";
import { colorTable, pixelBytes } from "../base/color-tables.js";
import { type ColormapName, colormapKinds, isDiverging } from "../base/colormaps.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import type { ValueScale } from "../base/value-scale.js";
import { isPicture } from "../model/channels.js";
import { isComposite } from "../model/layers.js";
import { canBeLabels, drawnLeaf, maxSteps, type ValueRange, type ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import {
  type ComplexPart,
  complexPartNames,
  complexParts,
  dtypeLeaves,
  isComplex,
  isTime,
} from "../source/leaf.js";
import { CurveEditor, hasOpacities } from "./curve.js";
import { HistogramView } from "./histogram.js";
import { paintBar } from "./legend.js";
import {
  type Control,
  checkControl,
  listControl,
  type Panel,
  type PanelContext,
  type PanelView,
} from "./panel.js";

const rangeModes: readonly (readonly [ValueRange["mode"], string])[] = [
  ["auto", "Automatic"],
  ["minmax", "Minimum to maximum"],
  ["percentile", "1st to 99th percentile"],
  ["manual", "Manual"],
];

export const valuesPanel: Panel = {
  name: "values",
  title: "Values",
  build: (context) => [
    leafPart(context),
    rangePart(context),
    ...colormapParts(context),
    curvePart(context),
    scopePart(context),
    missingPart(context),
    ...rawParts(context),
  ],
};

/** The field of structured values, and the part of complex ones. */
function leafPart({ dataset, change }: PanelContext): Control {
  const leaves = dtypeLeaves(dataset.dtype);
  const names = { count: leaves.length, name: (index: number) => leaves[index]!.name };
  const fields = chooser(names, (index) => change({ field: leaves[index]!.name }, "field"));
  const part = select(
    complexPartNames.map((name) => [name, complexParts[name].label] as const),
    (part) => change({ part: part as ComplexPart }, "part"),
  );
  const fieldRow = labelled("Field", fields.control, "zw-field", fields.element);
  const partRow = labelled("Part", part);
  fieldRow.hidden = !dataset.dtype.fields;
  const element = h("div", { class: "zw-group" }, fieldRow, partRow);
  return {
    element,
    sync(settings) {
      fields.show(leaves.findIndex(({ name }) => name === settings.field));
      part.value = settings.part;
      const leaf = drawnLeaf(dataset, settings.field);
      partRow.hidden = !leaf || !isComplex(leaf.dtype);
      element.hidden = fieldRow.hidden && partRow.hidden;
    },
  };
}

/** Whether the values are shown with a colour map. */
const isMapped = (dataset: Dataset, settings: ViewState, { kind }: PanelView): boolean =>
  kind === "image" && !isComposite(dataset, settings);

/** Whether values have colours of a map, rather than a colour for each label. */
const hasColors = (dataset: Dataset, state: ViewState, view: PanelView): boolean =>
  isMapped(dataset, state, view) && state.colormap !== "labels";

function colormapParts(context: PanelContext): Control[] {
  const { dataset, change } = context;
  const isShown = (state: ViewState, view: PanelView) => hasColors(dataset, state, view);
  return [
    mapPart(context),
    checkControl(context, "Reversed", {
      control: "reversed",
      value: ({ isReversed }) => isReversed,
      set: (isReversed) => ({ isReversed }),
      isShown,
    }),
    listControl(context, "Scale of colours", scaleNames, {
      control: "scale",
      value: ({ scale }) => scale,
      set: (scale) => ({ scale }),
      isShown,
    }),
    fieldPart(
      "Steps of colour",
      { min: 2, max: maxSteps, step: 1, placeholder: "continuous" },
      {
        show: ({ steps }) => steps || "",
        set: (value) => change({ steps: Math.min(Math.round(value ?? 0), maxSteps) }, "steps"),
        isShown,
      },
    ),
    checkControl(context, "Mark values outside the range", {
      control: "outside",
      value: ({ outside }) => outside === "mark",
      set: (isOn) => ({ outside: isOn ? "mark" : "clamp" }),
      isShown,
    }),
    checkControl(context, "Interpolate between elements", {
      control: "interpolation",
      value: ({ interpolation }) => interpolation === "linear",
      set: (isOn) => ({ interpolation: isOn ? "linear" : "nearest" }),
      isShown,
    }),
    gammaPart(context, isShown),
    fieldPart(
      "Value at the middle",
      { step: "any", placeholder: "0 where it is inside" },
      {
        show: ({ center }) => center ?? "",
        set: (center) => change({ center }, "center"),
        isShown: (state, view) =>
          isMapped(dataset, state, view) &&
          isDiverging(state.colormap) &&
          state.range.mode !== "manual" &&
          state.scale !== "log",
      },
    ),
  ];
}

/** The colour map, as a list with a bar of its colours. */
function mapPart({ dataset, change }: PanelContext): Control {
  const choose = (name: string, now: ViewState) =>
    name === ownName ? colorsLike(now.colormap) : (name as ColormapName);
  const list = select([], (name) => change((now) => ({ colormap: choose(name, now) }), "colormap"));
  const labels = h("option", { value: "labels" }, "Labels (one colour each)");
  const own = h("option", { value: ownName }, "Colours of your own");
  const colors = new OwnColors((colormap) => change({ colormap }, "colormap"));
  list.append(...kindGroups(), labels, own);
  const bar = h("canvas", { class: "zw-colormap-bar", width: 256, height: 1, "aria-hidden": "true" });
  const map = labelled("Colour map", list);
  map.append(bar);
  const element = h("div", { class: "zw-group" }, map, colors.element);
  return {
    element,
    sync(settings, state) {
      element.hidden = !isMapped(dataset, settings, state);
      const { colormap } = settings;
      labels.hidden = !canBeLabels(drawnLeaf(dataset, settings.field));
      list.value = colormap.startsWith("#") ? ownName : colormap;
      colors.show(colormap);
      bar.hidden = colormap === "labels";
      paintBar(bar, colormap);
      bar.style.transform = settings.isReversed ? "scaleX(-1)" : "";
    },
  };
}

type IsShown = (state: ViewState, view: PanelView) => boolean;

/** A number in a field, or nothing. */
function fieldPart(
  text: string,
  attributes: Parameters<typeof numberField>[0],
  how: { show: (state: ViewState) => number | string; set: (value: number | null) => void; isShown: IsShown },
): Control {
  const field = numberField(attributes, () => {
    how.set(field.value.trim() === "" ? null : Number(field.value));
  });
  const element = labelled(text, field);
  return {
    element,
    sync(state, view) {
      element.hidden = !how.isShown(state, view);
      showNumber(field, how.show(state));
    },
  };
}

function gammaPart({ change }: PanelContext, isShown: IsShown): Control {
  const { element, show } = gammaField((gamma) => change({ gamma }, "gamma"));
  return {
    element,
    sync(state, view) {
      element.hidden = !isShown(state, view);
      show(state.gamma);
    },
  };
}

/** Value of the option for a list of colours. */
const ownName = "own";

/** The published maps, by kind. */
const kindGroups = (): HTMLElement[] =>
  Object.entries(colormapKinds).map(([kind, names]) =>
    h(
      "optgroup",
      { label: `${kind[0]!.toUpperCase()}${kind.slice(1)}` },
      ...names.map((name) => h("option", {}, name)),
    ),
  );

/** The opacities of a translucent volume. */
function curvePart({ dataset, change }: PanelContext): Control {
  const editor = new CurveEditor("", (curve) => change({ curve: curve ?? null }, "curve"));
  const { element } = editor;
  return {
    element,
    sync(settings, state) {
      element.hidden = !hasColors(dataset, settings, state) || !hasOpacities(settings);
      editor.show(settings.curve ?? undefined);
    },
  };
}

const scaleNames: readonly (readonly [ValueScale, string])[] = [
  ["linear", "Linear"],
  ["log", "Logarithmic"],
  ["symlog", "Logarithmic on both sides of 0"],
];

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
    element: h("div", { class: "zw-limits", dir: "ltr" }, low, h("span", {}, "to"), high),
    /** @param limits undefined before they are known */
    show(limits: readonly [number, number] | undefined, isManual: boolean) {
      const width = limits ? Math.abs(limits[1] - limits[0]) : 0;
      const [least, most] = limits?.map((value) => (isManual ? value : rounded(value, width))) ?? ["", ""];
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

function rangePart({ dataset, change }: PanelContext): Control {
  let limits: readonly [number, number] = [0, 1];
  const setRange = (range: ValueRange) => change({ range }, "range");
  const setLimits = (low: number, high: number) => setRange({ mode: "manual", low, high });
  const mode = rangeList(setRange, () => limits);
  const fields = limitFields("", setLimits);
  const unit = h("span", { class: "zw-unit" });
  fields.element.append(unit);
  const histogram = new HistogramView("the values", {
    onLimits: setLimits,
    onReset: () => setRange({ mode: "auto" }),
  });
  const log = logControl({ change });
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
      const isImage = hasColors(dataset, settings, state);
      element.hidden = !isImage && kind !== "line";
      const leaf = drawnLeaf(dataset, settings.field);
      unit.hidden = !leaf || !isTime(leaf.dtype);
      unit.textContent = leaf ? unitText(leaf.dtype) : "";
      mode.value = settings.range.mode;
      const [numbers] = state.numbers;
      if (!numbers || element.hidden) return;
      limits = numbers.limits;
      fields.show(numbers.isRangeKnown ? limits : undefined, settings.range.mode === "manual");
      histogram.sync(isImage ? numbers : undefined, leaf, settings.isLogHistogram);
      log.sync(settings, state);
      log.element.hidden = histogram.element.hidden;
    },
  };
}

/** Whether histograms are logarithmic. */
export const logControl = (context: Pick<PanelContext, "change">) =>
  checkControl(context, "Logarithmic counts", {
    control: "log",
    value: ({ isLogHistogram }) => isLogHistogram,
    set: (isLogHistogram) => ({ isLogHistogram }),
  });

/** If there are other slices: whether each has its own range. */
function scopePart(context: PanelContext): Control {
  const { dataset } = context;
  return checkControl(context, "Find the range for each slice", {
    control: "scope",
    value: ({ isRangePerSlice }) => isRangePerSlice,
    set: (isRangePerSlice) => ({ isRangePerSlice }),
    isShown(state, { kind }) {
      const isFound = isComposite(dataset, state)
        ? state.channels!.some(({ range }) => range.mode !== "manual")
        : state.range.mode !== "manual" && state.colormap !== "labels";
      const hasSlices = dataset.axes.some(({ length }, axis) => length > 1 && !state.axes.includes(axis));
      return kind === "image" && isFound && hasSlices;
    },
  });
}

/** Whether chunks that are not stored have a pattern. */
const missingPart = (context: PanelContext): Control =>
  checkControl(context, "Mark chunks that are not stored", {
    control: "missing",
    value: ({ isMissingMarked }) => isMissingMarked,
    set: (isMissingMarked) => ({ isMissingMarked }),
    isShown: ({ isMissingMarked }, { kind, numbers }) =>
      kind === "image" &&
      !isPicture(context.dataset) &&
      (isMissingMarked || numbers.some(({ hasMissing }) => hasMissing)),
  });

/** A switch between decoded and stored values. */
function rawParts(context: PanelContext): Control[] {
  const { decode, decodedKind } = context.dataset;
  if (!decode) return [];
  const what = decodedKind === "milliseconds" ? "dates" : "scale, offset and missing values";
  const raw = {
    control: "raw",
    value: ({ isRaw }: ViewState) => isRaw,
    set: (isRaw: boolean) => ({ isRaw }),
  };
  return [checkControl(context, `Raw values, without ${what}`, raw)];
}

function unitText({ core, unit, scaleFactor = 1 }: DType): string {
  const count = `counts of ${scaleFactor} ${unit}`;
  return core === "datetime64" ? `${count} since 1970` : count;
}

/** Six digits are enough for a starting value, in a range that is not much narrower. */
function rounded(value: number, width: number): number {
  if (Number.isSafeInteger(value)) return value;
  const digits = width > 0 ? Math.ceil(Math.log10(Math.abs(value) / width)) + 4 : 6;
  return Number(value.toPrecision(Math.min(17, Math.max(6, digits))));
}

/** Number of colours taken from another map. */
const taken = 5;
/** Maximum number of colours with a field; longer lists come from links and attributes. */
const maxFields = 16;

const hex = (pixel: number): string =>
  `#${pixelBytes(pixel)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")}`;

/** A list of colours like another map. */
function colorsLike(map: ColormapName): ColormapName {
  if (map.startsWith("#")) return map;
  const table = colorTable(map === "labels" ? "gray" : map);
  const colors = Array.from({ length: taken }, (_, i) => hex(table[Math.round((255 * i) / (taken - 1))]!));
  return colors.join() as ColormapName;
}

class OwnColors {
  readonly #fields = h("span", { class: "zw-own-fields" });
  readonly #add = h("button", { type: "button", class: "zw-button", onclick: () => this.#append() }, "Add");
  readonly #remove = h(
    "button",
    { type: "button", class: "zw-button", onclick: () => this.#set(this.#colors.slice(0, -1)) },
    "Remove",
  );
  readonly element = h(
    "div",
    { class: "zw-own-colors", role: "group", "aria-label": "Colours, from low to high", hidden: true },
    this.#fields,
    this.#add,
    this.#remove,
  );
  #colors: readonly string[] = [];

  constructor(private readonly onColors: (map: ColormapName) => void) {}

  show(map: ColormapName): void {
    this.element.hidden = !map.startsWith("#") || map.split(",").length > maxFields;
    if (this.element.hidden) return;
    this.#colors = map.split(",");
    while (this.#fields.children.length > this.#colors.length) this.#fields.lastElementChild!.remove();
    while (this.#fields.children.length < this.#colors.length)
      this.#fields.append(this.#field(this.#fields.children.length));
    for (const [i, color] of this.#colors.entries()) {
      const field = this.#fields.children[i] as HTMLInputElement;
      if (field.value !== color) field.value = color;
    }
    this.#add.disabled = this.#colors.length >= maxFields;
    this.#remove.disabled = this.#colors.length <= 2;
  }

  #field(at: number): HTMLInputElement {
    const field = h("input", {
      type: "color",
      "aria-label": `Colour ${at + 1}`,
      oninput: () => this.#set(this.#colors.map((color, i) => (i === at ? field.value : color))),
    });
    return field;
  }

  #append(): void {
    this.#set([...this.#colors, this.#colors.at(-1)!]);
  }

  #set(colors: readonly string[]): void {
    this.onColors(colors.join() as ColormapName);
  }
}
