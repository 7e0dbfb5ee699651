/** Rulers along a picture: the axis name, and ticks at round indices. */
import { h } from "../base/dom.js";
import { shortened } from "../base/text.js";
import type { DatasetAxis } from "../source/dataset.js";
import { coordinateText, numberText, unitText } from "./coordinates.js";

/** Round indices in [start, stop), at most about `most` of them, evenly spaced. */
export function ticksBetween(start: number, stop: number, most: number): number[] {
  const rough = Math.max(1, (stop - start) / Math.max(1, most));
  const power = 10 ** Math.floor(Math.log10(rough));
  const distance = Math.max(1, [1, 2, 5, 10].map((k) => k * power).find((d) => d >= rough)!);
  const ticks: number[] = [];
  for (let at = Math.ceil(start / distance) * distance; at < stop; at += distance) ticks.push(at);
  return ticks;
}

/** Maximum length of a displayed axis name. */
const maxAxisName = 40;

/** "axis 1 (time)", or the name if there is one. */
export function axisName(names: readonly (string | null)[] | undefined, axis: number): string {
  const name = names?.[axis];
  return name ? `${shortened(name, maxAxisName)} (axis ${axis})` : `axis ${axis}`;
}

/** Describes the visible interval of an axis. */
export function axisText(
  name: string,
  { start, stop }: { start: number; stop: number },
  length: number,
): string {
  const part = start > 0 || stop < length ? `${start}–${stop - 1} of ${length}` : `${length}`;
  return `${name}: ${part}`;
}

/** Minimum distance of two ticks, in CSS pixels. */
const tickDistance = { across: 72, down: 36 };

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
  const ticks = ticksAlong(axis, first, last, most)
    .filter(({ at }) => share(at) >= 0 && share(at) <= 100)
    .map(({ at, text }) => {
      const tick = h("span", { class: "zw-tick" }, text);
      // A tick is centred on its element.
      if (direction === "across") tick.style.left = `${share(at)}%`;
      else tick.style.top = `${share(at)}%`;
      return tick;
    });
  ruler.replaceChildren(
    h("span", { class: "zw-axis-title" }, title),
    h("div", { class: "zw-ticks" }, ...ticks),
  );
}

/** Width of a vertical ruler in CSS pixels: title and longest label. */
export function rulerWidth(length: number, axis: DatasetAxis): number {
  const words = ticksAlong(axis, 0, length, maxTicksMeasured).flatMap(({ text }) => text.split(" "));
  const letters = Math.max(0, ...words.map((word) => word.length));
  return Math.min(Math.max(52, 32 + 7 * String(length).length, 20 + 8 * letters), widestRuler);
}

/** Number of ticks measured over the whole axis, so that the width stays the same while zooming. */
const maxTicksMeasured = 8;
const widestRuler = 130;

/** Round coordinates if they are evenly spaced; otherwise coordinates of round indices, or the indices. */
function ticksAlong(
  axis: DatasetAxis | undefined,
  first: number,
  last: number,
  most: number,
): { at: number; text: string }[] {
  const { scale, translation, coordinates } = axis ?? {};
  const isRegular = coordinates?.kind === "numbers" && scale !== undefined && translation !== undefined;
  if (!axis || !coordinates) return ticksBetween(first, last, most).map((at) => ({ at, text: String(at) }));
  if (!isRegular)
    return ticksBetween(first, last, coordinates.kind === "numbers" ? most : most / 1.6).map((at) => ({
      at,
      text: coordinateText({ ...axis, unit: undefined }, at) ?? String(at),
    }));
  const ends = [translation + first * scale, translation + (last - 1) * scale];
  return roundValues(Math.min(...ends), Math.max(...ends), most).map((value) => ({
    at: (value - translation) / scale,
    text: numberText(axis, value, false),
  }));
}

/** "x (axis 4), µm". */
export function rulerTitle(name: string, { unit, role, coordinates }: DatasetAxis): string {
  const isNamed = role === "latitude" || role === "longitude" || coordinates?.kind !== "numbers";
  return unit === undefined || isNamed ? name : `${name}, ${unitText(unit)}`;
}

/** Fills the left ruler of a line plot with round values between the plot's limits. */
export function fillValueRuler(
  ruler: HTMLElement,
  low: number,
  high: number,
  height: number,
  format: (value: number) => string,
): void {
  const ticks = roundValues(low, high, height / 44).map((value) => {
    const tick = h("span", { class: "zw-tick" }, format(value));
    tick.style.top = `${(1 - (value - low) / (high - low)) * 100}%`;
    return tick;
  });
  ruler.replaceChildren(h("div", { class: "zw-ticks" }, ...ticks));
}

/** Round numbers from `low` to `high`, at most about `most` of them. */
export function roundValues(low: number, high: number, most: number): number[] {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const distance = [1, 2, 5, 10].map((k) => k * power).find((d) => d >= rough * (1 - 1e-9));
  if (!distance || !Number.isFinite(distance)) return [];
  const first = Math.ceil(low / distance);
  const count = Math.max(0, Math.floor(high / distance) - first + 1);
  // Rounded to 12 digits, to avoid labels like 0.30000000000000004.
  return Array.from({ length: count }, (_, i) => Number(((first + i) * distance).toPrecision(12)));
}
