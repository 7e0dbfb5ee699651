/** The axes that the picture shows, and the visible part of each. */
import { chooser } from "../base/chooser.js";
import { h, labelled, numberField, showNumber } from "../base/dom.js";
import { arrange } from "../base/virtual.js";
import type { Interval, ViewState } from "../model/state.js";
import { datasetShape } from "../source/dataset.js";
import type { Control, Panel, PanelContext, PanelView } from "./panel.js";
import { axisName } from "./rulers.js";

export const axesPanel: Panel = {
  name: "axes-shown",
  title: "Axes and part shown",
  build: (context) => [axesPart(context), windowPart(context)],
};

/** Chooses the vertical and horizontal axis. Choosing the axis of the other direction swaps the two. */
function axesPart({ dataset, change }: PanelContext): Control {
  const { axes } = dataset;
  const axisNames = { count: axes.length, name: (axis: number) => axisName(axes, axis) };
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
function windowPart({ dataset, change }: PanelContext): Control {
  /** Rows by axis, created when the axis is first shown. */
  const rows = new Map<number, Required<Control>>();
  const element = h("div", { class: "zw-windows", role: "group", "aria-label": "Part shown" });
  return {
    element,
    sync(settings, state) {
      const isVolume = settings.view === "volume";
      element.hidden = settings.axes.length === 0 || ["empty", "scatter"].includes(state.kind) || isVolume;
      const shape = datasetShape(dataset);
      const shown = [...settings.axes].sort((a, b) => a - b);
      for (const axis of shown)
        if (!rows.has(axis)) rows.set(axis, windowRow({ dataset, change }, axis, shape[axis]!));
      arrange(
        element,
        shown.map((axis) => rows.get(axis)!.element),
      );
      for (const axis of shown) rows.get(axis)!.sync(settings, state);
    },
  };
}

function windowRow(
  { dataset, change }: Pick<PanelContext, "dataset" | "change">,
  axis: number,
  length: number,
): Required<Control> {
  const name = axisName(dataset.axes, axis);
  const limits = { min: 0, max: Math.max(0, length - 1), step: 1 };
  let synced: PanelView | undefined;
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
  { kind, seen }: PanelView,
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
