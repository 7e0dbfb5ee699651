/** Controls for the colours of values: map, direction, gamma, centre; the range, and its histogram. */

import type { DType } from "zarr-wasm";
import { chooser } from "../base/chooser.js";
import { type ColormapKind, type ColormapName, colormapKinds, isDiverging } from "../base/colormaps.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import type { ValueScale } from "../base/value-scale.js";
import { localNumber } from "../language/locale.js";
import { text } from "../language/text.js";
import { isPicture } from "../model/channels.js";
import { isComposite } from "../model/layers.js";
import { canBeLabels, drawnLeaf, maxSteps, type ValueRange, type ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { complexPartNames, dtypeLeaves, isComplex, isTime, type Leaf } from "../source/leaf.js";
import { CurveEditor, hasOpacities } from "./curve.js";
import { type HistogramCallbacks, HistogramView } from "./histogram.js";
import { paintBar } from "./legend.js";
import {
  type Changing,
  type Control,
  checkControl,
  type LayerNumbers,
  listControl,
  numberControl,
  type Panel,
  type PanelContext,
  type PanelView,
  sliderControl,
} from "./panel.js";

const rangeModes = (): readonly (readonly [ValueRange["mode"], string])[] =>
  (["auto", "minmax", "percentile", "manual"] as const).map((mode) => [mode, text.values[mode]]);

export const valuesPanel: Panel = {
  name: "values",
  tab: "image",
  title: () => text.values.title,
  build: (context) => [...fieldParts(context), complexControl(context), rangePart(context), mapPart(context)],
};

/** Settings that few views need. */
export const coloursPanel: Panel = {
  name: "colours",
  tab: "image",
  isFolded: true,
  title: () => text.values.more,
  build: (context) => [
    ...colormapParts(context),
    curvePart(context),
    logPart(context),
    scopePart(context),
    missingPart(context),
    ...rawParts(context),
  ],
};

/** The field of structured values. */
function fieldParts({ dataset, change }: PanelContext): Control[] {
  if (!dataset.dtype.fields) return [];
  const leaves = dtypeLeaves(dataset.dtype);
  const names = { count: leaves.length, name: (index: number) => leaves[index]!.name };
  const fields = chooser(names, (index) => change({ field: leaves[index]!.name }, "field"));
  return [
    {
      element: labelled(text.values.field, fields.control, "zw-field", fields.element),
      sync: ({ field }) => fields.show(leaves.findIndex(({ name }) => name === field)),
    },
  ];
}

/** The part of complex values. */
const complexControl = (context: PanelContext): Control =>
  listControl(
    context,
    text.values.part,
    complexPartNames.map((name) => [name, text.complexParts[name]] as const),
    {
      control: "part",
      value: ({ part }) => part,
      set: (part) => ({ part }),
      isShown({ field }) {
        const leaf = drawnLeaf(context.dataset, field);
        return leaf !== undefined && isComplex(leaf.dtype);
      },
    },
  );

/** Whether the values are shown with a colour map. */
const isMapped = (dataset: Dataset, settings: ViewState, { kind }: PanelView): boolean =>
  kind === "image" && !isComposite(dataset, settings);

/** Whether values have colours of a map, rather than a colour for each label. */
const hasColors = (dataset: Dataset, state: ViewState, view: PanelView): boolean =>
  isMapped(dataset, state, view) && state.colormap !== "labels";

function colormapParts(context: PanelContext): Control[] {
  const { dataset } = context;
  const isShown = (state: ViewState, view: PanelView) => hasColors(dataset, state, view);
  return [
    checkControl(context, text.values.reversed, {
      control: "reversed",
      value: ({ isReversed }) => isReversed,
      set: (isReversed) => ({ isReversed }),
      isShown,
    }),
    listControl(context, text.values.scale, scaleNames(), {
      control: "scale",
      value: ({ scale }) => scale,
      set: (scale) => ({ scale }),
      isShown,
    }),
    numberControl(
      context,
      text.values.steps,
      { ...stepsField, placeholder: text.values.continuous },
      {
        control: "steps",
        value: ({ steps }) => steps || null,
        set: (steps) => ({ steps: Math.min(Math.round(steps ?? 0), maxSteps) }),
        isShown,
      },
    ),
    checkControl(context, text.values.outside, {
      control: "outside",
      value: ({ outside }) => outside === "mark",
      set: (isOn) => ({ outside: isOn ? "mark" : "clamp" }),
      isShown,
    }),
    checkControl(context, text.values.interpolate, {
      control: "interpolation",
      value: ({ interpolation }) => interpolation === "linear",
      set: (isOn) => ({ interpolation: isOn ? "linear" : "nearest" }),
      isShown,
    }),
    gammaControl(context, "", isShown),
    numberControl(
      context,
      text.values.center,
      { step: "any", placeholder: text.values.centerHint },
      {
        control: "center",
        value: ({ center }) => center,
        set: (center) => ({ center }),
        isShown: (state, view) =>
          isMapped(dataset, state, view) &&
          isDiverging(state.colormap) &&
          state.range.mode !== "manual" &&
          state.scale !== "log",
      },
    ),
  ];
}

const stepsField = { min: 2, max: maxSteps, step: 1 };

/** The colour map, as a list with a bar of its colours. */
function mapPart({ dataset, change }: PanelContext): Control {
  const list = select([], (name) => change({ colormap: name as ColormapName }, "colormap"));
  const labels = h("option", { value: "labels" }, text.values.labels);
  /** A list of colours, which links and attributes give. */
  const own = h("option", {}, text.values.own);
  list.append(...kindGroups(), labels, own);
  const bar = h("canvas", { class: "zw-colormap-bar", width: 256, height: 1, "aria-hidden": "true" });
  const element = labelled(text.panels.colorMap, list);
  element.append(bar);
  return {
    element,
    sync(settings, state) {
      element.hidden = !isMapped(dataset, settings, state);
      const { colormap } = settings;
      labels.hidden = !canBeLabels(drawnLeaf(dataset, settings.field));
      own.hidden = !colormap.startsWith("#");
      own.value = own.hidden ? "" : colormap;
      list.value = colormap;
      bar.hidden = colormap === "labels";
      paintBar(bar, colormap);
      bar.style.transform = settings.isReversed ? "scaleX(-1)" : "";
    },
  };
}

/** The published maps, by kind. */
const kindGroups = (): HTMLElement[] =>
  Object.entries(colormapKinds).map(([kind, names]) =>
    h(
      "optgroup",
      { label: text.values.kinds[kind as ColormapKind] },
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

const scaleNames = (): readonly (readonly [ValueScale, string])[] =>
  (["linear", "log", "symlog"] as const).map((scale) => [scale, text.values[scale]]);

/** An exponent from 0.25 to 4, with 1 in the middle of the slider. @param of " of channel 1", or "" */
export function gammaControl<S extends { readonly gamma: number }>(
  context: Changing<S>,
  of: string,
  isShown?: (state: S, view: PanelView) => boolean,
): Required<Control<S>> {
  const { element, slider, sync } = sliderControl<S>(
    context,
    text.values.gamma,
    { min: -2, max: 2, step: 0.05 },
    {
      control: "gamma",
      value: ({ gamma }) => Math.log2(gamma),
      set: (power) => ({ gamma: Number((2 ** power).toPrecision(3)) }) as Partial<S>,
      isShown,
    },
  );
  if (of !== "") slider.setAttribute("aria-label", `${text.values.gamma}${of}`);
  const output = h("output", { class: "zw-coordinate", for: slider.id });
  element.classList.add("zw-gamma");
  element.append(output);
  return {
    element,
    sync(state, view) {
      sync(state, view);
      output.textContent = localNumber(state.gamma);
      slider.setAttribute("aria-valuetext", output.textContent);
    },
  };
}

/** The changes of a range that a histogram makes. */
export const rangeCallbacks = (onRange: (range: ValueRange) => void): HistogramCallbacks => ({
  onLimits: (low, high) => onRange({ mode: "manual", low, high }),
  onReset: () => onRange({ mode: "auto" }),
});

/**
 * The range of values: its method, its limits, and the histogram.
 * @param of suffix of the labels: " of channel 1", or ""
 * @param histogram null: none
 */
export function rangeParts(
  name: string,
  of: string,
  onRange: (range: ValueRange) => void,
  histogram: HistogramView | null = new HistogramView(name, rangeCallbacks(onRange)),
) {
  let known: readonly [number, number] = [0, 1];
  const onLimits = (low: number, high: number) => onRange({ mode: "manual", low, high });
  const mode = select(rangeModes(), (value) => {
    if (value === "manual") onLimits(...known);
    else onRange({ mode: value as "auto" });
  });
  if (of !== "") mode.setAttribute("aria-label", `${text.values.range}${of}`);
  const set = () => {
    const values = fields.map(({ value }) => (value.trim() === "" ? Number.NaN : Number(value)));
    if (values.every(Number.isFinite)) onLimits(values[0]!, values[1]!);
  };
  const fields = [text.values.lowest, text.values.highest].map((end) =>
    numberField({ step: "any", "aria-label": `${end}${of}` }, set),
  );
  const [low, high] = fields;
  const unit = h("span", { class: "zw-unit" });
  const limits = h("div", { class: "zw-limits", dir: "ltr" }, low, h("span", {}, text.panels.to), high, unit);
  return {
    elements: [labelled(text.values.range, mode), limits, ...(histogram ? [histogram.element] : [])],
    /** @param numbers undefined before there are any. @param hasHistogram lines have none */
    show(
      range: ValueRange,
      numbers: LayerNumbers | undefined,
      leaf: Leaf | undefined,
      isLog: boolean,
      hasHistogram = true,
    ) {
      unit.textContent = leaf && isTime(leaf.dtype) ? unitText(leaf.dtype) : "";
      unit.hidden = unit.textContent === "";
      mode.value = range.mode;
      known = numbers?.limits ?? known;
      const width = Math.abs(known[1] - known[0]);
      for (const [i, field] of fields.entries()) {
        const value = range.mode === "manual" ? known[i]! : rounded(known[i]!, width);
        showNumber(field, numbers?.isRangeKnown === false ? "" : value);
      }
      histogram?.sync(hasHistogram ? numbers : undefined, leaf, isLog);
    },
  };
}

function rangePart({ dataset, change }: PanelContext): Control {
  const parts = rangeParts(text.values.theValues, "", (range) => change({ range }, "range"));
  const element = h("div", { class: "zw-group" }, ...parts.elements);
  return {
    element,
    sync(settings, view) {
      const isImage = hasColors(dataset, settings, view);
      element.hidden = !isImage && view.kind !== "line";
      const [numbers] = view.numbers;
      if (!numbers || element.hidden) return;
      const leaf = drawnLeaf(dataset, settings.field);
      parts.show(settings.range, numbers, leaf, settings.isLogHistogram, isImage);
    },
  };
}

/** Whether histograms are logarithmic. */
const logPart = (context: Changing) =>
  checkControl(context, text.values.logCounts, {
    control: "log",
    value: ({ isLogHistogram }) => isLogHistogram,
    set: (isLogHistogram) => ({ isLogHistogram }),
    isShown: ({ colormap, channels }, { kind }) =>
      kind === "image" && (channels !== null || colormap !== "labels"),
  });

/** If there are other slices: whether each has its own range. */
function scopePart(context: PanelContext): Control {
  const { dataset } = context;
  return checkControl(context, text.values.slices, {
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
  checkControl(context, text.values.missing, {
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
  const label = decodedKind === "milliseconds" ? text.values.rawDates : text.values.rawNumbers;
  const raw = {
    control: "raw",
    value: ({ isRaw }: ViewState) => isRaw,
    set: (isRaw: boolean) => ({ isRaw }),
  };
  return [checkControl(context, label, raw)];
}

function unitText({ core, unit, scaleFactor = 1 }: DType): string {
  const { counts, countsSince } = text.values;
  return (core === "datetime64" ? countsSince : counts)(scaleFactor, unit);
}

/** Six digits are enough for a starting value, in a range that is not much narrower. */
function rounded(value: number, width: number): number {
  if (Number.isSafeInteger(value)) return value;
  const digits = width > 0 ? Math.ceil(Math.log10(Math.abs(value) / width)) + 4 : 6;
  return Number(value.toPrecision(Math.min(17, Math.max(6, digits))));
}
