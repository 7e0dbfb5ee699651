/** Converts labels to coordinate values. */

import type { Coordinates } from "./coordinates.js";
import { type Label, type LabelSelection, notALabel } from "./types.js";

/** The meaning of a label on an axis of numbers or times. */
export interface Meaning {
  /** The number itself, or the start of a period. */
  readonly value: number;
  /** The number before it was rounded to the precision of the coordinates. */
  readonly label?: number;
  /** End of a period, exclusive. */
  readonly stop?: number;
  /** False for a period that cannot label a single element: a year, a month. */
  readonly isExact: boolean;
}

const wanted = {
  numbers: "its labels are numbers",
  times: "its labels are times: texts such as 2020-01-15T06:30, Dates, or milliseconds since 1970",
  texts: "its labels are texts",
} as const;

/** @throws InvalidSelection (not-a-label) for a value that cannot be a coordinate. */
export function meaningOf({ name, kind, rounded }: Coordinates, label: unknown): Meaning {
  const bad = () => notALabel(name, label, wanted[kind]);
  if (typeof label === "number" || typeof label === "bigint") {
    const value = Number(label);
    if (Number.isNaN(value)) throw notALabel(name, label, `${wanted[kind]}, and NaN is equal to none`);
    return { value: rounded(value), label: value, isExact: true };
  }
  if (kind !== "times") throw bad();
  if (label instanceof Date) {
    const value = label.getTime();
    if (Number.isNaN(value)) throw bad();
    return { value, isExact: true };
  }
  const period = typeof label === "string" ? parsePeriod(label) : undefined;
  if (!period) throw bad();
  return { value: period.start, stop: period.stop, isExact: period.isExact };
}

/** @throws InvalidSelection (not-a-label) unless it is a string. */
export function textLabel({ name }: Coordinates, label: unknown): string {
  if (typeof label !== "string") throw notALabel(name, label, wanted.texts);
  return label;
}

/** An interval of labels, both inclusive; undefined is an open end. */
export interface Interval {
  readonly from: Label | undefined;
  readonly to: Label | undefined;
  readonly step: number;
}

/** A parsed selection of one dimension. */
export type Request =
  | { readonly is: "label"; readonly label: Label }
  | { readonly is: "each"; readonly labels: readonly Label[] }
  | ({ readonly is: "interval" } & Interval);

/** @throws InvalidSelection (not-a-label) for an invalid selection by label. */
export function requestOf(coordinates: Coordinates, selection: Exclude<LabelSelection, null>): Request {
  const { name, kind } = coordinates;
  if (Array.isArray(selection)) {
    if (kind === "texts") return { is: "each", labels: selection };
    if (selection.length === 2) return { is: "interval", from: selection[0], to: selection[1], step: 1 };
    throw notALabel(name, selection, "a list is [from, to]; for single elements pass { each: [...] }");
  }
  if (typeof selection !== "object" || selection instanceof Date)
    return { is: "label", label: selection as Label };
  if ("each" in selection && Array.isArray(selection.each)) return { is: "each", labels: selection.each };
  if ("start" in selection && "stop" in selection && kind !== "texts") {
    const step = selection.step ?? 1;
    if (!Number.isSafeInteger(step) || step < 1)
      throw notALabel(name, step, "a step is a positive integer, in elements");
    return { is: "interval", from: selection.start ?? undefined, to: selection.stop ?? undefined, step };
  }
  const texts = kind === "texts" ? " or a list of texts" : ", [from, to], { start, stop } or { each: [...] }";
  throw notALabel(name, selection, `a label${texts} is wanted`);
}

/** Milliseconds since 1970; `stop` is exclusive. */
export interface Period {
  readonly start: number;
  readonly stop: number;
  /** Whether it is a full date, with or without a time, which can label a single element. */
  readonly isExact: boolean;
}

const form =
  /^([+-]?\d{4,6})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/i;

/** Length in milliseconds of the last component, from the day on. */
const lengths = [86_400_000, 3_600_000, 60_000, 1000];

/**
 * Parses an ISO 8601 date, optionally with a time or with less precision than a day; undefined if invalid.
 */
export function parsePeriod(text: string): Period | undefined {
  const match = form.exec(text.trim());
  if (!match) return undefined;
  const parts = match.slice(1, 7).filter((part) => part !== undefined);
  const [year, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number) as [number];
  const start = instant(year, month, day);
  if (start === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  if (parts.length < 3) {
    const next = parts.length === 1 ? instant(year + 1, 1, 1) : instant(year, month + 1, 1, true);
    return next === undefined ? undefined : { start, stop: next, isExact: false };
  }
  const fraction = Number(`0.${match[7] ?? 0}`) * 1000;
  const time = hour * lengths[1]! + minute * lengths[2]! + second * lengths[3]! + fraction;
  const from = start + time - offsetOf(match[8]);
  const length = match[7] === undefined ? lengths[parts.length - 3]! : 1000 / 10 ** match[7].length;
  return { start: from, stop: from + length, isExact: true };
}

/** Returns the start of a day; undefined for an invalid date. */
function instant(year: number, month: number, day: number, mayOverflow = false): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isSame = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return (isSame || mayOverflow) && !Number.isNaN(date.getTime()) ? date.getTime() : undefined;
}

function offsetOf(zone: string | undefined): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? "");
  if (!match) return 0;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0)) * 60_000;
}
