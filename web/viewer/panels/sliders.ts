/** Position along the axes that are not shown: a slider each, with coordinates and a play button. */
import { h, labelled, numberField, select, showNumber, uniqueId } from "../base/dom.js";
import { findChannelAxis } from "../model/channels.js";
import { isComposite, playableAxes, viewAxes } from "../model/layers.js";
import { frameRates } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import type { Change, Control, ControlCallbacks } from "./control.js";
import { coordinateText } from "./coordinates.js";
import { axisName } from "./rulers.js";

/** Number of axes whose sliders are not folded away. */
const maxUnfolded = 16;

export function sliderParts(dataset: Dataset, change: Change, callbacks: ControlCallbacks): Control[] {
  if (dataset.embedding) return [];
  const make = (axis: number) => slider(dataset, axis, change, callbacks);
  const axes = dataset.axes.map((_, axis) => axis);
  const first = axes.slice(0, maxUnfolded).map(make);
  const others = axes.slice(maxUnfolded);
  return [...first, ...(others.length > 0 ? [otherSliders(others, make)] : []), ratePart(dataset, change)];
}

/** Sliders of further axes, created when they are unfolded. */
function otherSliders(axes: readonly number[], make: (axis: number) => Control): Control {
  let sliders: Control[] = [];
  let last: Parameters<Control["sync"]> | undefined;
  const body = h("div", { class: "zw-group" });
  const ontoggle = () => {
    if (sliders.length > 0) return;
    sliders = axes.map(make);
    body.append(...sliders.map((one) => one.element));
    if (last) for (const one of sliders) one.sync(...last);
  };
  const summary = h("summary", {}, `${axes.length} more axes`);
  return {
    element: h("details", { class: "zw-more-axes", ontoggle }, summary, body),
    sync(...now) {
      last = now;
      for (const one of sliders) one.sync(...now);
    },
  };
}

function slider(dataset: Dataset, axis: number, change: Change, { onPlay }: ControlCallbacks): Control {
  const facts = dataset.axes[axis]!;
  const { length } = facts;
  const name = axisName(
    dataset.axes.map((one) => one.name ?? null),
    axis,
  );
  const set = (text: string) => {
    const at = Math.round(Number(text));
    if (text.trim() === "" || !Number.isFinite(at)) return;
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
  const number = numberField({ ...limits, "aria-label": `Index along ${name}` }, () => set(number.value));
  const coordinate = h("output", { class: "zw-coordinate", dir: "ltr", for: range.id });
  let isPlaying = false;
  const play = h("button", {
    type: "button",
    class: "zw-button zw-play",
    onclick: () => onPlay(isPlaying ? undefined : axis),
  });
  for (const part of [play, range, number]) part.hidden = length < 2;
  const element = h(
    "div",
    { class: "zw-field zw-index" },
    h("div", { class: "zw-index-head" }, h("label", { for: range.id }, name), coordinate),
    play,
    range,
    number,
  );
  const showPlaying = (now: boolean) => {
    isPlaying = now;
    const [sign, label] = now ? ["❚❚", `Stop playing along ${name}`] : ["▶", `Play along ${name}`];
    if (play.textContent === sign) return;
    play.textContent = sign;
    play.setAttribute("aria-label", label);
    play.title = label;
  };
  let shown = -1;
  const showCoordinate = () => {
    const text = coordinateText(facts, shown);
    coordinate.textContent = text ?? "";
    range.setAttribute("aria-valuetext", text === undefined ? String(shown) : `${shown}, ${text}`);
    if (text !== undefined || !facts.coordinates) return;
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
function ratePart(dataset: Dataset, change: Change): Control {
  const list = select(
    frameRates.map(
      (rate) => [String(rate), rate === 1 ? "1 slice per second" : `${rate} slices per second`] as const,
    ),
    (value) => change(() => ({ frameRate: Number(value) }), "frame-rate"),
  );
  list.dir = "ltr"; // the number is first
  const element = labelled("Play", list, "zw-field zw-rate");
  return {
    element,
    sync(settings) {
      list.value = String(settings.frameRate);
      element.hidden = !playableAxes(dataset, settings).length;
    },
  };
}
