/** Ticks at the turns of the calendar: years, months, days, hours, minutes, seconds, in UTC. */
import { locale } from "../language/locale.js";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

interface CalendarStep {
  readonly unit: "month" | "millisecond";
  readonly count: number;
  /** Approximate length in milliseconds. */
  readonly length: number;
}

const times = (unit: number, counts: readonly number[]): CalendarStep[] =>
  counts.map((count) => ({ unit: "millisecond", count: count * unit, length: count * unit }));
const months = (counts: readonly number[]): CalendarStep[] =>
  counts.map((count) => ({ unit: "month", count, length: count * 30.44 * day }));

/** Shortest first. */
const steps: readonly CalendarStep[] = [
  ...times(1, [1, 2, 5, 10, 20, 50, 100, 200, 500]),
  ...times(second, [1, 2, 5, 10, 15, 30]),
  ...times(minute, [1, 2, 5, 10, 15, 30]),
  ...times(hour, [1, 2, 3, 6, 12]),
  ...times(day, [1, 2, 5, 10]),
  ...months([1, 2, 3, 6]),
  ...months([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((years) => 12 * years)),
];

export interface DateTick {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** Round instants between two, at most about `most` of them. */
export function dateTicks(from: number, to: number, most: number): DateTick[] {
  if (!(to > from) || Math.max(Math.abs(from), Math.abs(to)) > 8.64e15) return [];
  const rough = (to - from) / Math.max(1, most);
  const step = steps.find(({ length }) => length >= rough) ?? steps.at(-1)!;
  const instants =
    step.unit === "month" ? monthStarts(from, to, step.count) : multiples(from, to, step.count);
  return instants.map((time) => ({ time, text: tickText(time, step) }));
}

/** Multiples of a step since the start of the day, or of the month for steps of days. */
function multiples(from: number, to: number, step: number): number[] {
  const found: number[] = [];
  if (step < 2 * day) {
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) found.push(time);
    return found;
  }
  const most = step / day;
  for (const start of monthStarts(from - 31 * day, to, 1)) {
    const next = nextMonth(start, 1);
    // The last one before the end of a month would be too close to the first of the next.
    for (let time = start; next - time > step / 2; time += most * day)
      if (time >= from && time <= to) found.push(time);
  }
  return found;
}

function monthStarts(from: number, to: number, count: number): number[] {
  const date = new Date(from);
  const first = 12 * date.getUTCFullYear() + date.getUTCMonth();
  const found: number[] = [];
  for (let month = Math.floor(first / count) * count; ; month += count) {
    const time = monthStart(month);
    if (!(time <= to)) return found;
    if (time >= from) found.push(time);
  }
}

/** The start of a month counted from year 0. */
function monthStart(month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), ((month % 12) + 12) % 12, 1);
  return date.getTime();
}

function nextMonth(start: number, count: number): number {
  const date = new Date(start);
  return monthStart(12 * date.getUTCFullYear() + date.getUTCMonth() + count);
}

/** As short as the step allows: "2020", "2020-03", "2020-03-05", "2020-03-05 06:00". */
function tickText(time: number, { unit, count }: CalendarStep): string {
  const [date, clock] = new Date(time).toISOString().split("T") as [string, string];
  if (unit === "month") return count % 12 === 0 ? date.slice(0, -6) : date.slice(0, -3);
  if (count >= day || clock.startsWith("00:00:00.000")) return date;
  const digits = count >= minute ? 5 : count >= second ? 8 : 12;
  return `${date} ${clock.slice(0, digits)}`;
}

const englishMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

let monthFormat: Intl.DateTimeFormat | undefined;

/** The short name of a month. English needs no `Intl`, whose first use takes a browser 20 ms. */
function monthName(month: number): string {
  if (locale === "en") return englishMonths[month]!;
  monthFormat ??= new Intl.DateTimeFormat(locale, { month: "short", timeZone: "UTC" });
  return monthFormat.format(Date.UTC(2000, month));
}

/** Shorter labels of consecutive ticks: years, and dates beside times of day, appear only where they change. */
export function briefDates(labels: readonly string[]): string[] {
  let [lastYear, lastDate] = ["", ""];
  return labels.map((text) => {
    const [date, clock] = text.split(" ") as [string, string?];
    const [, year, month, day] = /^(.*\d{4})-(\d\d)(?:-(\d\d))?$/.exec(date) ?? [];
    if (year === undefined || month === undefined) return text;
    const words = [
      ...(year === lastYear ? [] : [year]),
      ...(clock && date === lastDate ? [] : [day ? `${month}-${day}` : monthName(Number(month) - 1)]),
      ...(clock ? [clock] : []),
    ];
    [lastYear, lastDate] = [year, date];
    return words.join(" ");
  });
}
