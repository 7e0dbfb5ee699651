/** The settings of labels and layers over the image. */
import { type LayerState, layerStates, layersText, readLayers } from "./added-layers.js";
import { type Entry, isBetween, numberEntry, type Wanted } from "./entry.js";
import { isLabelList, type LabelLook, lookEntries } from "./label-look.js";
import { type RegionState, regionStates, regionsEntry } from "./regions.js";

/** The labels shown over an image, and their opacity; how labels are drawn, also if they are the image. */
export interface LabelsState extends LabelLook {
  /** Null for the first. */
  readonly name: string | null;
  readonly isOn: boolean;
  /** 0 to 1. */
  readonly opacity: number;
}

export interface OverlayState {
  /** Opacity of the picture below labels and layers, 0 to 1. */
  readonly imageOpacity: number;
  /** Labels over the image. */
  readonly labels: LabelsState;
  /** Layers from other sources, the lowest first. */
  readonly layers: readonly LayerState[];
  /** Named regions of the data. */
  readonly regions: readonly RegionState[];
}

export const resolveOverlays = (wanted: Wanted<OverlayState>): OverlayState => ({
  imageOpacity: isBetween(wanted.imageOpacity, 0, 1) ? wanted.imageOpacity : 1,
  labels: labelsState(wanted.labels),
  layers: layerStates(wanted.layers),
  regions: regionStates(wanted.regions),
});

function labelsState(value: unknown): LabelsState {
  const { name, isOn, opacity, isOutline, hidden, selected } = (value ?? {}) as Partial<LabelsState>;
  return {
    isOutline: isOutline === true,
    hidden: isLabelList(hidden) ? hidden : [],
    selected: isLabelList(selected) ? selected : [],
    name: typeof name === "string" ? name : null,
    isOn: isOn !== false,
    opacity: isBetween(opacity, 0, 1) ? opacity : 0.5,
  };
}

/** A part of the labels. */
const labelsEntry = (
  name: string,
  read: (text: string) => object,
  write: (labels: LabelsState) => string,
): Entry<OverlayState> => ({
  name,
  read: (text) => ({ labels: read(text) }),
  write: ({ labels }) => write(labels),
});

export const overlayEntries: readonly Entry<OverlayState>[] = [
  numberEntry("imageOpacity", "image-opacity"),
  // `labels=NAME`, or `none`.
  labelsEntry(
    "labels",
    (text) => (text === "none" ? { isOn: false } : { name: text }),
    ({ isOn, name }) => (isOn ? (name ?? "") : "none"),
  ),
  labelsEntry(
    "opacity",
    (text) => ({ opacity: Number(text) }),
    ({ opacity }) => String(opacity),
  ),
  ...lookEntries.map(({ name, read, write }) => labelsEntry(name, read, write)),
  {
    name: "layers",
    read: (text) => ({ layers: readLayers(text) }),
    // Data may suggest layers.
    write: ({ layers }) => layersText(layers) || "[]",
  },
  regionsEntry as Entry<OverlayState>,
];
