/** Finds the elements of one dimension for labels. */

import { type DimensionSelection, slice } from "../../plan/selection.js";
import type { ZarrError } from "../../util/errors.js";
import { revolution, shiftEast } from "../shared/degrees.js";
import { type Coordinates, firstPosition, type Rising, risingView } from "./coordinates.js";
import {
  checkInstant,
  type Interval,
  interpretLabel,
  type Label,
  type LabelSelection,
  type Meaning,
  noSuchLabel,
  parseRequest,
  textLabel,
  unsorted,
} from "./labels.js";

/** How to match single labels. */
export interface Matching {
  readonly method: "exact" | "nearest" | "pad" | "backfill";
  readonly tolerance: number | undefined;
}

/** Elements of one dimension: one, a range, or a list in any order. */
type FoundElements = number | { readonly start: number; readonly stop: number } | readonly number[];

/**
 * Returns the elements along a dimension that a selection by label refers to.
 * @throws InvalidSelection as described for `sel`.
 */
export function findElements(
  coordinates: Coordinates,
  selection: Exclude<LabelSelection, null>,
  matching: Matching,
): Exclude<DimensionSelection, null> {
  const request = parseRequest(coordinates, selection);
  const finder = finderFor(coordinates);
  if (request.is === "interval") return stepped(finder.between(request), request.step);
  if (request.is === "label") return stepped(finder.single(request.label, matching), 1);
  // Array.from also visits holes, which are not labels.
  return Array.from(request.labels).flatMap((label) => toList(finder.single(label, matching)));
}

function toList(found: FoundElements): readonly number[] {
  if (typeof found === "number") return [found];
  if (!("start" in found)) return found;
  return Array.from({ length: found.stop - found.start }, (_, i) => found.start + i);
}

function stepped(found: FoundElements, step: number): Exclude<DimensionSelection, null> {
  if (typeof found === "number") return found;
  if ("start" in found) return slice(found.start, found.stop, step);
  return found.filter((_, i) => i % step === 0);
}

interface Finder {
  /** @throws InvalidSelection if there is none. */
  single(label: Label, matching: Matching): FoundElements;
  between(interval: Interval): FoundElements;
}

function finderFor(coordinates: Coordinates): Finder {
  if (coordinates.kind === "texts") return textFinder(coordinates);
  const view = risingView(coordinates);
  return view ? sortedFinder(coordinates, view) : unsortedFinder(coordinates);
}

// ---- Strings

function textFinder(coordinates: Coordinates): Finder {
  const { texts } = coordinates;
  const places = new Map<string, number>();
  texts.forEach((text, i) => {
    if (!places.has(text)) places.set(text, i);
  });
  const single = (label: Label) => {
    const place = places.get(textLabel(coordinates, label));
    if (place === undefined) throw noSuchLabel(coordinates.name, label, sampleText(texts));
    return place;
  };
  const between = () => {
    throw unsorted(coordinates.name, "[from, to]");
  };
  return { single, between };
}

/** Formats the first labels for messages. */
function sampleText(texts: readonly string[]): string {
  const shown = texts.slice(0, 8).map((text) => JSON.stringify(text.slice(0, 40)));
  return shown.length === 0 ? "" : `; labels are ${shown.join(", ")}${texts.length > 8 ? ", …" : ""}`;
}

// ---- Sorted numbers

function sortedFinder(coordinates: Coordinates, view: Rising): Finder {
  return {
    single(label, { method, tolerance }) {
      const meaning = interpretLabel(coordinates, label);
      const value = onAxis(coordinates, view, meaning);
      const missing = () => noSuchLabel(coordinates.name, label, rangeText(coordinates, view));
      if (method === "exact") {
        const found = exactly(view, { ...meaning, value });
        if (found === undefined) throw missing();
        return found;
      }
      checkInstant(coordinates, label, meaning);
      const position =
        method === "nearest" ? nearest(coordinates, view, value) : beside(view, value, method === "pad");
      if (position === undefined) throw missing();
      const found = view.at(position);
      if (tolerance !== undefined && axisDistance(coordinates, found, value) > tolerance)
        throw tooFar(coordinates, label, { method, tolerance, found });
      return elementAt(view, position);
    },
    between({ from, to }) {
      const low = from === undefined ? undefined : interpretLabel(coordinates, from);
      const high = to === undefined ? undefined : interpretLabel(coordinates, to);
      if (coordinates.isLongitude && low && high && Number.isFinite(high.value - low.value))
        return arc(coordinates, view, low, high);
      return between(view, ...inOrder(low, high, view.isReversed));
    },
  };
}

/** Converts a position in the rising view to an index of the array. */
const elementAt = (view: Rising, position: number): number =>
  view.isReversed ? view.length - 1 - position : position;

