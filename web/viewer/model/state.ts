/** The state of a view, as plain data: compared, kept in the address, restored. */
import type { ZarrArray } from "zarr-wasm";
import { type ColormapName, isColormap } from "../base/colormaps.js";
import { type ValueScale, valueScales } from "../base/value-scale.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import {
  type ComplexPart,
  complexPartNames,
  dtypeLeaves,
  isComplex,
  isInteger,
  isNumeric,
  type Leaf,
} from "../source/leaf.js";
import { type LayerState, layerStates } from "./added-layers.js";
import type { Camera } from "./camera.js";
import {
  type ChannelState,
  defaultChannels,
  findChannelAxis,
  isChannels,
  isGamma,
  isRange,
  type ValueRange,
} from "./channels.js";
import { isLabelList, type LabelLook } from "./label-look.js";
import { isOpacityCurve, type OpacityCurve } from "./opacity-curve.js";
import {
  isClip,
  isCut,
  isExaggeration,
  isOrbit,
  isVolumeBudget,
  isVolumeSlices,
  type Orbit,
  type VolumeClip,
  type VolumeCut,
  type VolumeMode,
  type VolumeSlice,
  volumeBudgets,
  volumeModes,
} from "./volume.js";

export type { ChannelState, LayerState, ValueRange };

/** Elements start … stop − 1 along an axis. */
export type Interval = readonly [start: number, stop: number];

/** Whether values outside the range are marked or look like its ends. */
export type Outside = "mark" | "clamp";

/**
 * Where elements are drawn. "auto": at their coordinates, but in rows and columns if the axes have projected
 * coordinates; "map": at their longitudes and latitudes; "index": as equal cells in stored order.
 */
export const placeModes = ["auto", "map", "index"] as const;
/** What the pressed pointer does: moves the picture, zooms into a rectangle, picks an element, measures. */
export const toolNames = ["pan", "zoom", "pick", "measure"] as const;
export type ToolName = (typeof toolNames)[number];
export type Interpolation = "nearest" | "linear";
export type PlaceMode = (typeof placeModes)[number];

/** Panes of a view, where x and y are the axes of the picture and z is the third axis. */
export const paneNames = ["xy", "xz", "yz", "volume"] as const;
export type PaneName = (typeof paneNames)[number];

