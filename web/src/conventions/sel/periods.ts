/**
 * Parses ISO 8601 dates and times as periods: each string covers the time until the next string of the same
 * precision.
 */

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
