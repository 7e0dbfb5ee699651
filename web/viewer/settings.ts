/** What of an array is shown, and how. Plain data: compared, kept in the address, restored. */
import type { ZarrArray } from "zarr-wasm";
import { type ColormapName, colormapNames } from "./colormaps.js";
import { isComplex, isInteger, isNumeric, type Leaf, leavesOf, type Part, partNames } from "./leaf.js";

/** Elements start … stop − 1 along an axis. */
export type Interval = readonly [start: number, stop: number];

/** Where the colours begin and end. */
export type ValueRange =
  | { readonly mode: "minmax" | "percentile" }
  | { readonly mode: "manual"; readonly low: number; readonly high: number };

export interface ViewSettings {
  /** The axes shown: [down, across], [across] for a line, [] for a single value. */
  readonly axes: readonly number[];
  /** The index along every axis, which holds while that axis is not shown. */
  readonly index: readonly number[];
  /** The part of every axis that is seen while it is shown; null for as much as is sensible. */
  readonly window: readonly (Interval | null)[];
  /** Name of the field drawn; "" where the data type has none. */
  readonly field: string;
  readonly part: Part;
  readonly colormap: ColormapName;
  readonly range: ValueRange;
}

/** Settings that somebody asks for: any of them, fitting the array or not. */
export type WantedSettings = { readonly [K in keyof ViewSettings]?: unknown };

/** Facts of an array that settings depend on. */
export type ArrayFacts = Pick<ZarrArray, "shape" | "chunkShape" | "dtype">;

/** The leaf that is drawn: the one asked for, else the first that has numbers, else the first. */
export function leafOf({ dtype }: Pick<ArrayFacts, "dtype">, name: unknown): Leaf | undefined {
  const leaves = leavesOf(dtype);
  return (
    leaves.find((leaf) => leaf.name === name) ?? leaves.find((leaf) => isNumeric(leaf.dtype)) ?? leaves[0]
  );
}

/** The settings asked for, with what does not fit the array replaced by what suits it. */
export function resolveSettings(array: ArrayFacts, wanted: WantedSettings): ViewSettings {
  const { shape } = array;
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const leaf = leafOf(array, wanted.field);
  const part = partNames.find((name) => name === wanted.part) ?? "magnitude";
  return {
    axes: isAxes(wanted.axes, shape) ? wanted.axes : defaultAxes(shape),
    index: shape.map((length, axis) => clampIndex(list(wanted.index)[axis], length)),
    window: shape.map((length, axis) => clampInterval(list(wanted.window)[axis], length)),
    field: leaf?.name ?? "",
    part,
    colormap: fittingColormap(wanted.colormap, leaf, part),
    range: isRange(wanted.range) ? wanted.range : defaultRange(leaf, part),
  };
}

/** The last two axes; the two before them where the last is a handful of channels. */
function defaultAxes(shape: readonly number[]): number[] {
  const rank = shape.length;
  if (rank < 2) return shape.map((_, axis) => axis);
  const hasChannels = rank > 2 && shape[rank - 1]! <= 4 && shape[rank - 2]! > 4 && shape[rank - 3]! > 4;
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

/** The index asked for, at most the last one; else the middle, where most arrays have something to show. */
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

function isRange(value: unknown): value is ValueRange {
  const range = value as Partial<{ mode: string; low: number; high: number }> | undefined;
  if (range?.mode === "minmax" || range?.mode === "percentile") return true;
  return range?.mode === "manual" && Number.isFinite(range.low) && Number.isFinite(range.high);
}

/** Colour maps that make sense for what is drawn. */
export function colormapsFor(leaf: Leaf | undefined): ColormapName[] {
  return colormapNames.filter((name) => name !== "labels" || (leaf && isInteger(leaf.dtype)));
}

function fittingColormap(value: unknown, leaf: Leaf | undefined, part: Part): ColormapName {
  return colormapsFor(leaf).find((name) => name === value) ?? defaultColormap(leaf, part);
}

/** What is found, except for angles, whose range is known. */
function defaultRange(leaf: Leaf | undefined, part: Part): ValueRange {
  if (leaf && isComplex(leaf.dtype) && part === "phase")
    return { mode: "manual", low: -Math.PI, high: Math.PI };
  return { mode: "minmax" };
}

/** Gray for what is usually a photograph or a mask, cyclic for angles, viridis for measurements. */
export function defaultColormap(leaf: Leaf | undefined, part: Part): ColormapName {
  if (!leaf) return "viridis";
  if (isComplex(leaf.dtype) && part === "phase") return "cyclic";
  return leaf.dtype.core === "bool" || leaf.dtype.core === "uint8" ? "gray" : "viridis";
}
