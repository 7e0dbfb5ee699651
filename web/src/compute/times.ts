/** Times of a coordinate: their parts in its calendar, and bins of equal periods. */

import { type Calendar, dayOfYear, gregorian } from "../conventions/xarray/calendars.js";
import {
  datetimeScale,
  isTimeUnits,
  parseCalendarUnits,
  type TimeScale,
} from "../conventions/xarray/cf-time.js";
import type { Coordinate } from "../conventions/xarray/xarray.js";
import { DType } from "../dtypes/dtype.js";
import type { Elements } from "../dtypes/elements.js";
import { noCell } from "../engine/box-reduction.js";
import type { Region } from "../hierarchy/array.js";
import { asString, ownProperty } from "../util/arguments.js";
import { describeValue, invalidArgument, limitExceeded, unsupported } from "../util/errors.js";
import type { Grouping } from "./axes.js";
import { coordinateOf, type RegionCoordinate } from "./labelled.js";

const day = 86_400_000;

/** Times as whole milliseconds on the days of a calendar; NaN if missing. */
export interface Times {
  readonly milliseconds: Float64Array;
  readonly calendar: Calendar;
  readonly scale: TimeScale;
  readonly source: Coordinate;
}

/** @throws InvalidArgument for coordinates that are not times; the errors of `parseCalendarUnits`. */
export function timesOf(coordinate: Coordinate, { data }: Region<Elements>): Times {
  const { array, name } = coordinate;
  const { scale, calendar } = scaleOf(coordinate);
  const { origin, per, times } = scale;
  const fill = ownProperty(array.attributes, "_FillValue");
  const milliseconds = Float64Array.from(data as ArrayLike<number | bigint>, (value) => {
    if (value === notATime || value === fill) return Number.NaN;
    return Math.round(origin + (Number(value) * times) / per);
  });
  if (milliseconds.some((value) => Math.abs(value) > maxTime))
    throw unsupported(`${JSON.stringify(name)} has times beyond the year 999999`, {
      code: "unsupported-time",
    });
  return { milliseconds, calendar, scale, source: coordinate };
}

const notATime = -(2n ** 63n);
const maxTime = 999_999 * 366 * day;

function scaleOf({ array, name }: Coordinate): { scale: TimeScale; calendar: Calendar } {
  const { attributes, dtype } = array;
  if (dtype.core === "datetime64") {
    const scale = datetimeScale(dtype);
    if (scale) return { scale, calendar: gregorian };
  }
  const units = asString(ownProperty(attributes, "units"));
  if (units !== undefined && isTimeUnits(units))
    return parseCalendarUnits(units, asString(ownProperty(attributes, "calendar")));
  throw invalidArgument(
    `coordinate ${JSON.stringify(name)} has no times: its units are ${describeValue(units)}`,
  );
}

const seasons = ["DJF", "MAM", "JJA", "SON"] as const;

type PartOf = (milliseconds: number, calendar: Calendar) => number | string;
const ofDate =
  (part: (date: ReturnType<Calendar["date"]>, calendar: Calendar) => number | string): PartOf =>
  (milliseconds, calendar) =>
    part(calendar.date(Math.floor(milliseconds / day)), calendar);
const ofDay =
  (unit: number, count: number): PartOf =>
  (milliseconds) =>
    Math.floor((milliseconds - Math.floor(milliseconds / day) * day) / unit) % count;

/** Parts of times by the names of xarray. */
export const timeParts = {
  year: ofDate(({ year }) => year),
  quarter: ofDate(({ month }) => Math.ceil(month / 3)),
  month: ofDate(({ month }) => month),
  season: ofDate(({ month }) => seasons[Math.floor((month % 12) / 3)]!),
  day: ofDate(({ day: date }) => date),
  dayofyear: ofDate((date, calendar) => dayOfYear(calendar, date)),
  /** Monday is 0. */
  dayofweek: (milliseconds) => (((Math.floor(milliseconds / day) + 3) % 7) + 7) % 7,
  hour: ofDay(3_600_000, 24),
  minute: ofDay(60_000, 60),
  second: ofDay(1000, 60),
} as const satisfies Readonly<Record<string, PartOf>>;

/** A part of times that `groupBy` accepts after the name of a coordinate. */
export type TimePart = keyof typeof timeParts;

