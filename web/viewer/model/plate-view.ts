/** The fields and planes that the wells of a plate show, and where fields are in a well. */

import { text } from "../language/text.js";
import type { Dataset } from "../source/dataset.js";
import { defaultChannels, findChannelAxis } from "./channels.js";
import { arrayFacts, resolveState, type WantedState } from "./state.js";

export interface PlateView {
  /** Number of the field of view shown alone; null for all. */
  readonly field: number | null;
  /** Number of the acquisition; undefined for the first of each well. */
  readonly acquisition: number | undefined;
  /** Width of a well in CSS pixels; undefined for the width that fits. */
  readonly size: number | undefined;
  /** Number of the channel that is shown alone at first; null for all. */
  readonly channel: number | null;
  /** Indices at first, by axis; others have the default. */
  readonly index: ReadonlyMap<number, number>;
}

/** Smallest and largest width of a well. */
export const wellSizes = { min: 20, max: 480 };

/** Maximum number of parts. */
const maxParts = 32;

const partPattern = /^\s*(channel|field|acquisition|size|\d{1,2}):(\d{1,9})\s*$/;

/** Reads `channel:1,field:0,acquisition:2,size:64,2:5`: numbers from 0, of axes by their number. Ignores other parts. */
export function readPlateView(text: string): PlateView {
  const found = new Map(
    text
      .split(",")
      .slice(0, maxParts)
      .flatMap((part) => {
        const [, name, value] = partPattern.exec(part) ?? [];
        return name === undefined ? [] : [[name, Number(value)] as const];
      }),
  );
  const size = found.get("size");
  return {
    field: found.get("field") ?? null,
    acquisition: found.get("acquisition"),
    size: size === undefined ? undefined : Math.min(Math.max(size, wellSizes.min), wellSizes.max),
    channel: found.get("channel") ?? null,
    index: new Map([...found].flatMap(([name, at]) => (/^\d/.test(name) ? [[Number(name), at]] : []))),
  };
}

/** Whether every part of a string has a meaning. */
export const isPlateView = (text: string): boolean =>
  text === "" || text.split(",").every((part, i) => i < maxParts && partPattern.test(part));

/** The string of fields, acquisition and size; the state of the wells has channels and indices. "" for the default. */
export function plateViewText({ field, acquisition, size }: PlateView): string {
  const parts = Object.entries({ field, acquisition, size });
  return parts.flatMap(([name, value]) => (typeof value === "number" ? [`${name}:${value}`] : [])).join();
}

/** The choices that a plate offers, found with its first well. */
export interface PlateChoices {
  readonly channels: number;
  readonly fields: number;
  /** Axes other than the shown ones and the channels. */
  readonly axes: readonly { readonly axis: number; readonly length: number }[];
}

/** Whether a plate has the channel, the field and the indices of a view. */
export function isOnPlate(
  { channel, field, index }: PlateView,
  { channels, fields, axes }: PlateChoices,
): boolean {
  const hasIndex = ([axis, at]: readonly [number, number]) =>
    axes.some((one) => one.axis === axis && at < one.length);
  return (channel ?? 0) < Math.max(1, channels) && (field ?? 0) < fields && [...index].every(hasIndex);
}

/** The parts that a plate accepts. */
export function acceptedParts({ channels, fields, axes }: PlateChoices): string {
  const upTo = (name: string | number, count: number) =>
    count > 1 ? [text.plate.upTo(name, count - 1)] : [];
  const parts = [
    ...upTo("channel", channels),
    ...upTo("field", fields),
    ...axes.flatMap(({ axis, length }) => upTo(axis, length)),
  ];
  return parts.join(", ") || text.plate.onePlane;
}

/** The settings of the wells that a view asks for. */
export function wellSettings(dataset: Dataset, { channel, index }: PlateView): WantedState {
  const list = dataset.axes.map((_, axis) => index.get(axis));
  const channelAxis = findChannelAxis(dataset);
  if (channel === null || channelAxis === undefined) return index.size > 0 ? { index: list } : {};
  const channels = defaultChannels(dataset)?.map((one) => ({ ...one, isOn: one.index === channel }));
  // Channels beyond the maximum of a composite are shown alone.
  if (channels?.some(({ isOn }) => isOn)) return { index: list, channels };
  return { index: list.map((at, axis) => (axis === channelAxis ? channel : at)), channels: null };
}

export function plateChoices(dataset: Dataset, fields: number): PlateChoices {
  const channelAxis = findChannelAxis(dataset);
  const { axes: shown } = resolveState(arrayFacts(dataset), {});
  return {
    channels: channelAxis === undefined ? 0 : dataset.axes[channelAxis]!.length,
    fields,
    axes: dataset.axes.flatMap(({ length }, axis) =>
      length < 2 || shown.includes(axis) || axis === channelAxis ? [] : [{ axis, length }],
    ),
  };
}

/** A rectangle, in units of the stage or in parts of a well. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** Places of fields count if they cover at least this part of their bounds; else fields are laid out as a grid. */
const leastCover = 1 / 24;

/**
 * Lays out the fields of a well in a square of side 1: at their places on the stage if all have different ones, else
 * row by row.
 * @param boxes undefined for fields that cannot be read
 * @returns undefined for fields without a known place
 */
export function fieldPlaces(boxes: readonly (Box | undefined)[]): readonly (Box | undefined)[] {
  const known = boxes.filter((box) => box !== undefined);
  const placed = known.length > 1 && areApart(known) ? boxes : gridOf(known[0], boxes.length);
  const bounds = boundsOf(placed.filter((box) => box !== undefined));
  const scale = 1 / Math.max(bounds.height, bounds.width);
  const start = (size: number) => (1 - size * scale) / 2;
  return placed.map(
    (box) =>
      box && {
        top: start(bounds.height) + (box.top - bounds.top) * scale,
        left: start(bounds.width) + (box.left - bounds.left) * scale,
        height: box.height * scale,
        width: box.width * scale,
      },
  );
}

function gridOf(first: Box | undefined, count: number): Box[] {
  const { height, width } = first ?? { height: 1, width: 1 };
  const columns = Math.ceil(Math.sqrt(count));
  return Array.from({ length: count }, (_, i) => ({
    top: Math.floor(i / columns) * height,
    left: (i % columns) * width,
    height,
    width,
  }));
}

/** Whether fields are at different places that are not too far apart to be seen. */
function areApart(boxes: readonly Box[]): boolean {
  const { height, width } = boundsOf(boxes);
  const area = boxes.reduce((sum, box) => sum + box.height * box.width, 0);
  const places = new Set(boxes.map(({ top, left }) => `${top} ${left}`));
  return places.size === boxes.length && area / (height * width) >= leastCover;
}

function boundsOf(boxes: readonly Box[]): Box {
  const [top, left] = [Math.min(...boxes.map((box) => box.top)), Math.min(...boxes.map((box) => box.left))];
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  return { top, left, height: bottom - top, width: right - left };
}