/** Converts a range of the rising view to a range of the array. */
const runAt = (view: Rising, start: number, stop: number): { start: number; stop: number } => {
  const end = Math.max(start, stop);
  return view.isReversed ? { start: view.length - end, stop: view.length - start } : { start, stop: end };
};

function exactly(view: Rising, { value, stop, isExact }: Meaning): FoundElements | undefined {
  const first = firstPosition(view, value);
  const end = firstPosition(view, stop ?? value, stop === undefined);
  if (end <= first) return undefined;
  const isOne = end === first + 1 && isExact && view.at(first) === value;
  return isOne ? elementAt(view, first) : runAt(view, first, end);
}

/**
 * Returns the position of the value nearest to a label; of two, that of the larger value. Longitudes wrap
 * around.
 */
function nearest(coordinates: Coordinates, view: Rising, value: number): number | undefined {
  if (view.length === 0) return undefined;
  const above = firstPosition(view, value);
  const last = view.length - 1;
  const candidates = [Math.min(above, last), Math.max(above - 1, 0)];
  if (coordinates.isLongitude) candidates.push(0, last);
  let best = candidates[0]!;
  let distance = Number.POSITIVE_INFINITY;
  for (const position of candidates) {
    const far = axisDistance(coordinates, view.at(position), value);
    if (far < distance) [best, distance] = [position, far];
  }
  return best;
}

function axisDistance({ isLongitude }: Coordinates, a: number, b: number): number {
  const straight = Math.abs(a - b);
  if (!isLongitude || straight === Number.POSITIVE_INFINITY) return straight;
  return Math.min(straight % revolution, revolution - (straight % revolution));
}

/**
 * Returns the position of the label or, if it is missing, the position before or after its place in the array's
 * order.
 */
function beside(view: Rising, value: number, isBefore: boolean): number | undefined {
  // In falling coordinates, the preceding one is larger.
  const position =
    view.isReversed === isBefore ? firstPosition(view, value) : firstPosition(view, value, true) - 1;
  return position >= 0 && position < view.length ? position : undefined;
}

/**
 * Returns the lower bound first. The ends may be given in either order; if one is a period that contains the other,
 * or if one is open, they follow the direction of the coordinates, as in pandas.
 */
function inOrder(
  from: Meaning | undefined,
  to: Meaning | undefined,
  isReversed = false,
): [Meaning | undefined, Meaning | undefined] {
  const [low, high] = isReversed ? [to, from] : [from, to];
  const isTurned = low && high && (high.stop === undefined ? high.value < low.value : high.stop <= low.value);
  return isTurned ? [high, low] : [low, high];
}

function between(view: Rising, low: Meaning | undefined, high: Meaning | undefined): FoundElements {
  const start = low ? firstPosition(view, low.value) : 0;
  const stop = high ? firstPosition(view, high.stop ?? high.value, high.stop === undefined) : view.length;
  return runAt(view, start, stop);
}

// ---- Longitudes

/** Converts a longitude to the axis' range: one revolution from its westernmost coordinate. */
export function onAxis(
  coordinates: Coordinates,
  view: Rising,
  { value, label }: Pick<Meaning, "value" | "label">,
): number {
  if (!coordinates.isLongitude || view.length === 0 || !Number.isFinite(value)) return value;
  const [west, east] = [view.at(0), view.at(view.length - 1)];
  return value >= west && value <= east ? value : snapped(coordinates, view, shiftEast(west, label ?? value));
}

/** Maximum error of shifting by revolutions, in degrees. */
const shiftError = 2 ** -42;

/**
 * Rounds a shifted longitude to the precision of the coordinates. Returns the nearest coordinate if the
 * difference is within the error of the shift.
 */
function snapped(coordinates: Coordinates, view: Rising, shifted: number): number {
  const value = coordinates.rounded(shifted);
  const above = firstPosition(view, value - shiftError);
  if (above === view.length) return value;
  const found = view.at(above);
  return Math.abs(found - value) <= shiftError ? found : value;
}

/** Returns the degrees from one meridian eastwards to another. */
const eastwardWidth = (from: number, to: number): number => (to >= from ? to : shiftEast(from, to)) - from;

/**
 * Returns the elements from one meridian eastwards to another: two ranges if they cross the ends of the axis.
 */
function arc(coordinates: Coordinates, view: Rising, low: Meaning, high: Meaning): FoundElements {
  if (view.length === 0) return runAt(view, 0, 0);
  const [west, east] = [view.at(0), view.at(view.length - 1)];
  const isInside = (value: number) => value >= west && value <= east;
  if (low.value <= high.value && isInside(low.value) && isInside(high.value))
    return positions(view, low.value, high.value);
  const [from, to] = [low.label ?? low.value, high.label ?? high.value];
  if (to - from >= revolution) return runAt(view, 0, view.length);
  const shifted = shiftEast(west, from);
  const start = snapped(coordinates, view, shifted);
  const end = shifted + eastwardWidth(from, to);
  if (end < west + revolution) return positions(view, start, snapped(coordinates, view, end));
  const stop = snapped(coordinates, view, end - revolution);
  const runs = [positions(view, start, east), positions(view, west, stop)];
  const [first, second] = (view.isReversed ? runs.reverse() : runs).map(toList);
  if (first!.length === 0 || second!.length === 0)
    return runs.find(({ start: s, stop: e }) => e > s) ?? runs[0]!;
  return [...first!, ...second!];
}

