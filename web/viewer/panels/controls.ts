/**
 * The controls: axes, indices, visible part, field, colours, range. Built once per array and then updated in
 * place, so that a control never loses the focus during use.
 */
import { chooser } from "../base/chooser.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { arrange } from "../base/virtual.js";
import { drawnLeaf, type Interval, type ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { type ComplexPart, complexPartNames, complexParts, dtypeLeaves, isComplex } from "../source/leaf.js";
import { channelParts } from "./channels.js";
import type { Change, Control, ControlCallbacks, ControlState } from "./control.js";
import { extraControls } from "./extra-controls.js";
import { axisName } from "./rulers.js";
import { sliderParts } from "./sliders.js";
import { valueParts } from "./values.js";
import { volumeParts } from "./volume.js";

export class Controls {
  readonly element: HTMLElement;
  readonly #parts: readonly Control[];
  readonly #cards: readonly HTMLElement[];

  constructor(dataset: Dataset, v1Order: "spec" | "writer" | undefined, callbacks: ControlCallbacks) {
    const settings = { current: undefined as ViewState | undefined };
    const change = (make: (now: ViewState) => Partial<ViewState>, control: string) => {
      if (settings.current) callbacks.onChange(make(settings.current), control);
    };
    const view = [...volumeParts(dataset, change), ...sliderParts(dataset, change, callbacks)];
    const part = [axesPart(dataset, change), windowPart(dataset, change)];
    const channels = channelParts(dataset, change);
    const values = [fieldPart(dataset, change), ...valueParts(dataset, change)];
    const beside = extraControls(dataset, change);
    const remember: Control = {
      element: h("div"),
      sync: (now) => {
        settings.current = now;
      },
    };
    this.#parts = [remember, ...view, ...channels, ...values, ...part, ...beside];
    this.#cards = [
      card("Slice", ...view.map((part) => part.element), v1Order && orderSwitch(v1Order, callbacks)),
      card("Channels", ...channels.map((part) => part.element)),
      card("Values", ...values.map((part) => part.element)),
      card("Axes and part shown", ...part.map(({ element }) => element)),
      card("Over and beside the picture", ...beside.map((part) => part.element)),
    ];
    const onsubmit = (event: Event) => event.preventDefault();
    this.element = h("form", { class: "zw-controls", onsubmit }, ...this.#cards);
  }

  /** Inserts a panel below the controls of slices and colours. */
  insert(panel: HTMLElement): void {
    this.#cards[3]!.before(panel);
  }

  /** Updates the controls. */
  sync(settings: ViewState, state: ControlState): void {
    for (const part of this.#parts) part.sync(settings, state);
    for (const element of this.#cards) {
      const controls = [...element.querySelectorAll<HTMLElement>(".zw-card-body > *")];
      element.hidden = controls.every((control) => control.hidden);
    }
  }
}

function card(title: string, ...children: (HTMLElement | undefined)[]): HTMLElement {
  const body = h("div", { class: "zw-card-body" }, ...children);
  return h("fieldset", { class: "zw-card" }, h("legend", {}, title), body);
}

/** Chooses the vertical and horizontal axis. Choosing the axis of the other direction swaps the two. */
function axesPart(dataset: Dataset, change: Change): Control {
  const names = labelledAxes(dataset);
  const axisNames = { count: names.length, name: (axis: number) => axisName(names, axis) };
  const choose = (position: number, axis: number) =>
    change(({ axes }) => {
      const next = [...axes];
      const other = next.indexOf(axis);
      if (other >= 0) next[other] = next[position]!;
      next[position] = axis;
      return { axes: next, camera: null };
    }, "axes");
  const down = chooser(axisNames, (axis) => choose(0, axis));
  const across = chooser(axisNames, (axis) => choose(1, axis));
  const swap = h(
    "button",
    {
      type: "button",
      class: "zw-button zw-swap",
      title: "Swap rows and columns",
      "aria-label": "Swap rows and columns",
      onclick: () => change(({ axes }) => ({ axes: [axes[1]!, axes[0]!], camera: null }), "axes"),
    },
    "⇄",
  );
  const element = h(
    "div",
    { class: "zw-axes" },
    labelled(dataset.embedding ? "Vertical axis" : "Rows", down.control, "zw-field", down.element),
    swap,
    labelled(dataset.embedding ? "Horizontal axis" : "Columns", across.control, "zw-field", across.element),
  );
  element.hidden = dataset.axes.length < 2;
  return {
    element,
    sync({ axes }) {
      down.show(axes[0] ?? -1);
      across.show(axes[1] ?? -1);
    },
  };
}

/** The visible part of the shown axes. */
function windowPart(dataset: Dataset, change: Change): Control {
  /** Rows by axis, created when the axis is first shown. */
  const rows = new Map<number, Control>();
  const element = h("div", { class: "zw-windows", role: "group", "aria-label": "Part shown" });
  return {
    element,
    sync(settings, state) {
      const isVolume = settings.view === "volume";
      element.hidden = settings.axes.length === 0 || ["empty", "scatter"].includes(state.kind) || isVolume;
      const shape = datasetShape(dataset);
      const shown = [...settings.axes].sort((a, b) => a - b);
      for (const axis of shown)
        if (!rows.has(axis)) rows.set(axis, windowRow(dataset, axis, shape[axis]!, change));
      arrange(
        element,
        shown.map((axis) => rows.get(axis)!.element),
      );
      for (const axis of shown) rows.get(axis)!.sync(settings, state);
    },
  };
}

function windowRow(dataset: Dataset, axis: number, length: number, change: Change): Control {
  const name = axisName(labelledAxes(dataset), axis);
  const limits = { min: 0, max: Math.max(0, length - 1), step: 1 };
  let synced: ControlState | undefined;
  let shown: Interval | undefined;
  const set = () => {
    const [first, last] = [firstField.value, lastField.value].map((text) => Math.round(Number(text)));
    if (!Number.isFinite(first) || !Number.isFinite(last)) return;
    change((now) => {
      // A bound that was not edited stays as requested: the picture may show a little more.
      const [from, stop] = (!now.camera && now.window[axis]) || [first!, last! + 1];
      const start = first === shown?.[0] ? from : first!;
      const end = last! + 1 === shown?.[1] ? stop : last! + 1;
      const interval: Interval = [Math.min(start, end - 1), Math.max(start + 1, end)];
      // The visible interval of the other axis is kept if the view was moved there.
      const others = datasetShape(dataset).map((length, i) =>
        now.camera && synced ? (shownAxes(now, synced, i, length) ?? null) : now.window[i]!,
      );
      return { camera: null, window: others.map((old, i) => (i === axis ? interval : old)) };
    }, `window-${axis}`);
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
    sync(settings, state) {
      synced = state;
      shown = shownAxes(settings, state, axis, length);
      element.hidden = !shown;
      if (!shown) return;
      showNumber(firstField, shown[0]);
      showNumber(lastField, shown[1] - 1);
    },
  };
}

/** The visible interval of an axis in whole elements; undefined if the axis is not shown. */
function shownAxes(
  { axes, window }: ViewState,
  { kind, seen }: ControlState,
  axis: number,
  length: number,
): Interval | undefined {
  const position = axes.indexOf(axis);
  if (position < 0) return undefined;
  if (!seen || (kind !== "image" && kind !== "line")) return window[axis] ?? [0, length];
  const [from, to] = position === axes.length - 1 ? [seen.left, seen.right] : [seen.top, seen.bottom];
  // Differences of less than half an element are ignored.
  return [Math.max(0, Math.floor(from + 0.5)), Math.min(length, Math.ceil(to - 0.5))];
}

const labelledAxes = ({ axes }: Dataset) => axes.map(({ name }) => name ?? null);

function fieldPart(dataset: Dataset, change: Change): Control {
  const leaves = dtypeLeaves(dataset.dtype);
  const names = { count: leaves.length, name: (index: number) => leaves[index]!.name };
  const fields = chooser(names, (index) => change(() => ({ field: leaves[index]!.name }), "field"));
  const part = select(
    complexPartNames.map((name) => [name, complexParts[name].label] as const),
    (name) => change(() => ({ part: name as ComplexPart }), "part"),
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

/** For arrays whose chunks may have another byte order than the metadata says. */
function orderSwitch(order: "spec" | "writer", { onV1Order }: ControlCallbacks): HTMLElement {
  const box = h("input", {
    type: "checkbox",
    checked: order === "writer",
    onchange: () => onV1Order(box.checked ? "writer" : "spec"),
  });
  return h("label", { class: "zw-check" }, box, "Read chunks in C order, as zarr-python 1.x wrote them");
}
