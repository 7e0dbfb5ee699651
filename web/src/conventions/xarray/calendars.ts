/**
 * Calendars of CF: dates to days since 1970-01-01 and back. Years are astronomical: there is a year 0. Spec: CF conventions
 * 1.11, section 4.4.1 "Calendar".
 */

interface CalendarDate {
  readonly year: number;
  /** From 1 to 12. */
  readonly month: number;
  readonly day: number;
}

/** Days are those since the calendar's 1970-01-01; of calendars with real days, since the Gregorian one. */
export interface Calendar {
  /** Returns the day of a date that exists; `month` may also be 13, the January after it. */
  days(year: number, month: number, day: number): number;
  date(days: number): CalendarDate;
}

/** Days before each month, and in the whole year, without a leap day. */
const before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** @param leapDays returns the leap days from year 0 up to, not including, a year. */
function yearly(leapDays: (year: number) => number): Calendar {
  const start = (year: number) => 365 * year + leapDays(year);
  const epoch = start(1970);
  const meanYear = start(400) / 400; // near enough for a few steps, also in years far away
  const isLeap = (year: number) => start(year + 1) - start(year) === 366;
  const daysBefore = (year: number, month: number) =>
    before[month - 1]! + (month > 2 && isLeap(year) ? 1 : 0);
  return {
    days: (year, month, day) => start(year) + daysBefore(year, month) + day - 1 - epoch,
    date(days) {
      const at = days + epoch;
      let year = Math.floor(at / meanYear);
      while (start(year) > at) year--;
      while (start(year + 1) <= at) year++;
      const dayOfYear = at - start(year);
      let month = 12;
      while (daysBefore(year, month) > dayOfYear) month--;
      return { year, month, day: dayOfYear - daysBefore(year, month) + 1 };
    },
  };
}

/** Returns the number of multiples of `n` from 0 up to, not including, a year. */
const multiples = (n: number, year: number) => Math.floor((year - 1) / n);

export const gregorian = yearly((year) => multiples(4, year) - multiples(100, year) + multiples(400, year));

/** The Julian calendar, which is 13 days behind in 1970. */
const julian = shifted(
  yearly((year) => multiples(4, year)),
  13,
);

/** Counts days from another day than 1970-01-01 of the calendar. */
function shifted(calendar: Calendar, shift: number): Calendar {
  return {
    days: (year, month, day) => calendar.days(year, month, day) + shift,
    date: (days) => calendar.date(days - shift),
  };
}

/** 1582-10-15, the first Gregorian day. */
const reform = gregorian.days(1582, 10, 15);

/** Julian before 1582-10-15. */
const standard: Calendar = {
  days(year, month, day) {
    const isJulian = (year - 1582 || month - 10 || day - 15) < 0;
    return (isJulian ? julian : gregorian).days(year, month, day);
  },
  date: (days) => (days < reform ? julian : gregorian).date(days),
};

const noLeap = yearly(() => 0);
const allLeap = yearly((year) => year);

const equalMonths: Calendar = {
  days: (year, month, day) => 360 * (year - 1970) + 30 * (month - 1) + day - 1,
  date(days) {
    const months = Math.floor(days / 30);
    const year = Math.floor(months / 12);
    return { year: 1970 + year, month: months - 12 * year + 1, day: days - 30 * months + 1 };
  },
};

export const calendars = {
  standard,
  gregorian: standard,
  proleptic_gregorian: gregorian,
  julian,
  noleap: noLeap,
  "365_day": noLeap,
  all_leap: allLeap,
  "366_day": allLeap,
  "360_day": equalMonths,
} as const satisfies Readonly<Record<string, Calendar>>;

export type CalendarName = keyof typeof calendars;

/** Returns the day of a date; undefined if it does not exist. */
export function dayOf(calendar: Calendar, year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const days = calendar.days(year, month, day);
  const date = calendar.date(days);
  return date.year === year && date.month === month && date.day === day ? days : undefined;
}

/** Returns the day of the year, from 1. */
export const dayOfYear = (calendar: Calendar, { year, month, day }: CalendarDate): number =>
  calendar.days(year, month, day) - calendar.days(year, 1, 1) + 1;
