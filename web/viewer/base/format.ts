/** Kinds of data types, and values as text for the tooltip, the legend and the facts. */

import { type DType, type Region, readScalar, type Scalar } from "zarr-wasm";
import { joinNumbers, localNumber } from "../language/locale.js";
import { text } from "../language/text.js";
import { maxText, shortened, shortName } from "./text.js";

export const isComplex = ({ core }: DType) => core === "complex64" || core === "complex128";
export const isInteger = ({ core }: DType) => core === "bool" || /^u?int\d+$/.test(core);
export const isTime = ({ core }: DType) => core === "datetime64" || core === "timedelta64";
export const isFloat = ({ core }: DType) => /^float\d+$/.test(core);

/** NumPy's "not a time". */
export const notATime = -(2n ** 63n);

export { formatCount } from "../language/locale.js";

/** The message of an error or of any other thrown value. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Element `i` of a region as the library's scalar value. */
export function scalarAt({ data, dtype }: Region, i: number): Scalar {
  if (dtype.core === "bool") return data[i] !== 0;
  if (isComplex(dtype)) return [Number(data[2 * i]), Number(data[2 * i + 1])];
  const isPacked = data instanceof Uint8Array && dtype.core !== "uint8";
  return isPacked ? readScalar(dtype, data, i * dtype.itemBytes) : data[i]!;
}

/** A scalar in full: every digit that the data type holds. */
export function formatScalar(dtype: DType, value: Scalar): string {
  if (dtype.core === "variable" && !(value instanceof Uint8Array)) return formatObject(value);
  if (typeof value === "bigint") return formatBigInt(dtype, value);
  if (typeof value === "number") return formatNumber(dtype, value);
  if (typeof value === "string") return quoted(value);
  if (value instanceof Uint8Array) return formatBytes(dtype, value);
  if (Array.isArray(value))
    return isComplex(dtype) ? formatComplex(dtype, value as number[]) : formatList(dtype, value);
  if (typeof value === "object") return formatFields(dtype, value);
  return String(value);
}

/** Maximum number of fields of a structured type or value in formatted text. */
const maxFields = 12;

/** Maximum length of a formatted string. */
const maxCharacters = 10_000;

/** Maximum number of items written out of a value of any type, and maximum depth. */
const maxItems = 32;
const maxDepth = 4;

/** Formats an element of an array of objects: any JSON value, or a list of numbers. */
function formatObject(value: unknown, depth = 0): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return minus(String(value));
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const { length } = value as unknown as ArrayLike<unknown>;
    if (depth === maxDepth && length > 0) return "[…]";
    const items = Array.from({ length: Math.min(length, maxItems) }, (_, i) =>
      formatObject((value as unknown as ArrayLike<unknown>)[i], depth + 1),
    );
    return `[${cut(items, length)}]`;
  }
  const names = Object.keys(value);
  if (depth === maxDepth && names.length > 0) return "{…}";
  const entries = names
    .slice(0, maxItems)
    .map(
      (name) => `${shortName(name)}: ${formatObject((value as Record<string, unknown>)[name], depth + 1)}`,
    );
  return `{${cut(entries, names.length)}}`;
}

const quoted = (string: string): string => JSON.stringify(shortened(string, maxCharacters));

const cut = (items: readonly string[], length: number): string =>
  joinNumbers([...items, ...(length > items.length ? [text.format.inAll(length)] : [])]);

function formatFields(dtype: DType, value: { readonly [name: string]: Scalar }): string {
  const shown = dtype
    .fields!.slice(0, maxFields)
    .map(({ name, dtype: inner }) => `${shortName(name)}: ${formatScalar(inner, value[name]!)}`);
  return cut(shown, dtype.fields!.length);
}

function formatList(dtype: DType, items: readonly Scalar[]): string {
  return `[${cut(
    items.slice(0, maxItems).map((item) => formatScalar(dtype, item)),
    items.length,
  )}]`;
}

function formatComplex(dtype: DType, [re, im]: readonly number[]): string {
  const sign = im! < 0 || Object.is(im, -0) ? "−" : "+";
  return `${formatNumber(dtype, re!)} ${sign} ${formatNumber(dtype, Math.abs(im!))}i`;
}

/** Formats a number with enough digits to tell it from its neighbours in the data type. */
export function formatNumber({ core }: DType, value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  if (core === "float32" || core === "complex64") return minus(shortest(value, Math.fround, 6));
  if (core === "float16") return minus(String(Number(value.toPrecision(5))));
  return minus(String(value));
}

/** The shortest decimal that rounds to the same value. */
function shortest(value: number, round: (value: number) => number, least: number): string {
  for (let digits = least; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (round(short) === value) return String(short);
  }
  return String(value);
}

const minus = (number: string): string => localNumber(number).replaceAll("-", "−");

/**
 * Formats a number for axes and legends: with four significant digits, or as many as tell it from numbers at
 * a distance of `resolution`.
 */
export function formatBriefly(value: number, resolution = 0): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return minus(grouped(String(value)));
  const wanted = resolution > 0 && size > 0 ? Math.ceil(Math.log10(size / resolution)) + 2 : 4;
  const digits = Math.min(Math.max(4, wanted), 15);
  if (size < 1e-4 || size >= 10 ** Math.max(6, Math.min(digits, 9)))
    return minus(
      value
        .toExponential(digits - 1)
        .replace(/\.?0+e/, "e")
        .replace("+", ""),
    );
  return minus(grouped(String(Number(value.toPrecision(digits)))));
}

