/** Channels of a composite: the channel axis, default settings, strings; opacity curves of volumes. */

import { keptFor } from "../base/memo.js";
import { shortName } from "../base/text.js";
import { text } from "../language/text.js";
import type { Dataset } from "../source/dataset.js";

/** The values of the first and the last colour. */
export type ValueRange =
  /** "auto": all values read, possibly without outliers; "percentile": the 1st to the 99th. */
  | { readonly mode: "auto" | "minmax" | "percentile" }
  | { readonly mode: "manual"; readonly low: number; readonly high: number };

/** One channel of a composite. */
export interface ChannelState {
  readonly index: number;
  readonly isOn: boolean;
  /** "rrggbb". */
  readonly color: string;
  readonly range: ValueRange;
  /** Exponent applied between range and colour: 1 for none. */
  readonly gamma: number;
  /** Opacity in translucent volumes; the default if undefined. */
  readonly curve?: OpacityCurve | undefined;
}

/** Maximum number of layers: more cannot be told apart, and take longer than a frame to draw. */
export const maxChannels = 8;

/** Names of axes that can only be colour components or separately measured channels. */
const channelName = /^(c|ch|channels?|rgba?|colou?rs?|bands?|samples?)$/i;

type Facts = Pick<Dataset, "axes" | "dtype" | "channelAxis" | "channels" | "isLabels">;

/** The channel axis; undefined if there is none or it has only one entry. */
export function findChannelAxis(dataset: Facts): number | undefined {
  const { axes, channelAxis } = dataset;
  if (channelAxis !== undefined) return axes[channelAxis]!.length > 0 ? channelAxis : undefined;
  return findColourAxis(dataset);
}

/** Whether an array is a photograph: bytes of red, green, blue, and possibly alpha. */
export function isPicture(dataset: Facts): boolean {
  const axis = findColourAxis(dataset);
  return axis !== undefined && (dataset.channelAxis === undefined || dataset.channelAxis === axis);
}

/** A first or last axis of three or four bytes, or one with the name of a colour axis. */
function findColourAxis({ axes, dtype, channels, isLabels }: Facts): number | undefined {
  if (dtype.core !== "uint8" || channels || isLabels || axes.length < 3) return undefined;
  const isShort = ({ length }: { length: number }) => length === 3 || length === 4;
  const named = axes.findIndex((axis) => isShort(axis) && channelName.test(axis.name ?? ""));
  if (named >= 0) return named;
  const last = axes.at(-1)!;
  if (isShort(last) && last.name?.toLowerCase() === "s") return axes.length - 1; // samples of a TIFF
  const isFree = (axis: Facts["axes"][number]) =>
    isShort(axis) && axis.name === undefined && axis.role === undefined;
  const ends = [axes.length - 1, 0].filter((axis) => isFree(axes[axis]!));
  // Arrays with only a few rows or columns are tables, not pictures.
  return ends.find((end) => axes.every(({ length }, axis) => axis === end || length > 4));
}

const primaries = ["ff0000", "00ff00", "0000ff"];

/** Default colours of channels, distinguishable with red-green colour blindness. */
const palette = ["ffffff", "56b4e9", "e69f00", "cc79a7", "009e73", "f0e442", "0072b2", "d55e00"];
const pairs: Readonly<Record<number, readonly string[]>> = {
  2: ["ff00ff", "00ff00"],
  3: ["00ffff", "ff00ff", "ffff00"],
};

/**
 * Returns the default channels of a dataset; undefined if one slice with a colour map shows more. Cached, as each change of
 * the view needs them.
 */
export const defaultChannels = keptFor(chosenChannels);

function chosenChannels(dataset: Facts): ChannelState[] | undefined {
  const axis = findChannelAxis(dataset);
  if (axis === undefined || dataset.isLabels) return undefined;
  const count = dataset.axes[axis]!.length;
  if (isPicture(dataset))
    return primaries.map((color, index) => ({
      index,
      isOn: true,
      color,
      range: { mode: "manual", low: 0, high: 255 },
      gamma: 1,
    }));
  const { channels } = dataset;
  // One channel without a colour is a plain image.
  if (count === 1 && !channels?.[0]?.color) return undefined;
  const isActive = (index: number) => channels?.[index]?.active !== false;
  // If there are more channels than can be shown, active ones come first.
  const active = firstChannels(count, isActive);
  const others = firstChannels(Math.min(count, channels?.length ?? 0), (index) => !isActive(index));
  const chosen = [...active, ...others].slice(0, maxChannels);
  const isAnyOn = active.length > 0;
  // White is the default of OME-XML: of several white channels none could be told apart.
  const isWhite = count > 1 && chosen.every((index) => /^f{6}$/i.test(channels?.[index]?.color ?? ""));
  const given = (index: number) => (isWhite ? undefined : channelColor(channels?.[index]?.color));
  return chosen
    .sort((a, b) => a - b)
    .map((index, i) => ({
      index,
      isOn: !isAnyOn || isActive(index),
      color: given(index) ?? (pairs[chosen.length] ?? palette)[i % palette.length]!,
      range: channelRange(channels?.[index]?.window),
      gamma: 1,
    }));
}

/** The first channels that fit, up to `maxChannels`. */
function firstChannels(count: number, fits: (index: number) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < count && found.length < maxChannels; i++) if (fits(i)) found.push(i);
  return found;
}

