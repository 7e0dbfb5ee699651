/**
 * The controls: axes, indices, part seen, field, colours, range. Built once per array and then kept in
 * step with the settings, so that a control never loses the focus while it is used.
 */
import type { DType, ZarrArray } from "zarr-wasm";
import { axisName } from "./axes.js";
import { type ColormapName, colormaps } from "./colormaps.js";
import { h, labelled, numberField, select, showNumber } from "./dom.js";
import { isComplex, isTime, leavesOf, type Part, partNames, parts } from "./leaf.js";
import { paintBar } from "./legend.js";
import type { SlicePlan } from "./plan.js";
import { colormapsFor, type Interval, leafOf, type ValueRange, type ViewSettings } from "./settings.js";

export interface ControlCallbacks {
  /** Settings to change; `control` names what was used, so that a drag counts as one change. */
  onChange(change: Partial<ViewSettings>, control: string): void;
  onZoom(direction: "in" | "out" | "reset"): void;
  onV1Order(order: "spec" | "writer"): void;
}

/** What the controls show beside the settings. */
export interface ControlState {
  readonly plan: SlicePlan;
  /** The range in use, for the fields of the manual one. */
  readonly limits: readonly [low: number, high: number] | undefined;
}

const rangeModes: readonly (readonly [ValueRange["mode"], string])[] = [
  ["minmax", "Minimum to maximum"],
  ["percentile", "1st to 99th percentile"],
  ["manual", "Manual"],
];

/** A part of the panel that follows the settings. */
interface Control {
  readonly element: HTMLElement;
  sync(settings: ViewSettings, state: ControlState): void;
}

export class Controls {
  readonly element: HTMLElement;
  readonly #parts: readonly Control[];
  readonly #cards: readonly HTMLElement[];

  constructor(array: ZarrArray, v1Order: "spec" | "writer" | undefined, callbacks: ControlCallbacks) {
    const settings = { current: undefined as ViewSettings | undefined };
    const change = (make: (now: ViewSettings) => Partial<ViewSettings>, control: string) => {
      if (settings.current) callbacks.onChange(make(settings.current), control);
    };
    const view = [
      axesPart(array, change),
      ...indexParts(array, change),
      windowPart(array, change, callbacks),
    ];
    const values = [fieldPart(array, change), colormapPart(array, change), rangePart(array, change)];
    const remember: Control = {
      element: h("div"),
      sync: (now) => {
        settings.current = now;
      },
    };
    this.#parts = [remember, ...view, ...values];
    this.#cards = [
      card("Slice", ...view.map((part) => part.element), v1Order && orderSwitch(v1Order, callbacks)),
      card("Values", ...values.map((part) => part.element)),
    ];
    const onsubmit = (event: Event) => event.preventDefault();
    this.element = h("form", { class: "zw-controls", onsubmit }, ...this.#cards);
  }

