/** Formats datetimes and timedeltas as NumPy does: `2020-01-15T12:00:00.000`, `90 s`, `NaT`. */
import type { DType } from "zarr-wasm";

/** The stored count that means "not a time". */
const notATime = -(2n ** 63n);

/** Seconds per unit, and decimal places of the units below a second. */
const secondsPer: Readonly<Record<string, bigint>> = { W: 604800n, D: 86400n, h: 3600n, m: 60n, s: 1n };
const decimals: Readonly<Record<string, number>> = { ms: 3, us: 6, ns: 9, ps: 12, fs: 15, as: 18 };

/** Characters of an ISO date up to the precision of a unit; others show seconds. */
const precision: Readonly<Record<string, number>> = { Y: 4, M: 7, W: 10, D: 10, h: 13, m: 16 };

/** Returns a time as text; a datetime beyond the calendar's range as a count of units. */
export function timeText({ core, unit = "generic", scaleFactor = 1 }: DType, stored: bigint): string {
  if (stored === notATime) return "NaT";
  const count = stored * BigInt(scaleFactor);
  const counted = unit === "generic" ? String(count) : `${count} ${unit}`;
  return core === "datetime64" ? (dateText(unit, count) ?? `${counted} since 1970`) : counted;
}

function dateText(unit: string, count: bigint): string | undefined {
  const places = decimals[unit] ?? 0;
  const perSecond = 10n ** BigInt(places);
  const rest = ((count % perSecond) + perSecond) % perSecond;
  const iso = isoText(unit, places > 0 ? (count - rest) / perSecond : count);
  if (iso === undefined) return undefined;
  const fraction = places > 0 ? `.${String(rest).padStart(places, "0")}` : "";
  // Years other than 0 to 9999 have a sign and six digits.
  const start = iso.indexOf("-", 1) - 4;
  return iso.slice(0, start + (precision[unit] ?? 19)) + fraction;
}

/** A count of units, or of seconds if the unit is shorter, as a date; undefined beyond the calendar's range. */
function isoText(unit: string, count: bigint): string | undefined {
  const months = unit === "Y" ? 12n * count : unit === "M" ? count : undefined;
  const seconds = count * (secondsPer[unit] ?? 1n);
  if (unit === "generic") return undefined;
  const date = new Date(months === undefined ? Number(seconds) * 1000 : Date.UTC(1970, Number(months)));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
