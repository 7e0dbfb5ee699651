/**
 * Converts CF times ("hours since 1996-01-01") to milliseconds since 1970-01-01T00:00Z. Spec: CF conventions
 * 1.11, section 4.4 "Time coordinate"; unit spellings of UDUNITS and cftime.
 */

import type { DType, TimeUnit } from "../../dtypes/dtype.js";
import { invalidMetadata, unsupported } from "../../util/errors.js";

/** Conversion of counts to milliseconds: `origin + count · times / per`. */
export interface TimeScale {
  /** Milliseconds since 1970-01-01T00:00Z of count 0. */
  readonly origin: number;
  readonly times: number;
  readonly per: number;
}

const second = 1000;
const day = 86_400 * second;

/** Milliseconds per unit, by each of its names; negative for the number of units per millisecond. */
const units: ReadonlyMap<string, number> = new Map(
  (
    [
      [["nanosecond", "nsec", "ns"], -1e6],
      [["microsecond", "microsec", "usec", "us", "µs"], -1e3],
      [["millisecond", "millisec", "msec", "ms"], 1],
      [["second", "sec", "s"], second],
      [["minute", "min"], 60 * second],
      [["hour", "hr", "h"], 3600 * second],
      [["day", "d"], day],
      [["week"], 7 * day],
    ] as const
  ).flatMap(([names, value]) =>
    names.flatMap((name) => [[name, value] as const, [`${name}s`, value] as const]),
  ),
);

/** Calendars with the days of the civil calendar. */
const calendars = ["standard", "gregorian", "proleptic_gregorian"];

/** Whether a string has the form of a time unit since a date. */
export function isTimeUnits(text: string): boolean {
  return /^\s*\S+\s+since\s/i.test(text);
}

/**
 * Parses units such as "days since 1850-01-01 00:00:00".
 *
 * In the calendars "standard" and "gregorian", dates before 1582-10-15 are Julian. The resulting instants do
 * not depend on the calendar in which they are displayed.
 * @param calendar value of the attribute; undefined is "standard".
 * @throws InvalidMetadata for a string of another form; Unsupported for months, years and
 *   calendars whose days are not real days.
 */
export function parseTimeUnits(text: string, calendar = "standard"): TimeScale {
  const match = text.length <= 128 ? /^\s*(\S+)\s+since\s+(\S.*)$/i.exec(text) : null;
  if (!match) throw badUnits(text);
  const name = calendar.toLowerCase();
  if (!calendars.includes(name)) {
    throw unsupported(`calendar "${calendar}" is not supported; expected ${calendars.join(", ")}`, {
      code: "unsupported-time",
    });
  }
  const size = units.get(match[1]!.toLowerCase());
  if (size === undefined)
    throw unsupported(`"${text}": the time unit must be between weeks and nanoseconds`, {
      code: "unsupported-time",
    });
  const origin = parseDate(match[2]!.trim(), name !== "proleptic_gregorian");
  if (origin === undefined) throw badUnits(text);
  return toTimeScale(size, origin);
}

const toTimeScale = (size: number, origin: number): TimeScale =>
  size < 0 ? { origin, times: 1, per: -size } : { origin, times: size, per: 1 };

const badUnits = (text: string) =>
  invalidMetadata(`units ${JSON.stringify(text.slice(0, 128))} are not a time unit since a date`, {
    code: "bad-convention",
  });

const dateText =
  /^([+-]?\d{1,6})-(\d{1,2})-(\d{1,2})(?:[T ] *(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d{0,12})?))?)? *(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?)?$/i;

/** Returns the milliseconds since 1970 of a date with an optional time; undefined if it is invalid. */
function parseDate(text: string, isMixed: boolean): number | undefined {
  const match = dateText.exec(text);
  if (!match) return undefined;
  const [year, month, date] = match.slice(1, 4).map(Number) as [number, number, number];
  const [hour, minute, seconds] = match.slice(4, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
  ];
  const isJulian = isMixed && isBeforeReform(year, month, date);
  const gap = isMixed && year === 1582 && month === 10 && date > 4 && date < 15;
  const valid =
    month >= 1 && month <= 12 && date >= 1 && date <= lengthOfMonth(year, month, isJulian) && !gap;
  if (!valid || hour > 24 || minute > 59 || seconds >= 61) return undefined;
  const time = (hour * 60 + minute) * 60_000 + seconds * second;
  return daysSince1970(year, month, date, isJulian) * day + time - zoneOffset(match[7]);
}

/** Returns the milliseconds of "+01:00", "-5" or "+0130"; 0 for "Z" and no zone. */
function zoneOffset(zone: string | undefined): number {
  const match = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone ?? "");
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return (match[1] === "-" ? -minutes : minutes) * 60_000;
}

/** Whether a date of the mixed calendar lies before 1582-10-15. */
function isBeforeReform(year: number, month: number, date: number): boolean {
  return year !== 1582 ? year < 1582 : month !== 10 ? month < 10 : date < 15;
}

function lengthOfMonth(year: number, month: number, isJulian: boolean): number {
  const isLeap = year % 4 === 0 && (isJulian || year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return isLeap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * Returns the days from 1970-01-01 (Gregorian) to a Gregorian or Julian date. Internally, years start in
 * March.
 */
function daysSince1970(year: number, month: number, date: number, isJulian: boolean): number {
  const y = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const leaps = Math.floor(y / 4) - (isJulian ? 0 : Math.floor(y / 100) - Math.floor(y / 400));
  // 0000-03-01 lies this many days before 1970-01-01; in the Julian calendar, two more.
  return 365 * y + leaps + dayOfYear - (isJulian ? 719_470 : 719_468);
}

/** Milliseconds per unit of datetime64; negative for the number of units per millisecond. */
const numpyUnits: Readonly<Partial<Record<TimeUnit, number>>> = {
  W: 7 * day,
  D: day,
  h: 3600 * second,
  m: 60 * second,
  s: second,
  ms: 1,
  us: -1e3,
  ns: -1e6,
  ps: -1e9,
  fs: -1e12,
  as: -1e15,
};

/**
 * Returns the scale of a datetime64; undefined for months and years, which have no fixed length, and for
 * "generic".
 */
export function datetimeScale({ unit, scaleFactor = 1 }: DType): TimeScale | undefined {
  const size = unit && numpyUnits[unit];
  if (size === undefined) return undefined;
  const { origin, times, per } = toTimeScale(size, 0);
  return { origin, times: times * scaleFactor, per };
}

/** Returns the milliseconds since 1970 of a count of months since then. */
export function monthStart(count: number): number {
  const year = 1970 + Math.floor(count / 12);
  return daysSince1970(year, 1 + (((count % 12) + 12) % 12), 1, false) * day;
}
