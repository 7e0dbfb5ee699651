/** Controls for labels: which are shown over the image, their opacity, outlines, hidden and selected ones. */
import { h, labelled } from "../base/dom.js";
import { shortName } from "../base/text.js";
import { text } from "../language/text.js";
import { isLabelList, readLabelList } from "../model/label-look.js";
import type { LabelsState } from "../model/state.js";
import type { Labels } from "../source/dataset.js";
import {
  type Changing,
  type Control,
  checkControl,
  groupControl,
  listControl,
  type Panel,
  shareControl,
} from "./panel.js";

/** For labels over the image, and images that are labels themselves. */
export const labelsPanel: Panel = {
  name: "labels",
  tab: "layers",
  title: () => text.labels.title,
  isShown: ({ labels, state }) =>
    labels.length > 0 || (state.colormap === "labels" && state.channels === null),
  key: ({ labels }) => labels,
  build({ change }, { labels }) {
    const own: Changing<LabelsState> = {
      change: (next, control) =>
        change(({ labels }) => ({ labels: { ...labels, ...next(labels) } as LabelsState }), control),
    };
    const { element, sync } = groupControl([
      ...(labels.length > 0 ? overParts(own, labels) : []),
      checkControl(own, text.panels.outlines, {
        control: "labels-outlines",
        value: ({ isOutline }) => isOutline,
        set: (isOutline) => ({ isOutline }),
      }),
      listField(own, text.labels.selected, "selected"),
      listField(own, text.labels.hidden, "hidden"),
    ]);
    return [{ element, sync: ({ labels }, view) => sync(labels, view) }];
  },
};

/** Of labels over the image: which are shown, and their opacity. */
function overParts(context: Changing<LabelsState>, labels: readonly Labels[]): Control<LabelsState>[] {
  const names = labels.map(({ name }, i) => [String(i), shortName(name)] as const);
  const opacity = shareControl(context, text.labels.opacity, {
    control: "labels-opacity",
    value: ({ opacity }) => opacity,
    set: (opacity) => ({ opacity }),
  });
  return [
    listControl(context, text.labels.over, [["", text.labels.none], ...names], {
      control: "labels",
      value({ name, isOn }) {
        const known = labels.findIndex((one) => one.name === name);
        return isOn ? String(Math.max(0, known)) : "";
      },
      set: (at, { name }) => ({ name: labels[Number(at || -1)]?.name ?? name, isOn: at !== "" }),
    }),
    {
      element: opacity.element,
      sync(state, view) {
        opacity.sync(state, view);
        opacity.slider.disabled = !state.isOn;
      },
    },
  ];
}

/** A list of labels as text. */
function listField(
  { change }: Changing<LabelsState>,
  title: string,
  key: "hidden" | "selected",
): Control<LabelsState> {
  let shown = "";
  const onchange = () => {
    const list = readLabelList(field.value.trim() || "none");
    if (isLabelList(list)) change(() => ({ [key]: list }), `labels-${key}`);
    else field.value = shown;
  };
  const field = h("input", {
    type: "text",
    inputmode: "numeric",
    placeholder: text.labels.placeholder,
    onchange,
  });
  return {
    element: labelled(title, field),
    sync(labels) {
      shown = labels[key].join(", ");
      field.value = shown;
    },
  };
}
