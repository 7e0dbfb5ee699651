/** Controls of volumes: plane or volume, and its projection. */
import { labelled, select } from "../base/dom.js";
import { findChannelAxis } from "../model/channels.js";
import type { VolumeMode } from "../model/volume.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Change, Control } from "./control.js";

const modeNames: Readonly<Record<VolumeMode, string>> = {
  max: "Maximum",
  min: "Minimum",
  mean: "Average",
  composite: "Translucent",
  surface: "Surface",
};

export function volumeParts(dataset: Dataset, change: Change): Control[] {
  const channelAxis = findChannelAxis(dataset);
  const long = datasetShape(dataset).filter((length, axis) => length > 1 && axis !== channelAxis);
  if (long.length < 3) return [];
  const views = select(
    [
      ["plane", "A plane"],
      ["volume", "The volume"],
    ],
    (view) => change(() => ({ view: view === "volume" ? "volume" : "plane" }), "view"),
  );
  const modes = select(Object.entries(modeNames) as [VolumeMode, string][], (mode) =>
    change(() => ({ mode: mode as VolumeMode }), "mode"),
  );
  const show = labelled("Show", views);
  const projection = labelled("Along each ray", modes);
  return [
    {
      element: show,
      sync({ view }, { kind }) {
        show.hidden = kind !== "image";
        views.value = view;
      },
    },
    {
      element: projection,
      sync({ view, mode }, { kind }) {
        projection.hidden = view !== "volume" || kind !== "image";
        modes.value = mode;
      },
    },
  ];
}