export interface ViewState {
  /** The axes shown: [down, across], [across] for a line, [] for a single value. */
  readonly axes: readonly number[];
  /** The index along every axis; used while the axis is not shown. */
  readonly index: readonly number[];
  /**
   * The visible interval along every axis while it is shown, unless a camera overrides it; null for the
   * default.
   */
  readonly window: readonly (Interval | null)[];
  /** The camera; null to use `window`. */
  readonly camera: Camera | null;
  /** Name of the shown field; "" if the data type has no fields. */
  readonly field: string;
  readonly part: ComplexPart;
  readonly colormap: ColormapName;
  readonly isReversed: boolean;
  /** Exponent applied between range and colours: 1 for none. */
  readonly gamma: number;
  readonly range: ValueRange;
  /** Whether every slice has its own range, instead of one for all. */
  readonly isRangePerSlice: boolean;
  /**
   * Whether the channels of a composite share one range, from their lowest lower limit to their highest upper
   * limit.
   */
  readonly isRangeCommon: boolean;
  /** Maximum data read for the range of all slices, in MiB; null for as much as the picture has. */
  readonly sample: number | null;
  readonly outside: Outside;
  /** Whether chunks that are not stored have a pattern over their fill value. */
  readonly isMissingMarked: boolean;
  /** How values are spread over the colour map. */
  readonly scale: ValueScale;
  /** Number of equal steps of the colour map; 0 for continuous colours. */
  readonly steps: number;
  /** Shows stored values without decoding by the dataset's metadata. */
  readonly isRaw: boolean;
  /** Channels shown together; null for a single slice with a colour map. */
  readonly channels: readonly ChannelState[] | null;
  /** Of the picture below labels and layers, 0 to 1. */
  readonly imageOpacity: number;
  /** Labels over the image. */
  readonly labels: LabelsState;
  /** Layers from other sources, the lowest first. */
  readonly layers: readonly LayerState[];
  /** Value at the middle of a diverging map; null for 0 if the range includes both signs. */
  readonly center: number | null;
  /** Whether the histogram has a logarithmic scale. */
  readonly isLogHistogram: boolean;
  /** Slices per second during playback. */
  readonly frameRate: number;
  /** Axis of the profile through the element under the pointer; null for none. */
  readonly profile: number | null;
  /** The panes shown together: the picture, "xy", and others. */
  readonly planes: readonly PaneName[];
  /** The third axis of the panes; null for the first axis in space that the picture does not show. */
  readonly depth: number | null;
  /** Lines drawn over maps. */
  readonly isGraticuleOn: boolean;
  readonly areCoastsOn: boolean;
  /** Whether a plane or the volume around it is shown. */
  readonly view: "plane" | "volume";
  /** The camera of the volume; null for the default. */
  readonly orbit: Orbit | null;
  /** How the volume is projected. */
  readonly mode: VolumeMode;
  /** The part of the volume that is drawn; null for everything. */
  readonly clip: VolumeClip | null;
  readonly cut: VolumeCut | null;
  /** Opacity of voxels in translucent volumes, unless they are channels of a composite; null for the default. */
  readonly curve: OpacityCurve | null;
  /** Slices drawn inside the volume. */
  readonly slices: readonly VolumeSlice[];
  /** Factor of the volume's lengths along its third axis. */
  readonly exaggeration: number;
  /** Maximum memory of the volume's textures, in MiB. */
  readonly volumeBudget: number;
  readonly places: PlaceMode;
  /** Whether values between the centres of elements are interpolated, if elements are larger than pixels. */
  readonly interpolation: Interpolation;
  /** Longitude at the middle of a map that goes around the globe; null for the middle of the stored columns. */
  readonly meridian: number | null;
  readonly tool: ToolName;
  /** The column that colours the points of an embedding, or labels; "" for none. */
  readonly by: string;
  /** The colour map of numbers in this column; null for the default. */
  readonly byColormap: ColormapName | null;
  readonly byRange: ValueRange;
  /** Diameter of the points of an embedding, in CSS pixels; 0 for the default. */
  readonly pointSize: number;
}

/** The choices of slices per second. */
export const frameRates = [1, 2, 5, 10, 20, 30] as const;

/** The labels shown over an image, and their opacity; how labels are drawn, also if they are the image. */
export interface LabelsState extends LabelLook {
  /** Null for the first. */
  readonly name: string | null;
  readonly isOn: boolean;
  /** 0 to 1. */
  readonly opacity: number;
}

/** A requested state: any part of it, valid for the dataset or not. */
export type WantedState = { readonly [K in keyof ViewState]?: unknown };

/** Facts about an array that settings depend on, and suggestions for it. */
export type ArrayFacts = Pick<ZarrArray, "shape" | "chunkShape" | "dtype"> & {
  readonly hints?: WantedState | undefined;
  readonly channelAxis?: number | undefined;
  /** The default channels. */
  readonly channels?: readonly ChannelState[] | undefined;
};

/** The facts of a dataset that states depend on. */
export function arrayFacts(dataset: Dataset): ArrayFacts {
  const { array, dtype, hints } = dataset;
  const [channelAxis, channels] = [findChannelAxis(dataset), defaultChannels(dataset)];
  return { shape: datasetShape(dataset), chunkShape: array.chunkShape, dtype, hints, channelAxis, channels };
}

/** Merges requested settings over the suggested ones. */
function withHints({ hints }: ArrayFacts, wanted: WantedState): WantedState {
  const said = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return { ...hints, ...Object.fromEntries(said) };
}

/** The leaf to draw: the requested one, or else the first numeric one, or else the first. */
export function drawnLeaf({ dtype }: Pick<ArrayFacts, "dtype">, name: unknown): Leaf | undefined {
  const leaves = dtypeLeaves(dtype);
  return (
    leaves.find((leaf) => leaf.name === name) ?? leaves.find((leaf) => isNumeric(leaf.dtype)) ?? leaves[0]
  );
}

