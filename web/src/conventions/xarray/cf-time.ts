/**
 * Converts CF times ("hours since 1996-01-01") to milliseconds since 1970-01-01T00:00Z. Spec: CF conventions
 * 1.11, section 4.4 "Time coordinate"; unit spellings of UDUNITS and cftime. calendars.ts has the calendars.
 */

import type { DType, TimeUnit } from "../../dtypes/dtype.js";
import { invalidMetadata, unsupported } from "../../util/errors.js";
import { type Calendar, type CalendarName, calendars, dayOf, gregorian } from "./calendars.js";

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
const civil = ["standard", "gregorian", "proleptic_gregorian"];

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
  if (!isTimeUnits(text)) throw badUnits(text);
  if (!civil.includes(calendar.toLowerCase())) throw unsupportedCalendar(calendar, civil);
  return parseCalendarUnits(text, calendar).scale;
}

/** A scale of times, and the calendar whose days it counts. */
interface CalendarScale {
  /** Of calendars without real days, milliseconds count the calendar's days. */
  readonly scale: TimeScale;
  readonly calendar: Calendar;
}

/** Parses units of any calendar. @throws like {@link parseTimeUnits}. */
export function parseCalendarUnits(text: string, calendarName = "standard"): CalendarScale {
  const match = text.length <= 128 ? /^\s*(\S+)\s+since\s+(\S.*)$/i.exec(text) : null;
  if (!match) throw badUnits(text);
  const name = calendarName.toLowerCase();
  if (!Object.hasOwn(calendars, name)) throw unsupportedCalendar(calendarName, Object.keys(calendars));
  const size = units.get(match[1]!.toLowerCase());
  if (size === undefined)
    throw unsupported(`"${text}": the time unit must be between weeks and nanoseconds`, {
      code: "unsupported-time",
    });
  const calendar = calendars[name as CalendarName];
  const origin = parseDate(match[2]!.trim(), calendar);
  if (origin === undefined) throw badUnits(text);
  return { scale: toTimeScale(size, origin), calendar };
}

const unsupportedCalendar = (name: string, accepted: readonly string[]) =>
  unsupported(`calendar "${name}" is not supported; expected ${accepted.join(", ")}`, {
    code: "unsupported-time",
  });

const toTimeScale = (size: number, origin: number): TimeScale =>
  size < 0 ? { origin, times: 1, per: -size } : { origin, times: size, per: 1 };

const badUnits = (text: string) =>
  invalidMetadata(`units ${JSON.stringify(text.slice(0, 128))} are not a time unit since a date`, {
    code: "bad-convention",
  });

const dateText =
  /^([+-]?\d{1,6})-(\d{1,2})-(\d{1,2})(?:[T ] *(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d{0,12})?))?)? *(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?)?$/i;

/** Returns the milliseconds since 1970 of a date with an optional time; undefined if it is invalid. */
function parseDate(text: string, calendar: Calendar): number | undefined {
  const match = dateText.exec(text);
  if (!match) return undefined;
  const [year, month, date] = match.slice(1, 4).map(Number) as [number, number, number];
  const [hour, minute, seconds] = match.slice(4, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
  ];
  const days = dayOf(calendar, year, month, date);
  if (days === undefined || hour > 24 || minute > 59 || seconds >= 61) return undefined;
  const time = (hour * 60 + minute) * 60_000 + seconds * second;
  return days * day + time - zoneOffset(match[7]);
}

/** Returns the milliseconds of "+01:00", "-5" or "+0130"; 0 for "Z" and no zone. */
function zoneOffset(zone: string | undefined): number {
  const match = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone ?? "");
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return (match[1] === "-" ? -minutes : minutes) * 60_000;
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
  return gregorian.days(year, 1 + (((count % 12) + 12) % 12), 1) * day;
}
