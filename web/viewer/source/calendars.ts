/**
 * Dates in the calendars of climate models. Their days are not real days, so they have no instants. Spec: CF
 * conventions 1.11, section 4.4.1 "Calendar".
 */

/** Days before January 1st of a year, counted from year 0, and days before the months of a year. */
interface Calendar {
  readonly daysBefore: (year: number) => number;
  readonly monthsOf: (year: number) => readonly number[];
}

const months = (february: number) => [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const [short, long, even] = [months(28), months(29), Array<number>(12).fill(30)];

const noLeap: Calendar = { daysBefore: (year) => 365 * year, monthsOf: () => short };
const allLeap: Calendar = { daysBefore: (year) => 366 * year, monthsOf: () => long };
const calendars = new Map<string, Calendar>([
  ["noleap", noLeap],
  ["365_day", noLeap],
  ["all_leap", allLeap],
  ["366_day", allLeap],
  ["360_day", { daysBefore: (year) => 360 * year, monthsOf: () => even }],
  [
    "julian",
    {
      daysBefore: (year) => 365 * year + Math.floor((year + 3) / 4),
      monthsOf: (year) => (year % 4 === 0 ? long : short),
    },
  ],
]);

const unitsText =
  /^\s*(day|d|hour|hr|h|minute|min|second|sec|s)s?\s+since\s+(-?\d{1,6})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.0*)?)?)?\s*(?:Z|UTC)?\s*$/i;

const perDay: Readonly<Record<string, number>> = { d: 1, h: 24, m: 1440, s: 86_400 };

/**
 * Returns a function that formats counts as "2001-02-28 12:00"; undefined for other calendars and unsupported
 * units.
 * @param units such as "days since 2001-01-01"
 */
export function modelDates(units: string, name: string): ((count: number) => string) | undefined {
  const calendar = calendars.get(name.trim().toLowerCase());
  const match = calendar && unitsText.exec(units);
  if (!match) return undefined;
  const [year, month, date, hour, minute, second] = match.slice(2).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const lengths = calendar.monthsOf(year);
  if (!(date >= 1 && date <= (lengths[month - 1] ?? 0))) return undefined;
  const before = lengths.slice(0, month - 1).reduce((sum, length) => sum + length, 0);
  const origin = calendar.daysBefore(year) + before + date - 1;
  const seconds = (hour * 60 + minute) * 60 + second;
  const each = 86_400 / perDay[match[1]![0]!.toLowerCase()]!;
  return (count) =>
    Math.abs(count * each) < maxSeconds
      ? dateText(calendar, origin, Math.round(seconds + count * each))
      : String(count);
}

/** Maximum count in seconds, some millions of years; larger ones stay counts. */
const maxSeconds = 1e14;

/** A date as ISO 8601, with the time of day unless it is midnight. */
function dateText(calendar: Calendar, origin: number, seconds: number): string {
  const day = origin + Math.floor(seconds / 86_400);
  let year = Math.floor(day / 366);
  year += Math.floor((day - calendar.daysBefore(year)) / 366); // years may be shorter
  while (calendar.daysBefore(year + 1) <= day) year++;
  while (calendar.daysBefore(year) > day) year--;
  let left = day - calendar.daysBefore(year);
  const lengths = calendar.monthsOf(year);
  let month = 0;
  while (left >= lengths[month]!) left -= lengths[month++]!;
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}-${two(month + 1)}-${two(left + 1)}`;
  const rest = ((seconds % 86_400) + 86_400) % 86_400;
  if (rest === 0) return date;
  const time = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}`;
  return `${date} ${time}${rest % 60 === 0 ? "" : `:${two(rest % 60)}`}`;
}
