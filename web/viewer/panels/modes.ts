/** Above the picture: the variable, and how an image is shown. */
import { chooser } from "../base/chooser.js";
import { labelled } from "../base/dom.js";
import { shortName } from "../base/text.js";
import { text } from "../language/text.js";
import { depthAxis } from "../model/layers.js";
import type { PaneName, ViewState } from "../model/state.js";
import type { Collection } from "../source/collection.js";
import { goToEntry, isShownEntry } from "./collection.js";
import { type Control, type Panel, type PanelContext, segmentedControl } from "./panel.js";
import { hasVolume } from "./volume.js";

export const modesPanel: Panel = {
  name: "modes",
  tab: "above",
  title: () => text.view.title,
  key: ({ collection }) => collection,
  build: (context, { collection }) => [...variableParts(context, collection), viewPart(context)],
};

/** The variables or images beside the shown one. */
function variableParts({ path, go }: PanelContext, collection: Collection | undefined): Control[] {
  const { title = "", entries = [] } = collection ?? {};
  if (entries.length < 2) return [];
  const names = { count: entries.length, name: (at: number) => shortName(entries[at]!.name) };
  const list = chooser(names, (at) => goToEntry(entries[at]!, go));
  list.show(entries.findIndex((entry) => isShownEntry(entry, path)));
  return [{ element: labelled(title, list.control, "zw-mode", list.element) }];
}

const panes: readonly PaneName[] = ["xy", "xz", "yz"];

type View = "plane" | "panes" | "volume";

const shownView = ({ view, planes }: ViewState): View => {
  if (view === "volume") return "volume";
  return planes.length > 1 ? "panes" : "plane";
};

/** One plane, three planes at right angles, or the volume. */
function viewPart(context: PanelContext): Control {
  const { dataset } = context;
  const { name, plane, panes: three, volume } = text.view;
  const views = [
    ["plane", plane],
    ["panes", three],
    ["volume", volume],
  ] as const;
  const control = segmentedControl<ViewState, View>(context, name, views, {
    control: "view",
    value: shownView,
    set(view, now) {
      if (view === "volume") return { view };
      const planes = view === "panes" ? panes : (["xy"] as const);
      return shownView({ ...now, view: "plane" }) === view
        ? { view: "plane" }
        : { view: "plane", planes, camera: null };
    },
  });
  return {
    element: control.element,
    sync(state, view) {
      control.sync(state, view);
      const [panes, volume] = [control.labelOf("panes"), control.labelOf("volume")];
      panes.hidden = depthAxis(dataset, state) === undefined;
      volume.hidden = !hasVolume(dataset);
      control.element.hidden = view.kind !== "image" || (panes.hidden && volume.hidden);
    },
  };
}