  /** Shows settings. */
  sync(settings: ViewSettings, state: ControlState): void {
    for (const part of this.#parts) part.sync(settings, state);
    for (const element of this.#cards) {
      const controls = [...element.querySelectorAll<HTMLElement>(".zw-card-body > *")];
      element.hidden = controls.every((control) => control.hidden);
    }
  }
}

type Change = (make: (now: ViewSettings) => Partial<ViewSettings>, control: string) => void;

function card(title: string, ...children: (HTMLElement | undefined)[]): HTMLElement {
  const body = h("div", { class: "zw-card-body" }, ...children);
  return h("fieldset", { class: "zw-card" }, h("legend", {}, title), body);
}

/** Which axes go down and across. Choosing the other one's axis swaps the two. */
function axesPart(array: ZarrArray, change: Change): Control {
  const entries = array.shape.map((_, axis) => [String(axis), axisName(array.dimensionNames, axis)] as const);
  const choose = (position: number, axis: number) =>
    change(({ axes }) => {
      const next = [...axes];
      const other = next.indexOf(axis);
      if (other >= 0) next[other] = next[position]!;
      next[position] = axis;
      return { axes: next };
    }, "axes");
  const down = select(entries, (axis) => choose(0, Number(axis)));
  const across = select(entries, (axis) => choose(1, Number(axis)));
  const swap = h(
    "button",
    {
      type: "button",
      class: "zw-button zw-swap",
      title: "Swap rows and columns",
      "aria-label": "Swap rows and columns",
      onclick: () => change(({ axes }) => ({ axes: [axes[1]!, axes[0]!] }), "axes"),
    },
    "⇄",
  );
  const element = h("div", { class: "zw-axes" }, labelled("Rows", down), swap, labelled("Columns", across));
  element.hidden = array.shape.length < 2;
  return {
    element,
    sync({ axes }) {
      down.value = String(axes[0]);
      across.value = String(axes[1]);
    },
  };
}

/** The index along each axis that is not shown: a slider and a number. */
function indexParts(array: ZarrArray, change: Change): Control[] {
  return array.shape.map((length, axis) => {
    const set = (text: string) => {
      const at = Math.round(Number(text));
      if (text.trim() === "" || !Number.isFinite(at)) return;
      const clamped = Math.min(Math.max(at, 0), length - 1);
      change(
        ({ index }) => ({ index: index.map((old, i) => (i === axis ? clamped : old)) }),
        `index-${axis}`,
      );
    };
    const limits = { min: 0, max: Math.max(0, length - 1), step: 1 };
    const slider = h("input", { type: "range", ...limits, oninput: () => set(slider.value) });
    const number = numberField(limits, () => set(number.value));
    const name = axisName(array.dimensionNames, axis);
    number.setAttribute("aria-label", `Index along ${name}`);
    const element = labelled(`${name}`, slider, "zw-field zw-index");
    element.append(number);
    return {
      element,
      sync({ axes, index }) {
        element.hidden = axes.includes(axis);
        slider.value = String(index[axis]);
        showNumber(number, index[axis]);
      },
    };
  });
}

/** The part of the shown axes that is seen, and buttons for it. */
function windowPart(array: ZarrArray, change: Change, { onZoom }: ControlCallbacks): Control {
  const rows = array.shape.map((length, axis) => windowRow(array, axis, length, change));
  const button = (text: string, direction: "in" | "out" | "reset") =>
    h("button", { type: "button", class: "zw-button", onclick: () => onZoom(direction) }, text);
  const [zoomIn, zoomOut, whole] = [
    button("Zoom in", "in"),
    button("Zoom out", "out"),
    button("Whole slice", "reset"),
  ];
  const element = h(
    "div",
    { class: "zw-windows", role: "group", "aria-label": "Part shown" },
    ...rows.map((row) => row.element),
    h("div", { class: "zw-buttons" }, zoomIn, zoomOut, whole),
  );
  return {
    element,
    sync(settings, state) {
      element.hidden = state.plan.axes.length === 0;
      const isWhole = state.plan.axes.every(
        ({ axis, start, stop }) => start === 0 && stop === array.shape[axis],
      );
      whole.disabled = isWhole;
      zoomOut.disabled = isWhole;
      for (const row of rows) row.sync(settings, state);
    },
  };
}

function windowRow(array: ZarrArray, axis: number, length: number, change: Change): Control {
  const name = axisName(array.dimensionNames, axis);
  const limits = { min: 0, max: Math.max(0, length - 1), step: 1 };
  const set = () => {
    const [first, last] = [firstField.value, lastField.value].map((text) => Math.round(Number(text)));
    if (!Number.isFinite(first) || !Number.isFinite(last)) return;
    const interval: Interval = [Math.min(first!, last!), Math.max(first!, last!) + 1];
    change(
      ({ window }) => ({ window: window.map((old, i) => (i === axis ? interval : old)) }),
      `window-${axis}`,
    );
  };
  const firstField = numberField({ ...limits, "aria-label": `First index shown along ${name}` }, set);
  const lastField = numberField({ ...limits, "aria-label": `Last index shown along ${name}` }, set);
  const element = h(
    "div",
    { class: "zw-window" },
    h("span", {}, name),
    firstField,
    h("span", {}, "to"),
    lastField,
  );
  return {
    element,
    sync(_settings, { plan }) {
      const shown = plan.axes.find((entry) => entry.axis === axis);
      element.hidden = !shown;
      if (!shown) return;
      showNumber(firstField, shown.start);
      showNumber(lastField, shown.stop - 1);
    },
  };
}

function fieldPart(array: ZarrArray, change: Change): Control {
  const leaves = leavesOf(array.dtype);
  const fields = select(
    leaves.map(({ name }) => [name, name] as const),
    (name) => change(() => ({ field: name }), "field"),
  );
  const part = select(
    partNames.map((name) => [name, parts[name].label] as const),
    (name) => change(() => ({ part: name as Part }), "part"),
  );
  const [fieldRow, partRow] = [labelled("Field", fields), labelled("Part", part)];
  fieldRow.hidden = !array.dtype.fields;
  const element = h("div", { class: "zw-group" }, fieldRow, partRow);
  return {
    element,
    sync(settings) {
      fields.value = settings.field;
      part.value = settings.part;
      const leaf = leafOf(array, settings.field);
      partRow.hidden = !leaf || !isComplex(leaf.dtype);
      element.hidden = fieldRow.hidden && partRow.hidden;
    },
  };
}

function colormapPart(array: ZarrArray, change: Change): Control {
  const names = Object.keys(colormaps) as ColormapName[];
  const list = select(
    names.map((name) => [name, colormaps[name].label] as const),
    (name) => change(() => ({ colormap: name as ColormapName }), "colormap"),
  );
  const bar = h("canvas", { class: "zw-colormap-bar", width: 256, height: 1, "aria-hidden": "true" });
  const element = labelled("Colour map", list);
  element.append(bar);
  return {
    element,
    sync(settings, { plan }) {
      element.hidden = plan.kind !== "image";
      const fitting = colormapsFor(leafOf(array, settings.field));
      for (const option of list.options) option.hidden = !fitting.includes(option.value as ColormapName);
      list.value = settings.colormap;
      bar.hidden = settings.colormap === "labels";
      paintBar(bar, settings.colormap);
    },
  };
}

function rangePart(array: ZarrArray, change: Change): Control {
  let limits: readonly [number, number] = [0, 1];
  const mode = select(rangeModes, (value) => {
    const range: ValueRange =
      value === "manual"
        ? { mode: "manual", low: limits[0], high: limits[1] }
        : { mode: value as "minmax" | "percentile" };
    change(() => ({ range }), "range");
  });
  const set = () => {
    const values = [low.value, high.value].map((text) => (text.trim() === "" ? Number.NaN : Number(text)));
    if (!values.every(Number.isFinite)) return;
    change(() => ({ range: { mode: "manual", low: values[0]!, high: values[1]! } }), "range");
  };
  const low = numberField({ step: "any", "aria-label": "Lowest value" }, set);
  const high = numberField({ step: "any", "aria-label": "Highest value" }, set);
  const unit = h("span", { class: "zw-unit" });
  const row = h("div", { class: "zw-limits" }, low, h("span", {}, "to"), high, unit);
  const element = h("div", { class: "zw-group" }, labelled("Value range", mode), row);
  return {
    element,
    sync(settings, state) {
      const { kind } = state.plan;
      element.hidden =
        !(kind === "image" || kind === "line") || (kind === "image" && settings.colormap === "labels");
      const leaf = leafOf(array, settings.field);
      unit.hidden = !leaf || !isTime(leaf.dtype);
      unit.textContent = leaf ? unitText(leaf.dtype) : "";
      mode.value = settings.range.mode;
      if (!state.limits) return;
      limits = state.limits;
      const isManual = settings.range.mode === "manual";
      const [least, most] = limits.map((value) => (isManual ? value : rounded(value)));
      showNumber(low, least);
      showNumber(high, most);
    },
  };
}

function unitText({ core, unit, scaleFactor = 1 }: DType): string {
  const count = `counts of ${scaleFactor} ${unit}`;
  return core === "datetime64" ? `${count} since 1970` : count;
}

/** Six digits of what was found are enough to start from. */
function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(6));
}

/** For arrays whose chunks may be laid out otherwise than the metadata says. */
function orderSwitch(order: "spec" | "writer", { onV1Order }: ControlCallbacks): HTMLElement {
  const box = h("input", {
    type: "checkbox",
    checked: order === "writer",
    onchange: () => onV1Order(box.checked ? "writer" : "spec"),
  });
  return h("label", { class: "zw-check" }, box, "Read chunks in C order, as zarr-python 1.x wrote them");
}
