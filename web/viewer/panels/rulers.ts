/** Rulers along a picture: the axis name, and ticks at round indices. */
import { degreeStep, multiplesBetween } from "../base/degrees.js";
import { h } from "../base/dom.js";
import { formatBriefly } from "../base/format.js";
import { shortened } from "../base/text.js";
import { text } from "../language/text.js";
import type { DatasetAxis } from "../source/dataset.js";
import { coordinateText, numberText, prefixed, unitText } from "./coordinates.js";

/** The smallest round distance that divides a length into at most about `most` parts; undefined without a length. */
function roundDistance(length: number, most: number): number | undefined {
  const rough = length / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((k) => k * power).find((distance) => distance >= rough * (1 - 1e-9));
}

/** Round indices in [start, stop), at most about `most` of them, evenly spaced. */
export function ticksBetween(start: number, stop: number, most: number): number[] {
  const distance = Math.max(1, roundDistance(stop - start, most) ?? 1);
  const ticks: number[] = [];
  for (let at = Math.ceil(start / distance) * distance; at < stop; at += distance) ticks.push(at);
  return ticks;
}

/** Maximum length of a displayed axis name. */
const maxAxisName = 40;

/** The name of an axis, with its number if others have the same name; "axis 1" without a name. */
export function axisName(axes: readonly Pick<DatasetAxis, "name">[], axis: number): string {
  const name = axes[axis]?.name;
  if (!name) return text.format.axis(axis);
  const isUnique = axes.filter((other) => other.name === name).length === 1;
  return isUnique ? shortened(name, maxAxisName) : text.format.axisNamed(shortened(name, maxAxisName), axis);
}

/** Minimum distance of two ticks, in CSS pixels. */
const tickDistance = { across: 72, down: 36 };

/** Contents of rulers: most frames repeat them, and replaced elements are laid out again. */
const filled = new WeakMap<HTMLElement, string>();

/** Fills a ruler of `size` CSS pixels for the visible elements `from` to `to`, which may be fractional. */
export function fillRuler(
  ruler: HTMLElement,
  direction: "across" | "down",
  title: string,
  { from, to, length }: { readonly from: number; readonly to: number; readonly length: number },
  size: number,
  axis?: DatasetAxis,
): void {
  const [first, last] = [
    Math.max(0, Math.floor(Math.min(from, to))),
    Math.min(length, Math.ceil(Math.max(from, to))),
  ];
  const share = (at: number) => ((at + 0.5 - from) / (to - from)) * 100;
  const most = ((last - first) / Math.abs(to - from)) * (size / tickDistance[direction]);
  const perElement = size / Math.abs(to - from);
  const ticks = ticksAlong(axis, first, last, { most, perElement, direction, length })
    .filter(({ at }) => share(at) >= 0 && share(at) <= 100)
    // A tick is centred on its element.
    .map(({ at, text }) => ({ text, place: `${share(at)}%` }));
  const contents = JSON.stringify([title, ticks]);
  if (filled.get(ruler) === contents) return;
  filled.set(ruler, contents);
  const words = brief(ticks, direction === "down" ? axis : undefined);
  const bars = ruler.querySelectorAll(":scope > .zw-scale-bar");
  ruler.replaceChildren(
    h("span", { class: "zw-axis-title" }, title),
    h(
      "div",
      { class: "zw-ticks" },
      ...ticks.map(({ place }, i) => {
        const tick = h("span", { class: "zw-tick" }, words[i]);
        tick.style[direction === "across" ? "left" : "top"] = place;
        return tick;
      }),
    ),
    ...bars,
  );
}

/** Labels that leave the picture its room: shorter dates. */
function brief(ticks: readonly { readonly text: string }[], axis?: DatasetAxis): readonly string[] {
  const texts = ticks.map(({ text }) => text);
  return axis?.coordinates?.brief?.(texts) ?? texts;
}