/** Resolves requested settings; replaces invalid ones by suitable values. */
export function resolveState(array: ArrayFacts, asked: WantedState): ViewState {
  const { shape } = array;
  const wanted = withHints(array, asked);
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const leaf = drawnLeaf(array, wanted.field);
  const part = complexPartNames.find((name) => name === wanted.part) ?? "magnitude";
  return {
    axes: isAxes(wanted.axes, shape) ? wanted.axes : defaultAxes(array),
    index: shape.map((length, axis) => clampIndex(list(wanted.index)[axis], length)),
    window: shape.map((length, axis) => clampInterval(list(wanted.window)[axis], length)),
    field: leaf?.name ?? "",
    part,
    colormap: fittingColormap(wanted.colormap, leaf, part),
    range: isRange(wanted.range) ? wanted.range : defaultRange(shape.length, leaf, part),
    camera: isCamera(wanted.camera) ? wanted.camera : null,
    isReversed: wanted.isReversed === true,
    gamma: isGamma(wanted.gamma) ? wanted.gamma : 1,
    isRangePerSlice: wanted.isRangePerSlice === true,
    isRangeCommon: wanted.isRangeCommon === true,
    sample: isSample(wanted.sample) ? wanted.sample : null,
    outside: wanted.outside === "mark" ? "mark" : "clamp",
    isMissingMarked: wanted.isMissingMarked === true,
    scale: valueScales.find((scale) => scale === wanted.scale) ?? "linear",
    steps: isSteps(wanted.steps) ? wanted.steps : 0,
    isRaw: wanted.isRaw === true,
    channels: channelsFor(array, wanted.channels),
    imageOpacity: isShare(wanted.imageOpacity) ? wanted.imageOpacity : 1,
    labels: labelsState(wanted.labels),
    layers: layerStates(wanted.layers),
    center: finiteOrNull(wanted.center),
    isLogHistogram: wanted.isLogHistogram === true,
    frameRate: frameRates.find((rate) => rate === wanted.frameRate) ?? 5,
    profile: axisAt(wanted.profile, shape),
    planes: isPanes(wanted.planes) && shape.length > 2 ? wanted.planes : ["xy"],
    depth: axisAt(wanted.depth, shape),
    isGraticuleOn: wanted.isGraticuleOn !== false,
    areCoastsOn: wanted.areCoastsOn !== false,
    view: wanted.view === "volume" && shape.length > 2 ? "volume" : "plane",
    orbit: isOrbit(wanted.orbit) ? wanted.orbit : null,
    mode: volumeModes.find((mode) => mode === wanted.mode) ?? "max",
    clip: isClip(wanted.clip) ? wanted.clip : null,
    cut: isCut(wanted.cut) ? wanted.cut : null,
    curve: isOpacityCurve(wanted.curve) ? wanted.curve : null,
    slices: isVolumeSlices(wanted.slices) ? wanted.slices : [],
    exaggeration: isExaggeration(wanted.exaggeration) ? wanted.exaggeration : 1,
    volumeBudget: isVolumeBudget(wanted.volumeBudget) ? wanted.volumeBudget : volumeBudgets.usual,
    places: placeModes.find((mode) => mode === wanted.places) ?? "auto",
    meridian: finiteOrNull(wanted.meridian),
    interpolation: wanted.interpolation === "linear" ? "linear" : "nearest",
    tool: toolNames.find((name) => name === wanted.tool) ?? "pan",
    by: typeof wanted.by === "string" ? wanted.by : "",
    byColormap: isColormap(wanted.byColormap) ? wanted.byColormap : null,
    byRange: isRange(wanted.byRange) ? wanted.byRange : { mode: "auto" },
    pointSize: isPointSize(wanted.pointSize) ? wanted.pointSize : 0,
  };
}

/** Maximum diameter of the points of an embedding, in CSS pixels. */
export const maxPointSize = 100;

const isPointSize = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= maxPointSize;

/** Maximum data read for a range, in MiB. */
export const maxSample = 1024;

const isSample = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= maxSample;

const finiteOrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** Null is a valid value: a single slice. */
function channelsFor({ shape, channelAxis, channels }: ArrayFacts, value: unknown): ViewState["channels"] {
  if (value === null || channelAxis === undefined) return null;
  return isChannels(value, shape[channelAxis]!) ? value : (channels ?? null);
}

const isPanes = (value: unknown): value is readonly PaneName[] =>
  Array.isArray(value) &&
  value.includes("xy") &&
  new Set(value).size === value.length &&
  value.every((name) => paneNames.includes(name as PaneName));

