/** Controls of volumes: the projection, slices and cuts, the part that is drawn. */
import { h } from "../base/dom.js";
import { DoubleSlider } from "../base/double-slider.js";
import { text } from "../language/text.js";
import { findChannelAxis } from "../model/channels.js";
import { slicesAcross, volumeAxes } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { defaultOrbit, type VolumeMode, volumeModes, volumeSliceNames } from "../model/volume.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { movedClip } from "../volume/moved-clip.js";
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

/** Whether at least three axes, without the axis of channels, have more than one index. */
export function hasVolume(dataset: Dataset): boolean {
  const channelAxis = findChannelAxis(dataset);
  return datasetShape(dataset).filter((length, axis) => length > 1 && axis !== channelAxis).length >= 3;
}

const isVolume = (dataset: Dataset, state: ViewState, { kind }: PanelView): boolean =>
  state.view === "volume" && kind === "image" && volumeAxes(dataset, state) !== undefined;

/** The projection along rays, which labels alone do not have. */
export const rayParts = (context: PanelContext): Control[] =>
  hasVolume(context.dataset)
    ? [
        listControl<ViewState, VolumeMode>(
          context,
          text.volume.ray,
          volumeModes.map((mode) => [mode, text.volume.modes[mode]]),
          {
            control: "mode",
            value: ({ mode }) => mode,
            set: (mode) => ({ mode }),
            isShown: (state, view) =>
              isVolume(context.dataset, state, view) &&
              (state.colormap !== "labels" || state.channels !== null),
          },
        ),
      ]
    : [];

export const volumePanel: Panel = {
  name: "volume",
  tab: "image",
  isFolded: true,
  title: () => text.volume.title,
  build(context) {
    const { dataset } = context;
    if (!hasVolume(dataset)) return [];
    const parts = [clipPart(context), cutPart(context), slicesPart(context), stretchPart(context)];
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
    text.volume.stretch("", 1),
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
      element.querySelector("label")!.textContent = text.volume.stretch(name, state.exaggeration);
      sync(state, view);
    },
  };
}

/** The slices inside the volume, named by the axis that they are across. */
function slicesPart(context: PanelContext): Control {
  const { dataset } = context;
  const parts = volumeSliceNames.map((name): Control => {
    const place = (slicesAcross as readonly string[]).indexOf(name);
    const { element, sync } = checkControl(context, text.volume.theCut, {
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
          element.lastChild!.textContent = text.volume.across(
            axisName(dataset.axes, volumeAxes(dataset, state)![place]!),
          );
      },
    };
  });
  const title: Control = { element: h("span", {}, text.volume.slices) };
  const attributes = { class: "zw-group", role: "group", "aria-label": text.volume.slices };
  return groupControl([title, ...parts], attributes);
}

/** A plane that faces the camera when it is added, and its depth. */
function cutPart(context: PanelContext): Control {
  const depth = sliderControl(
    context,
    text.volume.cutDepth,
    { min: -1, max: 1, step: 0.01 },
    {
      control: "cut",
      value: ({ cut }) => cut?.depth ?? 0,
      set: (depth, { cut }) => ({ cut: cut && { ...cut, depth } }),
      isShown: ({ cut }) => cut !== null,
    },
  );
  const isOn = checkControl(context, text.volume.cut, {
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
    const slider = new DoubleSlider((end, index) =>
      change(
        (state) => ({ clip: movedClip(lengths(state), state.clip, at, end, Math.round(index) + end) }),
        "clip",
      ),
    );
    const lengths = (state: ViewState) => {
      const [z, y, x] = volumeAxes(dataset, state)!;
      return [shape[x]!, shape[y]!, shape[z]!] as const;
    };
    const [name, range] = [h("span"), h("output", { dir: "ltr" })];
    return {
      element: h("div", { class: "zw-clip" }, name, range, slider.element),
      sync(state) {
        const axis = axisName(dataset.axes, volumeAxes(dataset, state)![place]!);
        const last = lengths(state)[at]! - 1;
        const index = (bound: number) => Math.min(Math.max(Math.floor(bound), 0), last);
        const ends = [index(state.clip?.from[at] ?? 0), index((state.clip?.to[at] ?? last + 1) - 1)] as const;
        name.textContent = axis;
        range.textContent = text.volume.clipRange(...ends);
        const names = [text.volume.clipEnd(0, axis), text.volume.clipEnd(1, axis)] as const;
        slider.show({ ends, domain: [0, last], step: 1, names });
      },
    };
  });
  return groupControl(rows, { class: "zw-windows", role: "group", "aria-label": text.volume.clipBox });
}