/** Returns a part of each time; NaN for missing times. */
export function partsOf({ milliseconds, calendar }: Times, part: TimePart): (number | string)[] {
  return Array.from(milliseconds, (time) => (Number.isNaN(time) ? time : timeParts[part](time, calendar)));
}

const monthNames = [
  ...(["JAN", "FEB", "MAR", "APR", "MAY", "JUN"] as const),
  ...(["JUL", "AUG", "SEP", "OCT", "NOV", "DEC"] as const),
];

/** A period of `resample` by its name in pandas: "6h", "1D", "MS", "QS-DEC". */
export type Period =
  | `${number | ""}${keyof typeof periods}`
  | `${number | ""}${"QS" | "YS"}-${(typeof monthNames)[number]}`;
/** Milliseconds of periods, or their months, by their names in pandas. */
const periods = { s: 1000, min: 60_000, h: 3_600_000, D: day, MS: 1, QS: 3, YS: 12 };
const maxBins = 2 ** 24;

/** Bins of equal periods. */
interface Bins {
  /** Number of the bin of a time, from any origin. */
  bin(milliseconds: number): number;
  start(bin: number): number;
}

/**
 * Parses a period: "6h", "1D", "MS", "QS-DEC", "YS". Bins of days and shorter periods begin at midnight of the first day.
 * @throws InvalidArgument.
 */
function binsOf(text: unknown, first: number, calendar: Calendar): Bins {
  const [, digits = "0", name, anchor] =
    /^(\d{0,6})(?:(D|h|min|s|MS)|([QY]S)(?:-([A-Z]{3}))?)$/
      .exec(String(text))
      ?.flatMap((part) => part ?? []) ?? [];
  const month = anchor === undefined ? 0 : monthNames.indexOf(anchor as (typeof monthNames)[number]);
  const count = digits === "" ? 1 : Number(digits);
  if (count === 0 || month < 0)
    throw invalidArgument(
      `resample periods are a count of s, min, h, D, MS, QS or YS (starts of months, quarters and years; QS-DEC begins in December), got ${describeValue(text)}`,
    );
  const unit = periods[name as keyof typeof periods];
  const dayOf = (time: number) => Math.floor(time / day);
  const monthOf = (time: number) => {
    const date = calendar.date(dayOf(time));
    return 12 * date.year + date.month - 1;
  };
  const startOf = (at: number) => {
    const year = Math.floor(at / 12);
    return calendar.days(year, at - 12 * year + 1, 1) * day;
  };
  const areMonths = name!.endsWith("S");
  const before = (monthOf(first) - month) % unit;
  const origin = areMonths ? monthOf(first) - (before < 0 ? before + unit : before) : dayOf(first) * day;
  return {
    bin: (time) => Math.floor(((areMonths ? monthOf(time) : time) - origin) / (count * unit)),
    start: (bin) => (areMonths ? startOf : Number)(origin + bin * count * unit),
  };
}

/** Returns the bins of times as cells, and the coordinate of their starts. */
export function resampled(times: Times, period: unknown): Grouping & { coordinate: RegionCoordinate } {
  const known = times.milliseconds.filter((time) => !Number.isNaN(time)).sort();
  const { bin, start } = binsOf(period, known[0] ?? 0, times.calendar);
  const first = known.length > 0 ? bin(known[0]!) : 0;
  const cells = known.length > 0 ? bin(known.at(-1)!) - first + 1 : 0;
  if (cells > maxBins) throw limitExceeded(`resample: ${cells} bins are more than the limit of ${maxBins}`);
  const table = Uint32Array.from(times.milliseconds, (time) =>
    Number.isNaN(time) ? noCell : bin(time) - first,
  );
  const starts = Array.from({ length: cells }, (_, cell) => start(first + cell));
  return { cells, tables: [table], coordinate: encoded(times, starts) };
}

/** Returns times as a coordinate in the units of the one they come from. */
function encoded({ scale, source }: Times, starts: readonly number[]): RegionCoordinate {
  const { origin, per, times } = scale;
  const { attributes, dtype } = source.array;
  const [name] = source.dimensions as readonly [string];
  if (dtype.core === "datetime64") {
    const counts = starts.map((time) => (BigInt(time) * BigInt(per)) / BigInt(times));
    return coordinateOf(name, BigInt64Array.from(counts), dtype, attributes);
  }
  const counts = Float64Array.from(starts, (time) => ((time - origin) * per) / times);
  return coordinateOf(name, counts, DType.simple("float64"), attributes);
}
