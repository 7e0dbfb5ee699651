/** Layers of a view: planes of datasets, each with a style. */
import { isDiverging } from "../base/colormaps.js";
import { type Dataset, type DatasetAxis, datasetShape, type Labels } from "../source/dataset.js";
import type { Observations } from "../source/observations.js";
import { labelsIn, type RowId } from "../source/row-id.js";
import { placeKey } from "./added-layers.js";
import { findChannelAxis, isPicture } from "./channels.js";
import { type LabelLook, labelTableOf } from "./label-look.js";
import { type Layer, type LayerStyle, openedLayers } from "./layer.js";
import type { ViewState } from "./state.js";

export type { Layer, LayerStyle } from "./layer.js";

/** The layers of a state: one per active channel, or a single one; those added from other sources; labels. */
export function planLayers(dataset: Dataset, state: ViewState): Layer[] {
  if (dataset.embedding) return [];
  const labels = shownLabels(dataset, state);
  return [
    ...imageLayers(dataset, state),
    ...addedLayers(dataset, state),
    ...(labels ? labelsLayer(labels, state) : []),
  ];
}

/** The added images and labels that have been opened. */
function addedLayers(dataset: Dataset, state: ViewState): Layer[] {
  if (state.layers.length === 0) return [];
  const opened = openedLayers(dataset);
  return state.layers.flatMap((layer, i) => {
    const found = layer.isOn ? opened.get(placeKey(layer)) : undefined;
    return found?.kind === "image" ? found.plan(layer, state, `layer ${i}`) : [];
  });
}

/** The labels that a state shows; also undefined before they have been found. */
export function shownLabels({ labels }: Dataset, state: ViewState): Labels | undefined {
  const { name, isOn } = state.labels;
  const known = labels?.known ?? [];
  return isOn ? (known.find((one) => one.name === name) ?? known[0]) : undefined;
}

/** Empty if the labels are not open or lack a shown axis. */
function labelsLayer({ name, dataset, imageAxes }: Labels, state: ViewState): Layer[] {
  const axes = state.axes.map((axis) => imageAxes.indexOf(axis));
  if (!dataset || axes.length !== 2 || axes.includes(-1)) return [];
  return [
    {
      id: `labels ${name}`,
      dataset,
      axes,
      index: imageAxes.map((axis) => state.index[axis] ?? 0),
      field: "",
      part: "magnitude",
      isRaw: true,
      range: { mode: "minmax" },
      style: {
        kind: "labels",
        ...plainStyle,
        labelColors: labelTableOf(dataset)?.colors(state) ?? dataset.labelInfo?.colors,
        opacity: state.labels.opacity,
        blend: "over",
        isOverlay: true,
        ...lookOf(dataset, state.labels),
      },
    },
  ];
}

/** The look of the labels of a dataset, whose table may know their region. */
export function lookOf(
  dataset: Dataset,
  { isOutline, hidden, selected }: LabelLook,
): Pick<LayerStyle, "isOutline" | "hidden" | "selected"> {
  const table = labelTableOf(dataset)?.observations;
  const labels = (list: readonly RowId[]) => table?.labelsIn(list) ?? labelsIn(list, undefined);
  return { isOutline, hidden: labels(hidden), selected: labels(selected) };
}

const plainStyle = {
  colormap: "labels",
  isReversed: false,
  steps: 0,
  scale: "linear",
  color: "ffffff",
  gamma: 1,
  outside: "clamp",
  isMissingMarked: false,
} as const;

/** The layers of a dataset alone. */
export function imageLayers(dataset: Dataset, state: ViewState): Layer[] {
  const { axes, index, field, part, isRaw, colormap, isReversed, gamma, outside, range } = state;
  const plane = { dataset, axes, index, field, part, isRaw };
  const { steps, scale, isMissingMarked } = state;
  const isSmooth = state.interpolation === "linear" && colormap !== "labels";
  const plain = {
    colormap,
    isReversed,
    gamma,
    outside,
    isMissingMarked,
    color: "ffffff",
    opacity: state.imageOpacity,
    isSmooth,
  };
  const spread = { steps, scale } as const;
  const channelAxis = findChannelAxis(dataset);
  if (!isComposite(dataset, state) || channelAxis === undefined) {
    const kind = colormap === "labels" ? "labels" : "map";
    const labelColors =
      kind === "labels" ? (labelTableOf(dataset)?.colors(state) ?? dataset.labelInfo?.colors) : undefined;
    const look = kind === "labels" ? lookOf(dataset, state.labels) : {};
    const curve = state.curve ?? undefined;
    const style = { ...plain, ...spread, kind, labelColors, curve, blend: "over", ...look } as const;
    const center = isDiverging(colormap) && scale !== "log" ? { center: state.center } : {};
    return [{ ...plane, id: imageId, range, style, ...center }];
  }
  const at = (channel: number) => index.map((old, axis) => (axis === channelAxis ? channel : old));
  const layers = state
    .channels!.filter(({ isOn }) => isOn)
    .map((channel): Layer => {
      const { color, gamma, curve } = channel;
      const style = { ...plain, ...tinted, kind: "tint", color, gamma, curve } as const;
      const id = channelId(channel.index);
      return {
        ...plane,
        id,
        index: at(channel.index),
        range: channel.range,
        style: { ...style, blend: "add" },
      };
    });
  if (!isPicture(dataset) || dataset.axes[channelAxis]!.length !== 4 || layers.length === 0) return layers;
  const style = { ...plain, ...tinted, kind: "mask", gamma: 1, opacity: 1 } as const;
  const whole = { mode: "manual", low: 0, high: 255 } as const;
  return [
    ...layers,
    { ...plane, id: "mask", index: at(3), range: whole, style: { ...style, blend: "mask" } },
  ];
}

