/** Formats coordinates for the readout, rulers and sliders. */
import { formatBriefly } from "../base/format.js";
import { shortened, shortName } from "../base/text.js";
import type { DatasetAxis } from "../source/dataset.js";

/**
 * The coordinate of an element along an axis, with its unit; undefined if it does not exist or has not been
 * read.
 */
export function coordinateText(axis: DatasetAxis, index: number): string | undefined {
  const value = axis.coordinates?.at(index);
  if (value === undefined) return undefined;
  if (typeof value === "string") return shortName(value);
  if (axis.coordinates!.kind === "milliseconds") return dateText(value);
  return numberText(axis, value);
}

/** Formats a coordinate. */
export function numberText({ role, unit }: DatasetAxis, value: number, hasUnit = true): string {
  if (role === "latitude")
    return `${formatBriefly(Math.abs(value))}°${value > 0 ? " N" : value < 0 ? " S" : ""}`;
  if (role === "longitude")
    return `${formatBriefly(Math.abs(value))}°${value > 0 ? " E" : value < 0 ? " W" : ""}`;
  const text = formatBriefly(value);
  return hasUnit && unit !== undefined ? `${text} ${unitText(unit)}` : text;
}

/** Coordinates of an element in words: "time 2020-01-21 · lat 52.5° N"; some axes may be omitted. */
export function placeText(
  axes: readonly DatasetAxis[],
  index: readonly number[],
  without: readonly number[] = [],
): string {
  const parts = axes.flatMap((axis, i) => {
    const text = without.includes(i) ? undefined : coordinateText(axis, index[i]!);
    return text === undefined ? [] : [axis.name === undefined ? text : `${shortName(axis.name)} ${text}`];
  });
  return parts.join(" · ");
}

/** A time as ISO 8601 in UTC, without trailing zero parts. */
export function dateText(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return "no time";
  if (Math.abs(milliseconds) > 8.64e15) return `${formatBriefly(milliseconds)} ms since 1970`;
  const [date, clock] = new Date(Math.round(milliseconds)).toISOString().split("T") as [string, string];
  if (clock === "00:00:00.000Z") return date;
  const shown = clock.endsWith(":00.000Z") ? clock.slice(0, 5) : clock.replace(/(\.000)?Z$/, "");
  return `${date} ${shown}`;
}

/** Maximum length of a displayed unit. */
const maxUnit = 60;

const symbols: Readonly<Record<string, string>> = {
  micrometer: "µm",
  micrometre: "µm",
  micron: "µm",
  nanometer: "nm",
  nanometre: "nm",
  millimeter: "mm",
  millimetre: "mm",
  centimeter: "cm",
  centimetre: "cm",
  meter: "m",
  metre: "m",
  metres: "m",
  meters: "m",
  kilometer: "km",
  kilometre: "km",
  angstrom: "Å",
  second: "s",
  seconds: "s",
  millisecond: "ms",
  minute: "min",
  hour: "h",
  degC: "°C",
  degreeC: "°C",
  degrees_C: "°C",
  degrees_celsius: "°C",
  celsius: "°C",
  Celsius: "°C",
  kelvin: "K",
  degree: "°",
  degrees: "°",
};

/** Abbreviates a unit that has a symbol, and writes powers as superscripts: "m s-1" becomes "m s⁻¹". */
export function unitText(whole: string): string {
  const unit = shortened(whole, maxUnit);
  if (Object.hasOwn(symbols, unit)) return symbols[unit]!;
  if (!/^[A-Za-zµ%°]+[-+]?\d*( [A-Za-zµ%°]+[-+]?\d*)*$/.test(unit)) return unit;
  return unit.replace(/[-+]?\d+/g, (power) => [...power].map((digit) => raised[digit]!).join(""));
}

const raised: Readonly<Record<string, string>> = Object.fromEntries(
  [..."0123456789-+"].map((digit, i) => [digit, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁻"][i] ?? ""]),
);