const axisAt = (value: unknown, shape: readonly number[]): number | null =>
  typeof value === "number" && Number.isInteger(value) && shape[value] !== undefined ? value : null;

const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;

function labelsState(value: unknown): LabelsState {
  const { name, isOn, opacity, isOutline, hidden, selected } = (value ?? {}) as Partial<LabelsState>;
  return {
    isOutline: isOutline === true,
    hidden: isLabelList(hidden) ? hidden : [],
    selected: isLabelList(selected) ? selected : [],
    name: typeof name === "string" ? name : null,
    isOn: isOn !== false,
    opacity: isShare(opacity) ? opacity : 0.5,
  };
}

/** The last two axes other than the channel axis. */
function defaultAxes({ shape, channelAxis }: ArrayFacts): number[] {
  const rank = shape.length;
  const axes = shape.map((_, axis) => axis);
  if (rank < 3) return axes;
  if (channelAxis !== undefined) return axes.filter((axis) => axis !== channelAxis).slice(-2);
  // A short last axis holds channels, whatever its name.
  const hasChannels = shape[rank - 1]! <= 4 && shape[rank - 2]! > 4 && shape[rank - 3]! > 4;
  return hasChannels ? [rank - 3, rank - 2] : [rank - 2, rank - 1];
}

function isAxes(value: unknown, shape: readonly number[]): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length === Math.min(2, shape.length) &&
    new Set(value).size === value.length &&
    value.every((axis) => Number.isInteger(axis) && axis >= 0 && axis < shape.length)
  );
}

/** The requested index, clamped; by default the middle, where most arrays have interesting data. */
function clampIndex(value: unknown, length: number): number {
  const last = Math.max(0, length - 1);
  if (typeof value !== "number" || !Number.isInteger(value)) return Math.floor(last / 2);
  return Math.min(Math.max(value, 0), last);
}

function clampInterval(value: unknown, length: number): Interval | null {
  if (!Array.isArray(value) || !value.every(Number.isInteger)) return null;
  const [start, stop] = value as number[];
  const first = Math.min(Math.max(start!, 0), Math.max(0, length - 1));
  const end = Math.min(Math.max(stop!, first + 1), length);
  return end > first ? [first, end] : null;
}

function isCamera(value: unknown): value is Camera {
  const { row, column, scale, depth = 0 } = (value ?? {}) as Partial<Camera>;
  // Sums and products of larger numbers may be infinite.
  const isSmall = (part: unknown) => Number.isFinite(part) && Math.abs(part as number) <= 1e15;
  return [row, column, scale, depth].every(isSmall) && scale! > 0;
}

/** Maximum number of steps of a colour map: more look continuous. */
export const maxSteps = 64;

const isSteps = (value: unknown): value is number =>
  Number.isInteger(value) && (value === 0 || ((value as number) >= 2 && (value as number) <= maxSteps));

/** Whether a leaf has labels: only integers can. */
export const canBeLabels = (leaf: Leaf | undefined): boolean => leaf !== undefined && isInteger(leaf.dtype);

function fittingColormap(value: unknown, leaf: Leaf | undefined, part: ComplexPart): ColormapName {
  const isFitting = isColormap(value) && (value !== "labels" || canBeLabels(leaf));
  return isFitting
    ? value.toLowerCase().startsWith("#")
      ? (value.toLowerCase() as `#${string}`)
      : value
    : defaultColormap(leaf, part);
}

/** Automatic, except for angles, whose range is known. A line includes outliers. */
function defaultRange(rank: number, leaf: Leaf | undefined, part: ComplexPart): ValueRange {
  if (leaf && isComplex(leaf.dtype) && part === "phase")
    return { mode: "manual", low: -Math.PI, high: Math.PI };
  return { mode: rank === 1 ? "minmax" : "auto" };
}

/** Gray for likely photographs and masks, cyclic for angles, viridis for measurements. */
export function defaultColormap(leaf: Leaf | undefined, part: ComplexPart): ColormapName {
  if (!leaf) return "viridis";
  if (isComplex(leaf.dtype) && part === "phase") return "twilight";
  return leaf.dtype.core === "bool" || leaf.dtype.core === "uint8" ? "gray" : "viridis";
}