/** Width of a vertical ruler in CSS pixels: title and longest label. */
export function rulerWidth(length: number, axis: DatasetAxis): number {
  const options = { most: maxTicksMeasured, perElement: 0, direction: "down", length } as const;
  const words = brief(ticksAlong(axis, 0, length, options), axis).flatMap((text) => text.split(" "));
  const letters = Math.max(0, ...words.map((word) => word.length));
  return Math.min(Math.max(52, 32 + 7 * String(length).length, 20 + 8 * letters), widestRuler);
}

/** Number of ticks measured over the whole axis, so that the width stays the same while zooming. */
const maxTicksMeasured = 8;
const widestRuler = 130;

interface TickOptions {
  /** Maximum number of ticks, approximately. */
  readonly most: number;
  /** CSS pixels per element; 0 if unknown. */
  readonly perElement: number;
  readonly direction: "across" | "down";
  /** Number of elements of the whole axis. */
  readonly length: number;
}

/** Round coordinates if they are evenly spaced; otherwise coordinates of round indices, or the indices. */
function ticksAlong(
  axis: DatasetAxis | undefined,
  first: number,
  last: number,
  { most, perElement, direction, length }: TickOptions,
): { at: number; text: string }[] {
  const { scale, translation, coordinates } = axis ?? {};
  const isRegular = coordinates?.kind === "numbers" && scale !== undefined && translation !== undefined;
  if (!axis || !coordinates)
    return ticksBetween(first, last, most).map((at) => ({ at, text: formatBriefly(at) }));
  const dates = coordinates.ticks?.(first, last, most / 1.2);
  if (dates) return dates;
  if (!isRegular)
    return ticksBetween(first, last, coordinates.kind === "numbers" ? most : most / 1.6).map((at) => ({
      at,
      text: coordinateText({ ...axis, unit: undefined }, at) ?? formatBriefly(at),
    }));
  const ends = [translation + first * scale, translation + (last - 1) * scale];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const isDegrees = axis.role === "latitude" || axis.role === "longitude";
  const { unit, factor } = tickUnit(axis, length);
  const values =
    isDegrees && perElement > 0
      ? multiplesBetween(degreeStep(perElement / Math.abs(scale), direction), low, high)
      : roundValues(low * factor, high * factor, most).map((value) => value / factor);
  const resolution = values.length > 1 ? Math.abs(values[1]! - values[0]!) * factor : 0;
  return values.map((value) => ({
    at: (value - translation) / scale,
    text: numberText({ role: axis.role, unit }, Number((value * factor).toPrecision(12)), {
      resolution,
      hasUnit: false,
    }),
  }));
}

/** The unit of ticks along a whole axis, with a prefix that keeps its numbers short. */
function tickUnit(
  { unit, scale, translation }: DatasetAxis,
  length: number,
): { unit: string | undefined; factor: number } {
  if (unit === undefined || scale === undefined) return { unit, factor: 1 };
  const [first, last] = [translation ?? 0, (translation ?? 0) + (length - 1) * scale];
  return prefixed(unit, Math.max(Math.abs(first), Math.abs(last)));
}

/** "x, µm". */
export function rulerTitle(name: string, axis: DatasetAxis): string {
  const { role, coordinates, length, translation } = axis;
  const isNamed = role === "latitude" || role === "longitude" || coordinates?.kind !== "numbers";
  const { unit } = translation === undefined ? axis : tickUnit(axis, length);
  return unit === undefined || isNamed ? name : `${name}, ${unitText(unit)}`;
}

/** Round numbers from `low` to `high`, at most about `most` of them. */
export function roundValues(low: number, high: number, most: number): number[] {
  const distance = roundDistance(high - low, most);
  if (!distance || !Number.isFinite(distance)) return [];
  const first = Math.ceil(low / distance);
  const count = Math.max(0, Math.floor(high / distance) - first + 1);
  // Rounded to 12 digits, to avoid labels like 0.30000000000000004.
  return Array.from({ length: count }, (_, i) => Number(((first + i) * distance).toPrecision(12)));
}
