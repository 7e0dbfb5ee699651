/** Decodes regions by CF attributes, as `read --decode` prints them. */
import { DType, isZarrError, type ZarrArray } from "zarr-wasm";
import { type CFArray, type CFOptions, type CFRegion, decodeCF } from "zarr-wasm/conventions";
import { parseCalendarUnits, toElements } from "#internal";
import { note } from "../text/output.js";
import type { ReadRegion } from "./formats.js";

/** An array, or properties of one; the path is for messages. */
type Decoded = CFArray & Pick<ZarrArray, "path">;

const notATime = -(2n ** 63n);

/** Milliseconds per unit of the times that are printed. */
const units = { D: 86_400_000, s: 1000, ms: 1 } as const;

/**
 * Decodes a region: numbers are unpacked, missing values are NaN, and CF times become datetime64, or strings in calendars
 * without real days. Other values, such as strings and datetime64, do not change.
 */
export function decodeRegion(array: Decoded, region: ReadRegion, options: CFOptions = {}): ReadRegion {
  if (!("bytes" in region) || array.dtype.core === "datetime64") return region;
  const { bytes, dtype, shape } = region;
  const stored = { data: toElements(dtype, bytes), shape, stride: [] };
  const decoded = decode(array, stored, options);
  if (!decoded)
    return { data: calendarTexts(array, stored, options), shape, dtype: DType.variable("string") };
  if (decoded.kind === "stored") return region;
  if (decoded.kind === "milliseconds") return { ...datetimes(decoded.data), shape };
  const { data } = decoded;
  const type = decoded.kind === "booleans" ? "bool" : data.constructor.name.replace(/^Big|Array$/g, "");
  const view = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { bytes: view, shape, dtype: DType.simple(type.toLowerCase() as "bool") };
}

type Stored = Parameters<typeof decodeCF>[1];

/** Returns undefined for times of a calendar without real days; other times that are not supported remain counts. */
function decode(array: Decoded, region: Stored, options: CFOptions): CFRegion | undefined {
  try {
    return decodeCF(array, region, options);
  } catch (error) {
    if (!isZarrError(error) || error.code !== "unsupported-time") throw error;
    if (calendarOf(array)) return undefined;
    note(`warning: ${error.message}; times of "/${array.path}" are counts of their units`);
    return decodeCF(array, region, { ...options, times: "counts" });
  }
}

function calendarOf({ attributes }: Decoded) {
  const { units: text, calendar } = attributes;
  try {
    return parseCalendarUnits(String(text), String(calendar));
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return undefined;
  }
}

/** Times as dates of their calendar, such as 2001-02-30, with the time of day if any is not midnight. */
function calendarTexts(array: Decoded, region: Stored, options: CFOptions): string[] {
  const { calendar, scale } = calendarOf(array)!;
  const { data } = decodeCF(array, region, { ...options, times: "counts" });
  const times = Array.from(data as ArrayLike<number | bigint>, (count) =>
    Math.round(scale.origin + (Number(count) * scale.times) / scale.per),
  );
  const hasClock = times.some((time) => Number.isFinite(time) && time % units.D !== 0);
  return times.map((time) => {
    if (!Number.isFinite(time)) return "NaT";
    const days = Math.floor(time / units.D);
    const { year, month, day } = calendar.date(days);
    const date = [
      String(year).padStart(4, "0"),
      ...[month, day].map((part) => String(part).padStart(2, "0")),
    ];
    const clock = new Date(time - days * units.D).toISOString().slice(10, 19);
    return date.join("-") + (hasClock ? clock : "");
  });
}

/** Milliseconds as datetime64, in days or seconds if all of them are whole. */
function datetimes(milliseconds: Float64Array): { bytes: Uint8Array; dtype: DType } {
  const isWhole = (size: number) =>
    milliseconds.every((value) => !Number.isFinite(value) || value % size === 0);
  const unit = isWhole(units.D) ? "D" : isWhole(units.s) ? "s" : "ms";
  const counts = new BigInt64Array(milliseconds.length);
  milliseconds.forEach((value, i) => {
    counts[i] = Number.isFinite(value) ? BigInt(Math.round(value / units[unit])) : notATime;
  });
  return { bytes: new Uint8Array(counts.buffer), dtype: DType.time("datetime64", unit) };
}
