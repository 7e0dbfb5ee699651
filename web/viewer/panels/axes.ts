/** The axes that the picture shows, and the visible part of each. */

import { chooser } from "../base/chooser.js";
import { button, h, labelled, numberField, showNumber } from "../base/dom.js";
import { text } from "../language/text.js";
import type { Interval, ViewState } from "../model/state.js";
import { datasetShape } from "../source/dataset.js";
import type { Control, Panel, PanelContext, PanelView } from "./panel.js";
import { axisName } from "./rulers.js";
import { ratePart } from "./slice.js";

export const axesPanel: Panel = {
  name: "axes-shown",
  tab: "axes",
  title: () => text.axes.title,
  build: (context) => [axesPart(context), windowPart(context), ratePart(context)],
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
  const title = text.axes.swap;
  const swap = button(
    "⇄",
    () => change(({ axes }) => ({ axes: [axes[1]!, axes[0]!], camera: null }), "axes"),
    { class: "zw-button zw-swap", title, "aria-label": title },
  );
  const element = h(
    "div",
    { class: "zw-axes" },
    labelled(dataset.embedding ? text.axes.vertical : text.axes.rows, down.control, "zw-field", down.element),
    swap,
    labelled(
      dataset.embedding ? text.axes.horizontal : text.axes.columns,
      across.control,
      "zw-field",
      across.element,
    ),
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
function windowPart(context: PanelContext): Control {
  const rows = [0, 1].map((place) => windowRow(context, place));
  const attributes = { class: "zw-windows", role: "group", "aria-label": text.axes.part };
  const element = h("div", attributes, ...rows.map((row) => row.element));
  return {
    element,
    sync(state, view) {
      const isVolume = state.view === "volume";
      element.hidden = state.axes.length === 0 || ["empty", "scatter"].includes(view.kind) || isVolume;
      for (const row of rows) row.sync(state, view);
    },
  };
}

/** @param place of the axis among the shown ones, in stored order */
function windowRow({ dataset, change }: PanelContext, place: number): Required<Control> {
  let axis = -1;
  let synced: PanelView | undefined;
  let shown: Interval | undefined;
  const set = () => {
    const [first, last] = fields.map(({ value }) => Math.round(Number(value))) as [number, number];
    if (!Number.isFinite(first) || !Number.isFinite(last)) return;
    change((now) => {
      // A bound that was not edited stays as requested: the picture may show a little more.
      const [from, stop] = (!now.camera && now.window[axis]) || [first, last + 1];
      const start = first === shown?.[0] ? from : first;
      const end = last + 1 === shown?.[1] ? stop : last + 1;
      const interval: Interval = [Math.min(start, end - 1), Math.max(start + 1, end)];
      // The visible interval of the other axis is kept if the view was moved there.
      const others = datasetShape(dataset).map((length, i) =>
        now.camera && synced ? (shownAxes(now, synced, i, length) ?? null) : now.window[i]!,
      );
      return { camera: null, window: others.map((old, i) => (i === axis ? interval : old)) };
    }, `window-${axis}`);
  };
  const fields = [0, 1].map(() => numberField({ min: 0, step: 1 }, set));
  const name = h("span");
  const [first, last] = fields;
  const element = h("div", { class: "zw-window" }, name, first, h("span", {}, text.panels.to), last);
  return {
    element,
    sync(state, view) {
      synced = view;
      axis = [...state.axes].sort((a, b) => a - b)[place] ?? -1;
      const length = datasetShape(dataset)[axis] ?? 0;
      shown = shownAxes(state, view, axis, length);
      element.hidden = !shown;
      if (!shown) return;
      name.textContent = axisName(dataset.axes, axis);
      for (const [end, field] of fields.entries()) {
        field.max = String(Math.max(0, length - 1));
        field.setAttribute("aria-label", text.axes[end === 0 ? "first" : "last"](name.textContent));
        showNumber(field, shown[end]! - end);
      }
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
