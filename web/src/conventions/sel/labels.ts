/** Labels, the options of selections by label, and the conversion of labels to coordinate values. */

import { describeValue, invalidSelection, type ZarrError } from "../../util/errors.js";

/**
 * A label of an element: a number in the coordinate's units, as decoded by `decodeCF`; for times, a `Date`,
 * milliseconds since 1970 or a string such as "2020", "2020-01", "2020-01-15" or "2020-01-15T06:30" (UTC
 * unless it has a zone); for string coordinates and channels, the string.
 */
export type Label = number | bigint | string | Date;

/**
 * The elements to select along one dimension:
 *
 * - a label: its element; the dimension is dropped. A string less precise than a time names a period and
 *   selects its elements as a slice, except if it is a full date or time equal to the coordinate of the only
 *   element in it.
 * - `[from, to]`: elements whose coordinates lie between the two, both inclusive, in either direction of the
 *   coordinates. For longitudes, the first is the western end. For string coordinates: these elements.
 * - `{ start, stop, step }`: the same, with an open end for null or if it is omitted, every `step`th element.
 * - `{ each: [...] }`: the element of each label, in the order of the list.
 * - null: everything.
 */
export type LabelSelection =
  | Label
  | readonly [from: Label, to: Label]
  | readonly string[]
  | { readonly start?: Label | null; readonly stop?: Label | null; readonly step?: number | null }
  | { readonly each: readonly Label[] }
  | null;

export interface SelOptions {
  /**
   * How a single label is matched. "exact" (default): the element with this coordinate. "nearest": the
   * element with the nearest coordinate, of two the larger. "pad" or "ffill": like "exact", but if there is no
   * such element, the one before its place; "backfill" or "bfill": the one after it. All but "exact" require an
   * instant for times: they refuse a year or a month, and a date is its midnight. Does not apply to string
   * coordinates and `[from, to]`.
   */
  method?: "exact" | "nearest" | "pad" | "ffill" | "backfill" | "bfill" | undefined;
  /**
   * Maximum distance from the label to the coordinate that a method other than "exact" finds, in the units of the
   * coordinate; for times in milliseconds, whatever the units of the array.
   */
  tolerance?: number | undefined;
  /** Level of an OME-Zarr image to select from. Default: 0, the finest. */
  level?: number | undefined;
  signal?: AbortSignal | undefined;
}

function labelText(label: unknown): string {
  if (typeof label === "string") return JSON.stringify(label.slice(0, 80));
  return label instanceof Date && !Number.isNaN(label.getTime()) ? label.toISOString() : describeValue(label);
}

export const noSuchLabel = (name: string, label: unknown, why = ""): ZarrError =>
  invalidSelection(`"${name}" has no element at ${labelText(label)}${why}`, { code: "no-such-label" });

export const notALabel = (name: string, label: unknown, wanted: string): ZarrError =>
  invalidSelection(`${labelText(label)} is not a label of "${name}": ${wanted}`, { code: "no-such-label" });

export const noSuchDimension = (name: string, known: readonly (string | null)[]): ZarrError =>
  invalidSelection(
    `"${name}" is not a dimension; expected one of ${known.map((n) => JSON.stringify(n)).join(", ") || "none, because dimensions have no names"}`,
    { code: "no-coordinates" },
  );

export const noCoordinates = (name: string, why: string): ZarrError =>
  invalidSelection(`"${name}" has no coordinates to select by: ${why}`, { code: "no-coordinates" });

export const unsorted = (name: string, what: string): ZarrError =>
  invalidSelection(`the coordinates of "${name}" are not sorted, which ${what} requires`, {
    code: "no-coordinates",
  });

/** "times" are milliseconds since 1970. */
export type CoordinateKind = "numbers" | "times" | "texts";

/** Properties of coordinates that determine how labels are read. */
export interface LabelledAxis {
  /** Name of the dimension, or of the array of the coordinates. */
  readonly name: string;
  readonly kind: CoordinateKind;
  /** Rounds a label to the precision of the coordinates. */
  rounded(label: number): number;
}

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
  times: "its labels are times: strings such as 2020-01-15T06:30, Dates, or milliseconds since 1970",
  texts: "its labels are strings",
} as const;

/** @throws InvalidSelection for a value that cannot be a coordinate. */
export function interpretLabel({ name, kind, rounded }: LabelledAxis, label: unknown): Meaning {
  const bad = () => notALabel(name, label, wanted[kind]);
  if (typeof label === "number" || typeof label === "bigint") {
    const value = Number(label);
    if (Number.isNaN(value)) throw notALabel(name, label, `${wanted[kind]}, and NaN equals none`);
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

/** @throws InvalidSelection for a year or a month, of which a method would choose one element. */
export function checkInstant({ name }: LabelledAxis, label: unknown, { value, isExact }: Meaning): void {
  if (isExact) return;
  const day = new Date(value).toISOString().replace(/T.*/, "");
  throw notALabel(
    name,
    label,
    `it is a period; pass an instant such as ${JSON.stringify(day)}, or [from, to] for all its elements`,
  );
}

/** @throws InvalidSelection unless it is a string. */
export function textLabel({ name }: LabelledAxis, label: unknown): string {
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

/** @throws InvalidSelection for an invalid selection by label. */
export function parseRequest(coordinates: LabelledAxis, selection: Exclude<LabelSelection, null>): Request {
  const { name, kind } = coordinates;
  if (Array.isArray(selection)) {
    if (kind === "texts") return { is: "each", labels: selection };
    if (selection.length === 2) return { is: "interval", from: selection[0], to: selection[1], step: 1 };
    throw notALabel(name, selection, "a list is [from, to]; for single elements pass { each: [...] }");
  }
  if (typeof selection !== "object" || selection instanceof Date)
    return { is: "label", label: selection as Label };
  if ("each" in selection && Array.isArray(selection.each)) return { is: "each", labels: selection.each };
  if (isInterval(selection) && kind !== "texts") {
    const step = selection.step ?? 1;
    if (!Number.isSafeInteger(step) || step < 1)
      throw notALabel(name, step, "step must be a positive integer, in elements");
    return { is: "interval", from: selection.start ?? undefined, to: selection.stop ?? undefined, step };
  }
  const texts =
    kind === "texts" ? " or a list of strings" : ", [from, to], { start, stop } or { each: [...] }";
  throw notALabel(name, selection, `expected a label${texts}`);
}

const intervalKeys = ["start", "stop", "step"];

function isInterval(selection: object): selection is Extract<LabelSelection, { start?: unknown }> {
  const keys = Object.keys(selection);
  return keys.length > 0 && keys.every((key) => intervalKeys.includes(key));
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
  const from = start + time - zoneOffset(match[8]);
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

function zoneOffset(zone: string | undefined): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? "");
  if (!match) return 0;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0)) * 60_000;
}