/** Parts of the style of channels, which have neither a map nor colours for values outside. */
export const tinted = { steps: 0, scale: "linear", isReversed: false, outside: "clamp" } as const;

/** The id of the layer of a single slice. */
export const imageId = "image";

/** The id of a channel's layer. */
export const channelId = (index: number | string): string => `channel ${index}`;

/** Whether several channels are shown as a composite. */
export function isComposite(dataset: Dataset, { channels, axes }: ViewState): boolean {
  const channelAxis = findChannelAxis(dataset);
  return channels !== null && channelAxis !== undefined && !axes.includes(channelAxis);
}

/** The channels of a composite in ascending order; undefined for a single slice. */
export function channelsRead(
  dataset: Dataset,
  state: ViewState,
): { axis: number; indices: number[] } | undefined {
  const axis = findChannelAxis(dataset);
  if (!isComposite(dataset, state) || axis === undefined) return undefined;
  const indices = imageLayers(dataset, state).map(({ index }) => index[axis]!);
  return { axis, indices: indices.sort((a, b) => a - b) };
}

/** Hidden axes along which a layer has other slices of the same quantity. */
export function sampledAxes({ dataset, axes, style }: Layer): number[] {
  if (style.kind === "labels" || style.kind === "mask") return [];
  const channelAxis = findChannelAxis(dataset);
  return datasetShape(dataset).flatMap((length, axis) =>
    length > 1 && axis !== channelAxis && !axes.includes(axis) ? [axis] : [],
  );
}

/** Hidden axes with several slices, except the channel axis of a composite. */
function slicedAxes(dataset: Dataset, state: ViewState, shown: readonly number[]): number[] {
  const channelAxis = isComposite(dataset, state) ? findChannelAxis(dataset) : undefined;
  return datasetShape(dataset).flatMap((length, axis) =>
    length > 1 && axis !== channelAxis && !shown.includes(axis) ? [axis] : [],
  );
}

/** The axes of a volume, [z, y, x]; undefined if the dataset has no third axis beside the shown ones. */
export function volumeAxes(
  dataset: Dataset,
  state: ViewState,
): readonly [number, number, number] | undefined {
  const [down, across] = state.axes;
  if (down === undefined || across === undefined || dataset.embedding) return undefined;
  const depth = depthAxis(dataset, state, slicedAxes(dataset, state, state.axes));
  return depth === undefined ? undefined : [depth, down, across];
}

/** Axes along which slices can be played. */
export const playableAxes = (dataset: Dataset, state: ViewState): number[] =>
  dataset.embedding ? [] : slicedAxes(dataset, state, viewAxes(dataset, state));

/** The third axis: the chosen one, or else the first in space, or else the last. */
export function depthAxis(
  dataset: Dataset,
  state: ViewState,
  others: readonly number[] = playableAxes(dataset, state),
): number | undefined {
  const isSpace = (axis: number) => dataset.axes[axis]!.type === "space" || dataset.axes[axis]!.role === "z";
  return others.find((axis) => axis === state.depth) ?? others.find(isSpace) ?? others.at(-1);
}

/** The axes of the plane or the volume, except those along which slices inside the volume can move. */
export function viewAxes(dataset: Dataset, state: ViewState): readonly number[] {
  const axes = state.view === "volume" ? volumeAxes(dataset, state) : undefined;
  return axes?.filter((_, i) => !state.slices.includes(slicesAcross[i]!)) ?? state.axes;
}

/** The slices at right angles to the axes z, y and x of a volume. */
export const slicesAcross = ["xy", "xz", "yz"] as const;

/** Maximum ratio of the sides of a drawn element: thinner ones would be invisible. */
const longest = 64;

