/** The planes that the wells of a plate show: channel, field of view, and the indices along other axes. */
import type { Dataset } from "../source/dataset.js";
import { channelLabel, defaultChannels, findChannelAxis } from "./channels.js";
import { arrayFacts, resolveState, type WantedState } from "./state.js";

export interface PlateView {
  /** Number of the channel shown alone; null for all. */
  readonly channel: number | null;
  readonly field: number;
  /** Indices by axis; others have the default. */
  readonly index: ReadonlyMap<number, number>;
}

/** The default view. */
const usualPlateView: PlateView = { channel: null, field: 0, index: new Map() };

/** Maximum number of parts. */
const maxParts = 32;

const partPattern = /^\s*(channel|field|\d{1,2}):(\d{1,9})\s*$/;

/** Reads `channel:1,field:0,2:5`: numbers from 0, of axes by their number. Ignores other parts. */
export function readPlateView(text: string): PlateView {
  const view = { ...usualPlateView, index: new Map<number, number>() };
  for (const part of text.split(",").slice(0, maxParts)) {
    const [, name, value] = partPattern.exec(part) ?? [];
    if (name === undefined) continue;
    if (name === "channel" || name === "field") view[name] = Number(value);
    else view.index.set(Number(name), Number(value));
  }
  return view;
}

/** Whether every part of a string has a meaning. */
export const isPlateView = (text: string): boolean =>
  text === "" || text.split(",").every((part, i) => i < maxParts && partPattern.test(part));

/** Whether a plate has the channel, the field and the indices of a view. */
export function isOnPlate(
  { channel, field, index }: PlateView,
  { channels, fields, axes }: PlateChoices,
): boolean {
  const hasIndex = ([axis, at]: readonly [number, number]) =>
    axes.some((one) => one.axis === axis && at < one.length);
  return (channel ?? 0) < Math.max(1, channels.length) && field < fields && [...index].every(hasIndex);
}

/** The parts that a plate accepts. */
export function acceptedParts({ channels, fields, axes }: PlateChoices): string {
  const upTo = (name: string | number, count: number) =>
    count > 1 ? [`${name}:0 to ${name}:${count - 1}`] : [];
  const parts = [
    ...upTo("channel", channels.length),
    ...upTo("field", fields),
    ...axes.flatMap(({ axis, length }) => upTo(axis, length)),
  ];
  return parts.join(", ") || "none: there is one plane";
}

/** The inverse; "" for the default. */
export function plateViewText({ channel, field, index }: PlateView): string {
  const parts = [...index].map(([axis, at]) => `${axis}:${at}`);
  return [
    ...(channel === null ? [] : [`channel:${channel}`]),
    ...(field === 0 ? [] : [`field:${field}`]),
    ...parts,
  ].join();
}

/** The choices that a plate offers, found with its first well. */
export interface PlateChoices {
  readonly channels: readonly string[];
  readonly fields: number;
  /** Axes other than the shown ones and the channels. */
  readonly axes: readonly {
    readonly axis: number;
    readonly name: string;
    readonly length: number;
    readonly at: number;
  }[];
}

/** The state of a well. */
export function wellSettings(dataset: Dataset, { channel, index }: PlateView): WantedState {
  const list = dataset.axes.map((_, axis) => index.get(axis));
  const channelAxis = findChannelAxis(dataset);
  if (channel === null || channelAxis === undefined) return { index: list };
  const channels = defaultChannels(dataset)?.map((one) => ({ ...one, isOn: one.index === channel }));
  // Channels beyond the maximum of a composite are shown alone.
  if (channels?.some(({ isOn }) => isOn)) return { index: list, channels };
  return { index: list.map((at, axis) => (axis === channelAxis ? channel : at)), channels: null };
}

export function plateChoices(dataset: Dataset, fields: number | undefined): PlateChoices {
  const channelAxis = findChannelAxis(dataset);
  const { axes: shown, index } = resolveState(arrayFacts(dataset), {});
  const count = channelAxis === undefined ? 0 : dataset.axes[channelAxis]!.length;
  return {
    channels: Array.from({ length: count }, (_, i) => channelLabel(dataset, i)),
    fields: fields ?? 1,
    axes: dataset.axes.flatMap(({ name, length }, axis) =>
      length < 2 || shown.includes(axis) || axis === channelAxis
        ? []
        : [{ axis, name: name ?? `axis ${axis}`, length, at: index[axis]! }],
    ),
  };
}
