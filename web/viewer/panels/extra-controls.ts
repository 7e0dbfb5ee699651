/** Controls for additions to the picture: lines on maps, a profile, orthogonal planes. */
import { h, labelled, select } from "../base/dom.js";
import { findChannelAxis } from "../model/channels.js";
import { isComposite } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Change, Control } from "./control.js";
import { axisName } from "./rulers.js";

export function extraControls(dataset: Dataset, change: Change): Control[] {
  return [profilePart(dataset, change), depthPart(dataset, change), ...linesParts(dataset, change)];
}

const axisTitle = ({ axes }: Dataset, axis: number) =>
  axisName(
    axes.map(({ name }) => name ?? null),
    axis,
  );

/** A list of axes with an empty choice. */
function axisList(
  dataset: Dataset,
  axes: readonly number[],
  none: string,
  onAxis: (axis: number | null) => void,
): HTMLSelectElement {
  const entries = axes.map((axis) => [String(axis), axisTitle(dataset, axis)] as const);
  return select([["", none], ...entries], (value) => onAxis(value === "" ? null : Number(value)));
}

const longAxes = (dataset: Dataset): number[] =>
  datasetShape(dataset).flatMap((length, axis) => (length > 1 ? [axis] : []));

function profilePart(dataset: Dataset, change: Change): Control {
  const list = axisList(dataset, longAxes(dataset), "None", (profile) =>
    change(() => ({ profile }), "profile"),
  );
  const element = labelled("Line under the pointer along", list);
  return {
    element,
    sync({ profile }, { kind }) {
      element.hidden = kind !== "image";
      list.value = profile === null ? "" : String(profile);
    },
  };
}

/** Axes that the planes beside the picture can share. */
export function depthAxes(dataset: Dataset, settings: ViewState): number[] {
  const channelAxis = isComposite(dataset, settings) ? findChannelAxis(dataset) : undefined;
  return longAxes(dataset).filter((axis) => axis !== channelAxis && !settings.axes.includes(axis));
}

function depthPart(dataset: Dataset, change: Change): Control {
  const list = axisList(dataset, longAxes(dataset), "One plane", (depth) =>
    change(() => ({ depth }), "depth"),
  );
  const element = labelled("Planes at right angles, through", list);
  return {
    element,
    sync(settings, { kind }) {
      const axes = depthAxes(dataset, settings);
      element.hidden = kind !== "image" || axes.length === 0;
      for (const option of list.options)
        option.hidden = option.value !== "" && !axes.includes(Number(option.value));
      const { depth } = settings;
      list.value = depth === null || !axes.includes(depth) ? "" : String(depth);
    },
  };
}

/** Only over maps in degrees. */
function linesParts(dataset: Dataset, change: Change): Control[] {
  const roles = dataset.axes.map(({ role }) => role);
  if (!roles.includes("latitude") || !roles.includes("longitude")) return [];
  const part = (text: string, name: "isGraticuleOn" | "areCoastsOn"): Control => {
    const box = h("input", {
      type: "checkbox",
      onchange: () => change(() => ({ [name]: box.checked }), "lines"),
    });
    const element = h("label", { class: "zw-check" }, box, text);
    return {
      element,
      sync(settings, { kind }) {
        const shown = settings.axes.map((axis) => roles[axis]);
        element.hidden = kind !== "image" || !(shown.includes("latitude") && shown.includes("longitude"));
        box.checked = settings[name];
      },
    };
  };
  return [part("Coastlines", "areCoastsOn"), part("Meridians and parallels", "isGraticuleOn")];
}
