/** Channels shown together: which axis counts them, and what each looks like before anybody has chosen. */
import { keptFor } from "../base/memo.js";
import { shortName } from "../base/text.js";
import type { Dataset } from "../source/dataset.js";

/** Where the colours begin and end. */
export type ValueRange =
  /** "auto": all that has been read, or without outliers; "percentile": the 1st to the 99th. */
  | { readonly mode: "auto" | "minmax" | "percentile" }
  | { readonly mode: "manual"; readonly low: number; readonly high: number };

/** One channel of a composite. */
export interface ChannelState {
  readonly index: number;
  readonly isOn: boolean;
  /** "rrggbb". */
  readonly color: string;
  readonly range: ValueRange;
  /** Exponent on the way from the range to the colour: 1 for none. */
  readonly gamma: number;
}

/** More layers than this nobody tells apart, and drawing takes longer than a frame. */
export const mostChannels = 8;

/** Names of an axis that can only count the parts of a colour, or channels that were measured apart. */
const channelName = /^(c|ch|channels?|rgba?|colou?rs?|bands?|samples?)$/i;

type Facts = Pick<Dataset, "axes" | "dtype" | "channelAxis" | "channels" | "isLabels">;

/** The axis that counts channels; undefined where there is none, or nothing to put together. */
export function channelAxisOf(dataset: Facts): number | undefined {
  const { axes, channelAxis } = dataset;
  if (channelAxis !== undefined) return axes[channelAxis]!.length > 0 ? channelAxis : undefined;
  return colourAxisOf(dataset);
}

/** Whether an array is a picture: bytes of red, green, blue, and perhaps how opaque they are. */
export function isPicture(dataset: Facts): boolean {
  const axis = colourAxisOf(dataset);
  return axis !== undefined && (dataset.channelAxis === undefined || dataset.channelAxis === axis);
}

/** A last or first axis of three or four bytes, or one that is named so. */
function colourAxisOf({ axes, dtype, channels, isLabels }: Facts): number | undefined {
  if (dtype.core !== "uint8" || channels || isLabels || axes.length < 3) return undefined;
  const isShort = ({ length }: { length: number }) => length === 3 || length === 4;
  const named = axes.findIndex((axis) => isShort(axis) && channelName.test(axis.name ?? ""));
  if (named >= 0) return named;
  const isFree = (axis: Facts["axes"][number]) =>
    isShort(axis) && axis.name === undefined && axis.role === undefined;
  const ends = [axes.length - 1, 0].filter((axis) => isFree(axes[axis]!));
  // A handful of rows or columns beside another handful is a table, and no picture.
  return ends.find((end) => axes.every(({ length }, axis) => axis === end || length > 4));
}

const primaries = ["ff0000", "00ff00", "0000ff"];

/** Colours for channels that have none of their own: told apart also by those who do not see red or green. */
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
  const axis = channelAxisOf(dataset);
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
  // Active channels come first if there are more than can be shown.
  const active = firstChannels(count, isActive);
  const others = firstChannels(Math.min(count, channels?.length ?? 0), (index) => !isActive(index));
  const chosen = [...active, ...others].slice(0, mostChannels);
  const isAnyOn = active.length > 0;
  return chosen
    .sort((a, b) => a - b)
    .map((index, i) => ({
      index,
      isOn: !isAnyOn || isActive(index),
      color: colorOf(channels?.[index]?.color) ?? (pairs[chosen.length] ?? palette)[i % palette.length]!,
      range: rangeOf(channels?.[index]?.window),
      gamma: 1,
    }));
}

/** The first channels that fit, up to `mostChannels`. */
function firstChannels(count: number, fits: (index: number) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < count && found.length < mostChannels; i++) if (fits(i)) found.push(i);
  return found;
}

/** A colour in lower case; black would not be seen. */
function colorOf(text: string | undefined): string | undefined {
  const color = text?.toLowerCase();
  return color && /^[0-9a-f]{6}$/.test(color) && color !== "000000" ? color : undefined;
}

function rangeOf(window: readonly [number, number] | undefined): ValueRange {
  const [low, high] = window ?? [0, 0];
  return Number.isFinite(low) && Number.isFinite(high) && high > low
    ? { mode: "manual", low, high }
    : { mode: "auto" };
}

/** What a channel is called. */
export function channelLabel(dataset: Facts, index: number): string {
  const { channels } = dataset;
  const primary = isPicture(dataset) ? ["Red", "Green", "Blue", "Opacity"][index] : undefined;
  return shortName(channels?.[index]?.label || (primary ?? `Channel ${index}`));
}

export function isRange(value: unknown): value is ValueRange {
  const range = value as Partial<{ mode: string; low: number; high: number }> | undefined;
  if (["auto", "minmax", "percentile"].includes(range?.mode ?? "")) return true;
  return range?.mode === "manual" && Number.isFinite(range.low) && Number.isFinite(range.high);
}

export const isGamma = (value: unknown): value is number =>
  typeof value === "number" && value >= 0.1 && value <= 10;

/** @param count channels that there are */
export function isChannels(value: unknown, count: number): value is readonly ChannelState[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostChannels) return false;
  const indices = new Set<number>();
  return value.every((channel: Partial<ChannelState> | null) => {
    const { index = -1, color, range, gamma, isOn } = channel ?? {};
    const isPlace = Number.isSafeInteger(index) && index >= 0 && index < count && !indices.has(index);
    indices.add(index);
    const isLook = /^[0-9a-f]{6}$/i.test(String(color)) && isRange(range) && isGamma(gamma);
    return isPlace && isLook && typeof isOn === "boolean";
  });
}
