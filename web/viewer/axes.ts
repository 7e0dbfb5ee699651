/** Rulers along a picture: the axis' name, and ticks at round indices. */
import { h } from "./dom.js";
import type { AxisPlan } from "./plan.js";

/** Round indices in [start, stop), at most about `most` of them, evenly spaced. */
export function ticksBetween(start: number, stop: number, most: number): number[] {
  const rough = Math.max(1, (stop - start) / Math.max(1, most));
  const power = 10 ** Math.floor(Math.log10(rough));
  const distance = Math.max(1, [1, 2, 5, 10].map((k) => k * power).find((d) => d >= rough)!);
  const ticks: number[] = [];
  for (let at = Math.ceil(start / distance) * distance; at < stop; at += distance) ticks.push(at);
  return ticks;
}

/** "axis 1 (time)", or the name where there is one. */
export function axisName(names: readonly (string | null)[] | undefined, axis: number): string {
  const name = names?.[axis];
  return name ? `${name} (axis ${axis})` : `axis ${axis}`;
}

/** What is shown of an axis, in words. */
export function axisText(name: string, { start, stop, step }: AxisPlan, length: number): string {
  const part = start > 0 || stop < length ? `${start}–${stop - 1} of ${length}` : `${length}`;
  return `${name}: ${part}${step > 1 ? `, every ${ordinal(step)}` : ""}`;
}

export function ordinal(n: number): string {
  const ending = { one: "st", two: "nd", few: "rd", other: "th", zero: "th", many: "th" };
  return `${n}${ending[new Intl.PluralRules("en", { type: "ordinal" }).select(n)]}`;
}

/** Least distance of two ticks, in CSS pixels. */
const tickDistance = { across: 72, down: 36 };

/** Fills a ruler's element for a picture of `size` CSS pixels along the axis. */
export function fillRuler(
  ruler: HTMLElement,
  direction: "across" | "down",
  title: string,
  { start, stop }: AxisPlan,
  size: number,
): void {
  const extent = stop - start;
  const ticks = ticksBetween(start, stop, size / tickDistance[direction]).map((at) => {
    const tick = h("span", { class: "zw-tick" }, String(at));
    // A tick stands at the middle of its element.
    const share = `${((at - start + 0.5) / extent) * 100}%`;
    if (direction === "across") tick.style.left = share;
    else tick.style.top = share;
    return tick;
  });
  ruler.replaceChildren(
    h("span", { class: "zw-axis-title" }, title),
    h("div", { class: "zw-ticks" }, ...ticks),
  );
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

/** Round numbers from `low` to `high`, at most about `most`. */
export function roundValues(low: number, high: number, most: number): number[] {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const distance = [1, 2, 5, 10].map((k) => k * power).find((d) => d >= rough * (1 - 1e-9));
  if (!distance || !Number.isFinite(distance)) return [];
  const first = Math.ceil(low / distance);
  const count = Math.max(0, Math.floor(high / distance) - first + 1);
  // Through decimal text, for 0.30000000000000004 is nobody's tick.
  return Array.from({ length: count }, (_, i) => Number(((first + i) * distance).toPrecision(12)));
}