/** Maximum ratio of the sides of a picture without a scale: longer ones would be too thin to see. */
const mostSlender = 8;

/**
 * Height of a drawn element divided by its width; negative if rows go up. Axes of the same unit are drawn to
 * scale. Degrees of longitude are shortened as at the middle of a regional map. Without a common unit, elements
 * are square, unless the picture would be slender: then it fills the frame.
 */
export function planeAspect(dataset: Dataset, { axes }: Pick<ViewState, "axes">): number {
  const [down, across] = axes.map((axis) => dataset.axes[axis]!);
  if (!down || !across) return 1;
  const scale = scaledAspect(down, across);
  const slenderness = down.length / across.length;
  const isSlender = slenderness > mostSlender || slenderness < 1 / mostSlender;
  const isFilling = scale === undefined && (areUnlike(down, across) || isSlender);
  const aspect = isFilling ? frameShape / slenderness : (scale ?? 1);
  return down.goesUp ? -aspect : aspect;
}

/** The extent of an element along an axis of a volume, divided by its width; 1 without a common unit. */
export function depthAspect(dataset: Dataset, axis: number, across: number): number {
  const [depth, width] = [dataset.axes[axis]!, dataset.axes[across]!];
  if (areUnlike(depth, width)) return (width.length / depth.length) * frameShape;
  return scaledAspect(depth, width) ?? 1;
}

/** Height divided by width of an element drawn to scale; undefined without a common unit. */
function scaledAspect(down: DatasetAxis, across: DatasetAxis): number | undefined {
  const [height, width] = [axisStep(down), axisStep(across)];
  if (areUnlike(down, across) || !height || !width || !areAlike(down, across)) return undefined;
  const aspect = (height / width) * axisStretch(down, across);
  return aspect >= 1 / longest && aspect <= longest ? aspect : undefined;
}

/** Height of a picture divided by its width, if no scale determines them. */
const frameShape = 0.6;

/** Whether two axes have different quantities, such as time and longitude. */
function areUnlike(a: DatasetAxis, b: DatasetAxis): boolean {
  const quantity = ({ role, type }: DatasetAxis) =>
    role === "time" || role === "z" ? role : role === undefined ? type : "place";
  const [first, second] = [quantity(a), quantity(b)];
  const isSpace = (axis: DatasetAxis) => axis.role === "z" && areAlike(a, b);
  return first !== undefined && second !== undefined && first !== second && !isSpace(a) && !isSpace(b);
}

/** Whether distances along two axes can be compared. */
function areAlike(a: DatasetAxis, b: DatasetAxis): boolean {
  const isDegrees = ({ role }: DatasetAxis) => role === "latitude" || role === "longitude";
  if (isDegrees(a) || isDegrees(b)) return isDegrees(a) && isDegrees(b);
  const isSpace = ({ role }: DatasetAxis) => role === "x" || role === "y" || role === "z";
  return isSpace(a) && isSpace(b) && a.unit === b.unit;
}

/** Units per element, if they are constant or nearly so. */
export function axisStep({ scale, coordinates, length }: DatasetAxis): number | undefined {
  if (scale !== undefined) return Math.abs(scale) || undefined;
  const [first, last] = [coordinates?.at(0), coordinates?.at(length - 1)];
  const isKnown = coordinates?.kind === "numbers" && typeof first === "number" && typeof last === "number";
  return isKnown && length > 1 ? Math.abs(last - first) / (length - 1) || undefined : undefined;
}

/**
 * A degree of longitude is shorter than a degree of latitude; over more than half the world no single factor is
 * right.
 */
function axisStretch(down: DatasetAxis, across: DatasetAxis): number {
  const latitude = [down, across].find(({ role }) => role === "latitude");
  const ends = [latitude?.coordinates?.at(0), latitude?.coordinates?.at(latitude.length - 1)];
  const [first, last] = ends;
  if (typeof first !== "number" || typeof last !== "number" || Math.abs(last - first) > 90) return 1;
  const stretch = 1 / Math.max(0.1, Math.cos((((first + last) / 2) * Math.PI) / 180));
  return latitude === down ? stretch : 1 / stretch;
}

/** The labels of a view: the picture itself, or those over it. */
export const labelsOf = (dataset: Dataset, state: ViewState): Dataset | undefined =>
  state.colormap === "labels" ? dataset : shownLabels(dataset, state)?.dataset;

/** Undefined for pictures without a table. */
export function tableOf(dataset: Dataset, state: ViewState): Observations | undefined {
  if (dataset.embedding) return dataset.embedding.observations;
  const labels = labelsOf(dataset, state);
  return labels && labelTableOf(labels)?.observations;
}
