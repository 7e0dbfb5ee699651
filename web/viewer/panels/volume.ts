/** Controls of volumes: plane or volume, its projection, the part that is drawn. */
import { h, labelled, numberField, showNumber } from "../base/dom.js";
import { findChannelAxis } from "../model/channels.js";
import { slicesAcross, volumeAxes } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { defaultOrbit, type VolumeClip, type VolumeMode, volumeSliceNames } from "../model/volume.js";
import { datasetShape } from "../source/dataset.js";
import { type Control, listControl, type PanelContext, type PanelView } from "./panel.js";
import { axisName } from "./rulers.js";

const modeNames: Readonly<Record<VolumeMode, string>> = {
  max: "Maximum",
  min: "Minimum",
  mean: "Average",
  composite: "Translucent",
  surface: "Surface",
};

export function volumeParts(context: PanelContext): Control[] {
  const { dataset } = context;
  const channelAxis = findChannelAxis(dataset);
  const long = datasetShape(dataset).filter((length, axis) => length > 1 && axis !== channelAxis);
  if (long.length < 3) return [];
  const views = [
    ["plane", "A plane"],
    ["volume", "The volume"],
  ] as const;
  return [
    listControl(context, "Show", views, {
      control: "view",
      value: ({ view }) => view,
      set: (view) => ({ view }),
      isShown: (_state, { kind }) => kind === "image",
    }),
    listControl(context, "Along each ray", Object.entries(modeNames) as [VolumeMode, string][], {
      control: "mode",
      value: ({ mode }) => mode,
      set: (mode) => ({ mode }),
      isShown: isVolume,
    }),
    stretchPart(context),
    slicesPart(context),
    cutPart(context),
    clipPart(context),
  ];
}

const isVolume = ({ view }: ViewState, { kind }: PanelView): boolean => view === "volume" && kind === "image";

/** A factor of the lengths along the third axis, with a logarithmic scale. */
function stretchPart({ dataset, change }: PanelContext): Control {
  const slider = h("input", {
    type: "range",
    ...{ min: -1, max: 2, step: 0.1 },
    oninput: () => change({ exaggeration: Number((10 ** Number(slider.value)).toPrecision(2)) }, "stretch"),
  });
  const element = labelled("Stretch", slider);
  return {
    element,
    sync(state, view) {
      element.hidden = !isVolume(state, view);
      const depth = volumeAxes(dataset, state)?.[0];
      if (element.hidden || depth === undefined) return;
      const name = axisName(dataset.axes, depth);
      element.querySelector("label")!.textContent = `Stretch ${name} × ${state.exaggeration}`;
      slider.value = String(Math.log10(state.exaggeration));
    },
  };
}

/** The slices inside the volume, named by the axis that they are across. */
function slicesPart({ dataset, change }: PanelContext): Control {
  const rows = volumeSliceNames.map((name) => {
    const box = h("input", {
      type: "checkbox",
      onchange: () =>
        change(
          ({ slices }) => ({
            slices: volumeSliceNames.filter((one) => (one === name ? box.checked : slices.includes(one))),
          }),
          "slices",
        ),
    });
    const text = h("span", {}, "the cut");
    return { name, box, text, element: h("label", { class: "zw-check" }, box, text) };
  });
  const group = { class: "zw-group", role: "group", "aria-label": "Slices inside" };
  const element = h("div", group, h("span", {}, "Slices inside"), ...rows.map((row) => row.element));
  return {
    element,
    sync(state, view) {
      const axes = volumeAxes(dataset, state);
      element.hidden = !isVolume(state, view) || !axes;
      if (element.hidden) return;
      for (const { name, box, text, element: row } of rows) {
        const place = (slicesAcross as readonly string[]).indexOf(name);
        if (place >= 0 && axes) text.textContent = `across ${axisName(dataset.axes, axes[place]!)}`;
        else row.hidden = state.cut === null;
        box.checked = state.slices.includes(name);
      }
    },
  };
}

/** A plane that faces the camera when it is added, and its depth. */
function cutPart({ change }: PanelContext): Control {
  const isOn = h("input", {
    type: "checkbox",
    onchange: () =>
      change(({ orbit }) => {
        const { yaw, pitch } = orbit ?? defaultOrbit;
        return { cut: isOn.checked ? { yaw, pitch, depth: 0 } : null };
      }, "cut"),
  });
  const depth = h("input", {
    type: "range",
    ...{ min: -1, max: 1, step: 0.01 },
    "aria-label": "Depth of the cut",
    oninput: () => change(({ cut }) => ({ cut: cut && { ...cut, depth: Number(depth.value) } }), "cut"),
  });
  const label = h("label", { class: "zw-check" }, isOn, "Cut parallel to the screen");
  const element = h("div", { class: "zw-group" }, label, depth);
  return {
    element,
    sync(state, view) {
      element.hidden = !isVolume(state, view);
      const { cut } = state;
      isOn.checked = cut !== null;
      depth.hidden = cut === null;
      depth.value = String(cut?.depth ?? 0);
    },
  };
}

/** The first and the last index that is drawn along each axis. */
function clipPart({ dataset, change }: PanelContext): Control {
  const shape = datasetShape(dataset);
  /** By place among z, y, x. */
  const axesOf = (state: ViewState) => volumeAxes(dataset, state) ?? [0, 0, 0];
  const rows = [0, 1, 2].map((place) => {
    const fields = ["First", "Last"].map((which, end) =>
      numberField({ min: 0, step: 1, "aria-label": `${which} index drawn along axis ${place}` }, () =>
        change((state) => ({ clip: changedClip(state, end) }), "clip"),
      ),
    );
    const [first, last] = fields as [HTMLInputElement, HTMLInputElement];
    const name = h("span");
    const changedClip = (state: ViewState, end: number): VolumeClip | null => {
      const lengths = [...axesOf(state)].reverse().map((axis) => shape[axis]!);
      const { from, to } = state.clip ?? { from: [0, 0, 0], to: lengths };
      const value = Math.round(Number(fields[end]!.value));
      const length = lengths[2 - place]!;
      const set = (list: readonly number[], at: number) =>
        list.map((old, i) => (i === 2 - place ? at : old)) as unknown as VolumeClip["from"];
      if (!Number.isFinite(value)) return state.clip;
      const start = end === 0 ? Math.min(Math.max(value, 0), to[2 - place]! - 1) : from[2 - place]!;
      const stop = end === 1 ? Math.min(Math.max(value + 1, start + 1), length) : to[2 - place]!;
      const clip = { from: set(from, start), to: set(to, stop) };
      const isWhole = clip.from.every((at) => at === 0) && clip.to.every((at, i) => at === lengths[i]);
      return isWhole ? null : clip;
    };
    const element = h("div", { class: "zw-window" }, name, first, h("span", {}, "to"), last);
    return {
      element,
      sync(state: ViewState) {
        const axis = axesOf(state)[place]!;
        name.textContent = axisName(dataset.axes, axis);
        first.setAttribute("aria-label", `First index drawn along ${name.textContent}`);
        last.setAttribute("aria-label", `Last index drawn along ${name.textContent}`);
        showNumber(first, state.clip?.from[2 - place] ?? 0);
        showNumber(last, Math.min(state.clip?.to[2 - place] ?? shape[axis]!, shape[axis]!) - 1);
      },
    };
  });
  const group = { class: "zw-windows", role: "group", "aria-label": "Part of the volume" };
  const element = h("div", group, ...rows.map((row) => row.element));
  return {
    element,
    sync(state, view) {
      element.hidden = !isVolume(state, view);
      if (!element.hidden) for (const row of rows) row.sync(state);
    },
  };
}
