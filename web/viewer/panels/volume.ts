/** Controls of volumes: the projection, slices and cuts, the part that is drawn. */
import { h, numberField, showNumber } from "../base/dom.js";
import { findChannelAxis } from "../model/channels.js";
import { slicesAcross, volumeAxes } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { defaultOrbit, type VolumeClip, type VolumeMode, volumeSliceNames } from "../model/volume.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import {
  type Control,
  checkControl,
  groupControl,
  listControl,
  type Panel,
  type PanelContext,
  type PanelView,
  sliderControl,
} from "./panel.js";
import { axisName } from "./rulers.js";

const modes: readonly (readonly [VolumeMode, string])[] = [
  ["max", "Maximum"],
  ["min", "Minimum"],
  ["mean", "Average"],
  ["composite", "Translucent"],
  ["surface", "Surface"],
];

/** Whether at least three axes, without the axis of channels, have more than one index. */
export function hasVolume(dataset: Dataset): boolean {
  const channelAxis = findChannelAxis(dataset);
  return datasetShape(dataset).filter((length, axis) => length > 1 && axis !== channelAxis).length >= 3;
}

const isVolume = (dataset: Dataset, state: ViewState, { kind }: PanelView): boolean =>
  state.view === "volume" && kind === "image" && volumeAxes(dataset, state) !== undefined;

/** The projection along rays. */
export const rayParts = (context: PanelContext): Control[] =>
  hasVolume(context.dataset)
    ? [
        listControl(context, "Along each ray", modes, {
          control: "mode",
          value: ({ mode }) => mode,
          set: (mode) => ({ mode }),
          isShown: (state, view) => isVolume(context.dataset, state, view),
        }),
      ]
    : [];

export const volumePanel: Panel = {
  name: "volume",
  tab: "image",
  isFolded: true,
  title: "Cuts and slices of the volume",
  build(context) {
    const { dataset } = context;
    if (!hasVolume(dataset)) return [];
    const parts = [stretchPart(context), slicesPart(context), cutPart(context), clipPart(context)];
    const { element, sync } = groupControl(parts);
    return [
      {
        element,
        sync(state, view) {
          if (isVolume(dataset, state, view)) sync(state, view);
          else element.hidden = true;
        },
      },
    ];
  },
};

/** A factor of the lengths along the third axis, with a logarithmic scale. */
function stretchPart(context: PanelContext): Control {
  const { dataset } = context;
  const { element, sync } = sliderControl(
    context,
    "Stretch",
    { min: -1, max: 2, step: 0.1 },
    {
      control: "stretch",
      value: ({ exaggeration }) => Math.log10(exaggeration),
      set: (power) => ({ exaggeration: Number((10 ** power).toPrecision(2)) }),
    },
  );
  return {
    element,
    sync(state, view) {
      const name = axisName(dataset.axes, volumeAxes(dataset, state)![0]);
      element.querySelector("label")!.textContent = `Stretch ${name} × ${state.exaggeration}`;
      sync(state, view);
    },
  };
}

/** The slices inside the volume, named by the axis that they are across. */
function slicesPart(context: PanelContext): Control {
  const { dataset } = context;
  const parts = volumeSliceNames.map((name): Control => {
    const place = (slicesAcross as readonly string[]).indexOf(name);
    const { element, sync } = checkControl(context, "the cut", {
      control: "slices",
      value: ({ slices }) => slices.includes(name),
      set: (isOn, { slices }) => ({
        slices: volumeSliceNames.filter((one) => (one === name ? isOn : slices.includes(one))),
      }),
      isShown: ({ cut }) => place >= 0 || cut !== null,
    });
    return {
      element,
      sync(state, view) {
        sync(state, view);
        if (place >= 0)
          element.lastChild!.textContent = `across ${axisName(dataset.axes, volumeAxes(dataset, state)![place]!)}`;
      },
    };
  });
  const title: Control = { element: h("span", {}, "Slices inside") };
  const attributes = { class: "zw-group", role: "group", "aria-label": "Slices inside" };
  return groupControl([title, ...parts], attributes);
}

/** A plane that faces the camera when it is added, and its depth. */
function cutPart(context: PanelContext): Control {
  const depth = sliderControl(
    context,
    "Depth of the cut",
    { min: -1, max: 1, step: 0.01 },
    {
      control: "cut",
      value: ({ cut }) => cut?.depth ?? 0,
      set: (depth, { cut }) => ({ cut: cut && { ...cut, depth } }),
      isShown: ({ cut }) => cut !== null,
    },
  );
  const isOn = checkControl(context, "Cut parallel to the screen", {
    control: "cut",
    value: ({ cut }) => cut !== null,
    set(isCut, { orbit }) {
      const { yaw, pitch } = orbit ?? defaultOrbit;
      return { cut: isCut ? { yaw, pitch, depth: 0 } : null };
    },
  });
  return groupControl([isOn, depth]);
}

/** The first and the last index that is drawn along each axis. */
function clipPart({ dataset, change }: PanelContext): Control {
  const shape = datasetShape(dataset);
  const rows = [0, 1, 2].map((place): Control => {
    /** Places in clips, which have the order x, y, z. */
    const at = 2 - place;
    const fields = [0, 1].map((end) =>
      numberField({ min: 0, step: 1 }, () => change((state) => ({ clip: changed(state, end) }), "clip")),
    );
    const changed = (state: ViewState, end: number): VolumeClip | null => {
      const lengths = [...volumeAxes(dataset, state)!].reverse().map((axis) => shape[axis]!);
      const { from, to } = state.clip ?? { from: [0, 0, 0], to: lengths };
      const value = Math.round(Number(fields[end]!.value));
      if (!Number.isFinite(value)) return state.clip;
      const start = end === 0 ? Math.min(Math.max(value, 0), to[at]! - 1) : from[at]!;
      const stop = end === 1 ? Math.min(Math.max(value + 1, start + 1), lengths[at]!) : to[at]!;
      const set = (list: readonly number[], bound: number) =>
        list.map((old, i) => (i === at ? bound : old)) as unknown as VolumeClip["from"];
      const clip = { from: set(from, start), to: set(to, stop) };
      const isWhole =
        clip.from.every((bound) => bound === 0) && clip.to.every((bound, i) => bound === lengths[i]);
      return isWhole ? null : clip;
    };
    const name = h("span");
    const [first, last] = fields as [HTMLInputElement, HTMLInputElement];
    return {
      element: h("div", { class: "zw-window" }, name, first, h("span", {}, "to"), last),
      sync(state) {
        const axis = volumeAxes(dataset, state)![place]!;
        name.textContent = axisName(dataset.axes, axis);
        for (const [end, field] of fields.entries())
          field.setAttribute("aria-label", `${["First", "Last"][end]} index drawn along ${name.textContent}`);
        showNumber(first, state.clip?.from[at] ?? 0);
        showNumber(last, Math.min(state.clip?.to[at] ?? shape[axis]!, shape[axis]!) - 1);
      },
    };
  });
  return groupControl(rows, { class: "zw-windows", role: "group", "aria-label": "Part of the volume" });
}