/** A colour in lower case; undefined for black, which would be invisible. */
function channelColor(text: string | undefined): string | undefined {
  const color = text?.toLowerCase();
  return color && /^[0-9a-f]{6}$/.test(color) && color !== "000000" ? color : undefined;
}

function channelRange(window: readonly [number, number] | undefined): ValueRange {
  const [low, high] = window ?? [0, 0];
  return Number.isFinite(low) && Number.isFinite(high) && high > low
    ? { mode: "manual", low, high }
    : { mode: "auto" };
}

/** The name of a channel. */
export function channelLabel(dataset: Facts, index: number): string {
  const { channels } = dataset;
  const primary = isPicture(dataset) ? text.channels.primaries[index] : undefined;
  return shortName(channels?.[index]?.label || (primary ?? text.channels.channel(index)));
}

export function isRange(value: unknown): value is ValueRange {
  const range = value as Partial<{ mode: string; low: number; high: number }> | undefined;
  if (["auto", "minmax", "percentile"].includes(range?.mode ?? "")) return true;
  return range?.mode === "manual" && Number.isFinite(range.low) && Number.isFinite(range.high);
}

export const isGamma = (value: unknown): value is number =>
  typeof value === "number" && value >= 0.1 && value <= 10;

/** @param count number of channels */
export function isChannels(value: unknown, count: number): value is readonly ChannelState[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxChannels) return false;
  const indices = new Set<number>();
  return value.every((channel: Partial<ChannelState> | null) => {
    const { index = -1, color, range, gamma, isOn, curve } = channel ?? {};
    const isPlace = Number.isSafeInteger(index) && index >= 0 && index < count && !indices.has(index);
    indices.add(index);
    const isLook = /^[0-9a-f]{6}$/i.test(String(color)) && isRange(range) && isGamma(gamma);
    if (curve !== undefined && !isOpacityCurve(curve)) return false;
    return isPlace && isLook && typeof isOn === "boolean";
  });
}

/** The opacity of voxels by their value: shares of the range in ascending order, with their opacities; both 0 to 1. */
export type OpacityCurve = readonly (readonly [share: number, opacity: number])[];

/** Maximum number of points. */
export const maxCurvePoints = 16;

export const isOpacityCurve = (value: unknown): value is OpacityCurve =>
  Array.isArray(value) &&
  value.length >= 2 &&
  value.length <= maxCurvePoints &&
  value.every(
    (point: unknown, i) =>
      Array.isArray(point) &&
      point.length === 2 &&
      point.every((at) => typeof at === "number" && at >= 0 && at <= 1) &&
      (i === 0 || point[0] > value[i - 1][0]),
  );

/** "0/0;0.5/0.1;1/1". */
export const curveText = (curve: OpacityCurve): string =>
  curve.map((point) => point.map((at) => Number(at.toFixed(3))).join("/")).join(";");

export const readCurve = (text: string): unknown =>
  text.split(";").map((point) => point.split("/").map((at) => (at.trim() === "" ? Number.NaN : Number(at))));

/** The default is the square of the share. The ends of a curve extend to both sides. */
export function opacityAt(curve: OpacityCurve | undefined, share: number): number {
  const at = Math.min(Math.max(share, 0), 1);
  if (!curve) return at * at;
  const after = curve.findIndex(([end]) => end > at);
  if (after === 0) return curve[0]![1];
  const [from, low] = curve.at(after < 0 ? -1 : after - 1)!;
  const [to, high] = curve.at(after)!;
  return after < 0 ? low : low + ((high - low) * (at - from)) / (to - from);
}

/**
 * Channels as a string: `0:00ff00:120..4000,1:ff00ff:auto:0.8,-2:0000ff:minmax`. Each has its number
 * (negative if it is off), colour, range (default: "auto"), gamma (default: 1) and opacity curve
 * (`0/0;0.5/0.1;1/1`). `none` is a single slice with a colour map.
 */
export function channelsText(channels: readonly ChannelState[] | null): string {
  if (channels === null) return "none";
  return channels
    .map(({ index, isOn, color, range, gamma, curve }) => {
      const limits = range.mode === "manual" ? `${range.low}..${range.high}` : range.mode;
      return `${isOn ? "" : "-"}${index}:${color}:${limits}${gamma === 1 && !curve ? "" : `:${gamma}`}${curve ? `:${curveText(curve)}` : ""}`;
    })
    .join();
}

/** Undefined if the string is missing; invalid parts are left to `resolveState`. */
export function readChannels(text: string | null): unknown {
  if (text === null) return undefined;
  return text === "none" ? null : text.split(",").map(readChannel);
}

function readChannel(text: string): unknown {
  const match = /^(-?)(\d+):([0-9a-f]{6})(?::([^:]+))?(?::([\d.]+))?(?::([\d./;]+))?$/i.exec(text.trim());
  if (!match) return undefined;
  const [, minus, index, color, limits, gamma, curve] = match;
  return {
    index: Number(index),
    isOn: minus === "",
    color: color!.toLowerCase(),
    range: readLimits(limits ?? "auto"),
    gamma: gamma === undefined ? 1 : Number(gamma),
    ...(curve === undefined ? {} : { curve: readCurve(curve) }),
  };
}

function readLimits(text: string): ValueRange | { mode: string } {
  const match = /^(.+)\.\.(.+)$/.exec(text);
  return match ? { mode: "manual", low: Number(match[1]), high: Number(match[2]) } : { mode: text };
}
