/**
 * From settings to what is read: which elements, with which step, out of how many chunks.
 *
 * A step keeps the number of elements drawn small, but every chunk that it touches is fetched whole.
 * So where no part of an axis is asked for and the whole slice would cost too much, the middle is read.
 */
import { type Selection, slice } from "zarr-wasm";
import { isNumeric } from "./leaf.js";
import { type ArrayFacts, type Interval, leafOf, type ViewSettings } from "./settings.js";

/** How a slice is shown. */
export type SliceKind = "image" | "line" | "value" | "table" | "empty";

/** Elements start, start + step, … (count of them, all below stop) along a shown axis. */
export interface AxisPlan {
  readonly axis: number;
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly count: number;
}

export interface SlicePlan {
  readonly kind: SliceKind;
  /** The shown axes: down then across, or across only. */
  readonly axes: readonly AxisPlan[];
  readonly selection: Selection;
  /** Where only the middle is read: chunks and decoded bytes of the whole slice. */
  readonly narrowed: Cost | undefined;
}

interface Cost {
  readonly chunks: number;
  readonly bytes: number;
}

/** Most elements read along an axis, by kind and position. */
const mostElements: Readonly<Record<SliceKind, readonly [down: number, across: number]>> = {
  image: [2048, 2048],
  line: [1, 65536],
  table: [200, 24],
  value: [1, 1],
  empty: [0, 0],
};

/** What is read without being asked for. */
const budget: Cost = { chunks: 4096, bytes: 256 * 2 ** 20 };

export function planSlice(array: ArrayFacts, settings: ViewSettings): SlicePlan {
  const { shape } = array;
  const kind = kindOf(array, settings);
  if (kind === "empty") return { kind, axes: [], selection: null, narrowed: undefined };
  const wanted = settings.axes.map((axis) => settings.window[axis] ?? ([0, shape[axis]!] as const));
  const plan = (windows: readonly Interval[]) =>
    windows.map((window, i) => planAxis(settings.axes[i]!, window, mostOf(kind, settings, i), kind));
  const whole = costOf(array, plan(wanted));
  const isFree = kind !== "table" && settings.axes.every((axis) => !settings.window[axis]);
  const windows = isFree ? narrow(array, settings.axes, wanted, plan) : wanted;
  const axes = plan(windows);
  return {
    kind,
    axes,
    selection: selectionOf(settings, axes),
    narrowed: windows === wanted ? undefined : whole,
  };
}

function kindOf(array: ArrayFacts, settings: ViewSettings): SliceKind {
  if (array.shape.includes(0)) return "empty";
  if (settings.axes.length === 0) return "value";
  const leaf = leafOf(array, settings.field);
  if (!leaf || !isNumeric(leaf.dtype)) return "table";
  return settings.axes.length === 1 ? "line" : "image";
}

function mostOf(kind: SliceKind, { axes }: ViewSettings, position: number): number {
  const [down, across] = mostElements[kind];
  // A table of one axis goes down: a column of values reads better than a row.
  return position === axes.length - 1 && !(kind === "table" && axes.length === 1) ? across : down;
}

/** A table shows its first elements, a picture all of them with a step. */
function planAxis(axis: number, [start, stop]: Interval, most: number, kind: SliceKind): AxisPlan {
  if (kind === "table") {
    const count = Math.min(stop - start, most);
    return { axis, start, stop: start + count, step: 1, count };
  }
  const step = Math.ceil((stop - start) / most);
  return { axis, start, stop, step, count: Math.ceil((stop - start) / step) };
}

function selectionOf({ index }: ViewSettings, axes: readonly AxisPlan[]): Selection {
  return index.map((at, axis) => {
    const shown = axes.find((plan) => plan.axis === axis);
    return shown ? slice(shown.start, shown.stop, shown.step) : at;
  });
}

/** Chunks that elements along an axis lie in. */
function chunksAlong({ start, step, count }: AxisPlan, chunkLength: number): number {
  if (step >= chunkLength) return count;
  return Math.floor((start + (count - 1) * step) / chunkLength) - Math.floor(start / chunkLength) + 1;
}

function costOf({ chunkShape, dtype }: ArrayFacts, axes: readonly AxisPlan[]): Cost {
  const chunks = axes.reduce((product, plan) => product * chunksAlong(plan, chunkShape[plan.axis]!), 1);
  const chunkBytes = chunkShape.reduce((product, length) => product * length, dtype.itemBytes);
  return { chunks, bytes: chunks * chunkBytes };
}

/** Halves the window with most chunks, around its middle and along the grid of chunks, until it is affordable. */
function narrow(
  array: ArrayFacts,
  axes: readonly number[],
  wanted: readonly Interval[],
  plan: (windows: readonly Interval[]) => readonly AxisPlan[],
): readonly Interval[] {
  let windows = wanted;
  for (;;) {
    const cost = costOf(array, plan(windows));
    if (cost.chunks <= budget.chunks && cost.bytes <= budget.bytes) return windows;
    const spans = windows.map(([start, stop], i) => {
      const length = array.chunkShape[axes[i]!]!;
      return Math.ceil(stop / length) - Math.floor(start / length);
    });
    const longest = spans.indexOf(Math.max(...spans));
    if (spans[longest]! <= 1) return windows;
    windows = windows.map((window, i) =>
      i === longest ? middleChunks(window, array.chunkShape[axes[i]!]!, Math.ceil(spans[i]! / 2)) : window,
    );
  }
}

function middleChunks([start, stop]: Interval, chunkLength: number, chunks: number): Interval {
  const first = Math.floor((start + stop) / 2 / chunkLength - chunks / 2 + 0.5);
  return [Math.max(start, first * chunkLength), Math.min(stop, (first + chunks) * chunkLength)];
}