function positions(view: Rising, low: number, high: number): { start: number; stop: number } {
  return runAt(view, firstPosition(view, low), firstPosition(view, high, true));
}

/** Formats the range of the coordinates for messages. */
export function rangeText({ kind }: Coordinates, view: Rising): string {
  if (view.length === 0) return "; it is empty";
  const ends = [view.at(0), view.at(view.length - 1)];
  const shown = ends.map((end) => coordinateText(kind, end));
  return `; its coordinates go from ${shown[0]} to ${shown[1]}`;
}

const coordinateText = (kind: Coordinates["kind"], value: number): string =>
  kind === "times" ? timeText(value) : String(value);

/** Returns the error for an element that `method` finds outside the tolerance. */
function tooFar(
  { name, kind }: Coordinates,
  label: unknown,
  { method, tolerance, found }: Matching & { readonly found: number },
): ZarrError {
  const which = { pad: "the one before", backfill: "the one after" }[method as string] ?? "the nearest";
  const limit = `${tolerance}${kind === "times" ? " ms" : ""}`;
  const why = `; ${which} is ${coordinateText(kind, found)}, farther than the tolerance of ${limit}`;
  return noSuchLabel(name, label, why);
}

function timeText(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? `${milliseconds} ms` : date.toISOString(); // out of range for a Date
}

// ---- Numbers in any order

function unsortedFinder(coordinates: Coordinates): Finder {
  const values = Float64Array.from({ length: coordinates.length }, (_, i) => coordinates.at(i));
  const where = (test: (value: number) => boolean) => {
    const found: number[] = [];
    values.forEach((value, i) => {
      if (test(value)) found.push(i);
    });
    return found;
  };
  return {
    single(label, { method, tolerance = Number.POSITIVE_INFINITY }) {
      const meaning = interpretLabel(coordinates, label);
      const { value, stop, isExact } = meaning;
      if (method !== "exact") checkInstant(coordinates, label, meaning);
      if (method === "pad" || method === "backfill") throw unsorted(coordinates.name, JSON.stringify(method));
      if (method === "nearest") {
        const best = nearestIndex(coordinates, values, value);
        if (best === undefined) throw noSuchLabel(coordinates.name, label);
        const found = values[best]!;
        if (axisDistance(coordinates, found, value) <= tolerance) return best;
        throw tooFar(coordinates, label, { method, tolerance, found });
      }
      const isSame = (one: number) => one === value || isSameMeridian(coordinates, one, meaning);
      const all = where((one) => (stop === undefined ? isSame(one) : one >= value && one < stop));
      if (all.length === 0) throw noSuchLabel(coordinates.name, label);
      return all.length === 1 && isExact && (stop === undefined || values[all[0]!] === value) ? all[0]! : all;
    },
    between({ from, to }) {
      const ends = [from, to].map((end) =>
        end === undefined ? undefined : interpretLabel(coordinates, end),
      );
      if (ends.includes(undefined)) throw unsorted(coordinates.name, "an open end");
      const width = eastwardWidth(ends[0]!.value, ends[1]!.value);
      if (coordinates.isLongitude && Number.isFinite(width)) {
        const isEnd = (one: number) => ends.some((end) => isSameMeridian(coordinates, one, end!));
        return where((one) => isEnd(one) || shiftEast(ends[0]!.value, one) - ends[0]!.value <= width);
      }
      const [low, high] = inOrder(ends[0], ends[1]);
      return where(
        (one) => one >= low!.value && (high!.stop === undefined ? one <= high!.value : one < high!.stop),
      );
    },
  };
}

/** Whether a coordinate is the longitude of a label, at the precision of the coordinates. */
function isSameMeridian(coordinates: Coordinates, one: number, { value, label = value }: Meaning): boolean {
  if (!coordinates.isLongitude || !Number.isFinite(one)) return false;
  const turns = Math.round((one - label) / revolution);
  return Math.abs(coordinates.rounded(label + turns * revolution) - one) <= shiftError;
}

function nearestIndex(coordinates: Coordinates, values: Float64Array, label: number): number | undefined {
  let best: number | undefined;
  let distance = Number.POSITIVE_INFINITY;
  values.forEach((value, i) => {
    const far = axisDistance(coordinates, value, label);
    const isLarger = best !== undefined && far === distance && value > values[best]!;
    if (far < distance || isLarger) [best, distance] = [i, far];
  });
  return best;
}
