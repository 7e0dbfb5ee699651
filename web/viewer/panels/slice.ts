/** Position along the axes that are not shown: a slider each, with coordinates and a play button. */

import { button, h, numberField, showNumber, uniqueId } from "../base/dom.js";
import { text } from "../language/text.js";
import { findChannelAxis } from "../model/channels.js";
import { isComposite, playableAxes, viewAxes } from "../model/layers.js";
import { frameRates } from "../model/state.js";
import { coordinateText } from "./coordinates.js";
import { type Control, listControl, type Panel, type PanelContext } from "./panel.js";
import { axisName } from "./rulers.js";
import { rayParts } from "./volume.js";

/** Number of axes whose sliders are not folded away. */
const maxUnfolded = 16;

export const slicePanel: Panel = {
  name: "slice",
  tab: "image",
  title: () => text.main.title,
  build: (context) => [...rayParts(context), ...sliderParts(context), ...orderParts(context)],
};

function sliderParts(context: PanelContext): Control[] {
  const { dataset } = context;
  if (dataset.embedding) return [];
  const axes = dataset.axes.map((_, axis) => axis);
  const first = axes.slice(0, maxUnfolded).map((axis) => slider(context, axis));
  const others = axes.slice(maxUnfolded);
  return [...first, ...(others.length > 0 ? [otherSliders(context, others)] : [])];
}

/** For arrays whose chunks may have another byte order than the metadata says. */
function orderParts({ v1Order, reorder }: PanelContext): Control[] {
  if (!v1Order) return [];
  const box = h("input", {
    type: "checkbox",
    checked: v1Order === "writer",
    onchange: () => reorder(box.checked ? "writer" : "spec"),
  });
  return [{ element: h("label", { class: "zw-check" }, box, text.slices.inC) }];
}

/** Sliders of further axes, created when they are unfolded. */
function otherSliders(context: PanelContext, axes: readonly number[]): Control {
  let sliders: Required<Control>[] = [];
  let last: Parameters<Required<Control>["sync"]> | undefined;
  const body = h("div", { class: "zw-group" });
  const ontoggle = () => {
    if (sliders.length > 0) return;
    sliders = axes.map((axis) => slider(context, axis));
    body.append(...sliders.map((one) => one.element));
    if (last) for (const one of sliders) one.sync(...last);
  };
  const summary = h("summary", {}, text.slices.more(axes.length));
  return {
    element: h("details", { class: "zw-more-axes", ontoggle }, summary, body),
    sync(...now) {
      last = now;
      for (const one of sliders) one.sync(...now);
    },
  };
}

function slider({ dataset, change, play }: PanelContext, axis: number): Required<Control> {
  const facts = dataset.axes[axis]!;
  const { length } = facts;
  const name = axisName(dataset.axes, axis);
  const set = (typed: string) => {
    const at = Math.round(Number(typed));
    if (typed.trim() === "" || !Number.isFinite(at)) return;
    const clamped = Math.min(Math.max(at, 0), length - 1);
    change(({ index }) => ({ index: index.map((old, i) => (i === axis ? clamped : old)) }), `index-${axis}`);
  };
  const limits = { min: 0, max: Math.max(0, length - 1), step: 1 };
  const range = h("input", {
    type: "range",
    id: uniqueId("slider"),
    ...limits,
    oninput: () => set(range.value),
  });
  const number = numberField({ ...limits, "aria-label": text.slices.index(name) }, () => set(number.value));
  const coordinate = h("output", { class: "zw-coordinate", dir: "ltr", for: range.id });
  let isPlaying = false;
  const toggle = button("", () => play(isPlaying ? undefined : axis), { class: "zw-button zw-play" });
  for (const part of [toggle, range, number]) part.hidden = length < 2;
  const element = h(
    "div",
    { class: "zw-field zw-index" },
    h("div", { class: "zw-index-head" }, h("label", { for: range.id }, name), coordinate),
    toggle,
    range,
    number,
  );
  const showPlaying = (now: boolean) => {
    isPlaying = now;
    const [sign, label] = now ? ["❚❚", text.slices.stop(name)] : ["▶", text.slices.play(name)];
    if (toggle.textContent === sign) return;
    toggle.textContent = sign;
    toggle.setAttribute("aria-label", label);
    toggle.title = label;
  };
  let shown = -1;
  const showCoordinate = () => {
    const at = coordinateText(facts, shown);
    coordinate.textContent = at ?? "";
    range.setAttribute("aria-valuetext", at === undefined ? String(shown) : `${shown}, ${at}`);
    if (at !== undefined || !facts.coordinates) return;
    const asked = shown;
    // If its coordinate cannot be read, the index is shown alone.
    facts.coordinates.read(asked).then(
      () => shown === asked && coordinateText(facts, asked) !== undefined && showCoordinate(),
      () => {},
    );
  };
  return {
    element,
    sync(settings, { playing }) {
      const isChannels = axis === findChannelAxis(dataset) && isComposite(dataset, settings);
      const isEmpty = length < 2 && !facts.coordinates;
      element.hidden = viewAxes(dataset, settings).includes(axis) || isChannels || isEmpty;
      range.value = String(settings.index[axis]);
      showNumber(number, settings.index[axis]);
      showPlaying(playing === axis);
      if (shown === settings.index[axis] || element.hidden) return;
      shown = settings.index[axis]!;
      showCoordinate();
    },
  };
}

/** The playback rate, if an axis can be played. */
export function ratePart(context: PanelContext): Control {
  const entries = frameRates.map((rate) => [String(rate), text.slices.rate(rate)] as const);
  const control = listControl(context, text.slices.frameRate, entries, {
    control: "frame-rate",
    value: ({ frameRate }) => String(frameRate),
    set: (value) => ({ frameRate: Number(value) }),
    isShown: (state) => playableAxes(context.dataset, state).length > 0,
  });
  control.element.classList.add("zw-rate");
  control.list.dir = "ltr"; // the number is first
  return control;
}
