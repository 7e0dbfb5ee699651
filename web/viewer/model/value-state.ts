/** The settings of values: which are shown, their range and colours, channels. */
import { type ColormapName, isColormap } from "../base/colormaps.js";
import { type ValueScale, valueScales } from "../base/value-scale.js";
import { type ComplexPart, complexPartNames, isComplex, isInteger, type Leaf } from "../source/leaf.js";
import {
  type ChannelState,
  channelsText,
  isChannels,
  isGamma,
  isRange,
  readChannels,
  type ValueRange,
} from "./channels.js";
import {
  type ArrayFacts,
  choiceEntry,
  drawnLeaf,
  type Entry,
  finiteOrNull,
  isBetween,
  numberEntry,
  rangeEntry,
  switchEntry,
  textEntry,
  type Wanted,
} from "./entry.js";

/** Whether values outside the range are marked or look like its ends. */
export type Outside = "mark" | "clamp";

export interface ValueState {
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
  /** Value at the middle of a diverging map; null for 0 if the range includes both signs. */
  readonly center: number | null;
  /** Whether the histogram has a logarithmic scale. */
  readonly isLogHistogram: boolean;
}

export function resolveValues(array: ArrayFacts, wanted: Wanted<ValueState>): ValueState {
  const leaf = drawnLeaf(array, wanted.field);
  const part = complexPartNames.find((name) => name === wanted.part) ?? "magnitude";
  return {
    field: leaf?.name ?? "",
    part,
    colormap: fittingColormap(wanted.colormap, leaf, part),
    isReversed: wanted.isReversed === true,
    gamma: isGamma(wanted.gamma) ? wanted.gamma : 1,
    range: isRange(wanted.range) ? wanted.range : defaultRange(array.shape.length, leaf, part),
    isRangePerSlice: wanted.isRangePerSlice === true,
    isRangeCommon: wanted.isRangeCommon === true,
    sample: isBetween(wanted.sample, 0, maxSample) ? wanted.sample : null,
    outside: wanted.outside === "mark" ? "mark" : "clamp",
    isMissingMarked: wanted.isMissingMarked === true,
    scale: valueScales.find((scale) => scale === wanted.scale) ?? "linear",
    steps: isSteps(wanted.steps) ? wanted.steps : 0,
    isRaw: wanted.isRaw === true,
    channels: channelsFor(array, wanted.channels),
    center: finiteOrNull(wanted.center),
    isLogHistogram: wanted.isLogHistogram === true,
  };
}

export const valueEntries: readonly Entry<ValueState>[] = [
  textEntry("field"),
  textEntry("part"),
  textEntry("colormap", "map"),
  rangeEntry("range", "range"),
  switchEntry("isReversed", "reversed"),
  numberEntry("gamma"),
  choiceEntry("isRangePerSlice", "scope", "all", "slice"),
  switchEntry("isRangeCommon", "common"),
  {
    // MiB, `none`, or `auto`.
    name: "sample",
    read: (text) => ({ sample: text === "auto" ? null : text === "none" ? 0 : Number(text) }),
    write: ({ sample }) => (sample === 0 ? "none" : String(sample ?? "auto")),
  },
  textEntry("outside"),
  choiceEntry("isMissingMarked", "missing", "fill", "mark"),
  textEntry("scale"),
  numberEntry("steps"),
  switchEntry("isRaw", "raw"),
  {
    name: "channels",
    read: (text) => ({ channels: readChannels(text) }),
    write: ({ channels }) => channelsText(channels),
  },
  numberEntry("center"),
  choiceEntry("isLogHistogram", "histogram", "linear", "log"),
];

/** Maximum data read for a range, in MiB. */
export const maxSample = 1024;

/** Null is a valid value: a single slice. */
function channelsFor({ shape, channelAxis, channels }: ArrayFacts, value: unknown): ValueState["channels"] {
  if (value === null || channelAxis === undefined) return null;
  return isChannels(value, shape[channelAxis]!) ? value : (channels ?? null);
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
function defaultColormap(leaf: Leaf | undefined, part: ComplexPart): ColormapName {
  if (!leaf) return "viridis";
  if (isComplex(leaf.dtype) && part === "phase") return "twilight";
  return leaf.dtype.core === "bool" || leaf.dtype.core === "uint8" ? "gray" : "viridis";
}