/** Separates thousands in numbers of at least five digits before the point. */
const grouped = (number: string): string =>
  /^-?\d{5}/.test(number) ? number.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",") : number;

/** Printable text unchanged, other bytes in hexadecimal. */
function formatBytes({ core }: DType, bytes: Uint8Array): string {
  if (core === "fixed_bytes") return JSON.stringify(new TextDecoder().decode(bytes));
  const shown = Array.from(bytes.subarray(0, 32), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > 32 ? text.format.bytesInAll(shown, bytes.length) : shown;
}

function formatBigInt(dtype: DType, value: bigint): string {
  if (dtype.core === "datetime64") return formatTime(dtype, value);
  if (dtype.core !== "timedelta64") return minus(String(value));
  return value === notATime
    ? "NaT"
    : `${minus(String(value * BigInt(dtype.scaleFactor ?? 1)))} ${unitText(dtype)}`;
}

function unitText({ unit }: DType): string {
  return unit === undefined || unit === "generic" ? text.format.units : unit;
}

/** Seconds per unit, or fractions of a second as a power of ten. */
const wholeSeconds: Readonly<Record<string, bigint>> = { W: 604800n, D: 86400n, h: 3600n, m: 60n, s: 1n };
const fractionDigits: Readonly<Record<string, number>> = { ms: 3, us: 6, ns: 9, ps: 12, fs: 15, as: 18 };

/** Milliseconds per unit of time; undefined for years and months, whose lengths differ. */
export function millisecondsPer(unit: string): number | undefined {
  const digits = fractionDigits[unit];
  if (digits !== undefined) return 10 ** (3 - digits);
  return unit in wholeSeconds ? Number(wholeSeconds[unit]) * 1000 : undefined;
}

/** A datetime as ISO 8601, to the precision of its unit; as a count if it is out of the calendar's range. */
export function formatTime(dtype: DType, stored: bigint): string {
  if (stored === notATime) return "NaT";
  const count = stored * BigInt(dtype.scaleFactor ?? 1);
  const unit = dtype.unit ?? "generic";
  const date = unit === "Y" || unit === "M" ? calendarText(unit, count) : clockText(unit, count);
  return date ?? text.format.since1970(`${minus(String(count))} ${unitText(dtype)}`);
}

function calendarText(unit: "Y" | "M", count: bigint): string | undefined {
  const months = unit === "Y" ? count * 12n : count;
  if (months > 99999n || months < -99999n) return undefined;
  const date = new Date(Date.UTC(1970, Number(months), 1));
  return date.toISOString().slice(0, unit === "Y" ? -20 : -17);
}

function clockText(unit: string, count: bigint): string | undefined {
  const digits = fractionDigits[unit] ?? 0;
  const perSecond = 10n ** BigInt(digits);
  const factor = wholeSeconds[unit] ?? (digits > 0 ? 1n : undefined);
  if (factor === undefined) return undefined;
  const total = count * factor;
  const rest = ((total % perSecond) + perSecond) % perSecond;
  const milliseconds = Number((total - rest) / perSecond) * 1000;
  if (Math.abs(milliseconds) > 8.64e15) return undefined;
  const iso = new Date(milliseconds).toISOString(); // …T00:00:00.000Z
  if (unit === "W" || unit === "D") return iso.slice(0, -14);
  const fraction = digits > 0 ? `.${String(rest).padStart(digits, "0")}` : "";
  return `${iso.slice(0, -5).replace("T", " ")}${fraction}`;
}

/** 1536 → "1.5 KiB". */
export function formatByteCount(bytes: number): string {
  const units = [text.format.bytes, "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  const rounded = power === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1));
  return `${localNumber(rounded)} ${units[power]}`;
}

/** Milliseconds as text: "2.9 s" from a second on. */
export const formatDuration = (time: number): string =>
  localNumber(time < 1000 ? `${time.toFixed(time < 10 ? 1 : 0)} ms` : `${(time / 1000).toFixed(1)} s`);

/** [1024, 768] → "1024 × 768". */
export function formatShape(shape: readonly number[]): string {
  return shape.length === 0 ? text.format.single : shape.join(" × ");
}

/** A data type with the details that its name omits. */
export function formatType(dtype: DType): string {
  const { core, fields, unit, scaleFactor = 1 } = dtype;
  if (fields) {
    const shown = fields
      .slice(0, maxFields)
      .map(
        (f) =>
          `${shortName(f.name)}: ${formatType(f.dtype)}${f.shape.length > 0 ? `[${f.shape.join(", ")}]` : ""}`,
      );
    return shortened(`struct { ${cut(shown, fields.length)} }`, maxText);
  }
  if (unit !== undefined) return `${core}[${scaleFactor > 1 ? scaleFactor : ""}${unit}]`;
  if (core === "fixed_utf32") return text.format.characters(dtype.itemBytes / 4);
  if (core === "fixed_bytes") return text.format.byteString(dtype.itemBytes);
  if (core === "raw") return text.format.rawBytes(dtype.itemBytes);
  return dtype.name;
}
