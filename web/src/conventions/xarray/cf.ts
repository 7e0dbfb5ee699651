/**
 * Decodes values packed according to CF: missing values become NaN, packed numbers are unpacked, times become
 * milliseconds.
 *
 * Follows the rules of xarray, including the resulting float types. Spec: CF conventions 1.11, sections 2.5.1
 * "Missing data", 4.4 "Time coordinate" and 8.1 "Packed data"; attribute `_Unsigned`: NetCDF users guide.
 */

import type { ElementData, Elements } from "../../dtypes/elements.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { asString, checkObject, checkOptionNames, isRecord, ownProperty } from "../../util/arguments.js";
import { decodeBase64 } from "../../util/bytes.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import { badAttribute, finiteNumber } from "../shared/attributes.js";
import { datetimeScale, isTimeUnits, monthStart, parseTimeUnits, type TimeScale } from "./cf-time.js";

/** Properties of an array that decodeCF reads. */
export type CFArray = Pick<ZarrArray, "attributes" | "dtype" | "fillValue" | "zarrFormat">;

export interface CFOptions {
  /**
   * "milliseconds" (default): times become milliseconds since 1970-01-01T00:00Z, as in `Date`. "counts":
   * times stay numbers in the units of the attribute.
   */
  times?: "milliseconds" | "counts" | undefined;
  /**
   * Whether elements equal to the array's own fill value are missing. Default: in Zarr v1 and v2, true
   * without an attribute `_FillValue`, because xarray stores `_FillValue` as the fill value there; in v3,
   * false.
   */
  fillValueIsMissing?: boolean | undefined;
  /**
   * Whether values outside `valid_range`, `valid_min` and `valid_max` are missing. Default: false, as in
   * xarray.
   */
  validRange?: boolean | undefined;
}

/** Elements with their layout, as returned by `get`. */
export interface CFInput<T extends Elements = Elements> {
  readonly data: T;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

/** Decoded elements. `units` come from the attributes, if they name any. In floats, NaN is a missing value. */
export type CFRegion<T extends Elements = Elements> =
  /** The region's own data, unchanged. */
  | (CFInput<T> & { readonly kind: "stored"; readonly units: string | undefined })
  /** A Float32Array or Float64Array, or integers whose sign `_Unsigned` changed. */
  | (CFInput<ElementData> & { readonly kind: "numbers"; readonly units: string | undefined })
  /** Milliseconds since 1970-01-01T00:00Z. */
  | (CFInput<Float64Array> & { readonly kind: "milliseconds"; readonly units: undefined })
  /** 0 and 1. */
  | (CFInput<Uint8Array> & { readonly kind: "booleans"; readonly units: string | undefined });

type StoredRegion<T extends Elements> = Extract<CFRegion<T>, { kind: "stored" }>;

/**
 * Decodes a region of an array by the attributes `_FillValue`, `missing_value`, `_Unsigned`, `scale_factor`,
 * `add_offset`, `units` with `calendar`, and xarray's `dtype: "bool"`.
 *
 * Numbers become float64 if there is a scale or an offset, and for integers of more than two bytes; smaller
 * integers and float32 become float32. Integers beyond ±2⁵³ are rounded. Types that are not real numbers
 * (strings, complex, structured) and data that no attribute applies to are returned unchanged; `data` is then
 * shared. Counts of datetime64 also become milliseconds.
 * @param region result of `get` for the array.
 * @throws InvalidMetadata (bad-attribute, bad-time-units) for attributes that do not follow CF; Unsupported
 *   for calendars without real days and for times in months or years: pass `times: "counts"` for these.
 */
export function decodeCF<T extends Elements>(
  array: CFArray,
  region: CFInput<T>,
  options: CFOptions = {},
): CFRegion<T> {
  checkObject(options);
  checkOptionNames(options, { times: true, fillValueIsMissing: true, validRange: true });
  checkObject(array, "the array");
  checkObject(region, "the region");
  const isArray = isRecord(array.attributes) && isRecord(array.dtype);
  if (!isArray || !(ArrayBuffer.isView(region.data) || Array.isArray(region.data)))
    throw invalidArgument("decodeCF expects an array and a region returned by get()");
  const { times = "milliseconds" } = options;
  if (times !== "milliseconds" && times !== "counts")
    throw invalidArgument(`times must be "milliseconds" or "counts", got ${describeValue(times)}`);
  const units = asString(ownProperty(array.attributes, "units"));
  const layout = { shape: region.shape, stride: region.stride };
  const stored: StoredRegion<T> = { ...layout, data: region.data, kind: "stored", units };
  if (array.dtype.core === "datetime64") return times === "counts" ? stored : decodeDatetimes(array, stored);
  if (!isReal(array)) return stored;
  const numbers = decodeNumbers(packedNumbers(array, region.data as ElementData, options));
  const time = times === "milliseconds" && units !== undefined && isTimeUnits(units);
  if (time) {
    const scale = parseTimeUnits(units, asString(ownProperty(array.attributes, "calendar")));
    return { ...layout, kind: "milliseconds", units: undefined, data: toMilliseconds(numbers, scale) };
  }
  if (numbers === region.data) return asBooleans(array, stored);
  return { ...layout, kind: "numbers", units, data: numbers };
}

/** Whether each element of a type is one real number. */
export function isReal({ dtype }: CFArray): boolean {
  return /^(u?int|b?float)\d/.test(dtype.core);
}

/** Returns the integers with the sign of `_Unsigned`, on the same bytes. */
function asSigned({ attributes }: CFArray, data: ElementData): ElementData {
  const attribute = ownProperty(attributes, "_Unsigned");
  const mark = typeof attribute === "boolean" ? String(attribute) : asString(attribute);
  const { name } = data.constructor;
  const wanted =
    mark === "true"
      ? name.replace(/Int(?=\d)/, "Uint")
      : mark === "false"
        ? name.replace("Uint", "Int")
        : name;
  const Kind = wanted === name ? undefined : integerArrays[wanted];
  return Kind ? new Kind(data.buffer, data.byteOffset, data.length) : data;
}

type ElementArray = new (buffer: ArrayBufferLike, offset: number, length: number) => ElementData;

const integerArrays: Readonly<Record<string, ElementArray>> = {
  Int8Array,
  Int16Array,
  Int32Array,
  BigInt64Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  BigUint64Array,
};

/** How stored numbers become decoded ones: `stored * scale + offset`, or NaN for missing ones. */
export interface Packing {
  readonly scale: number;
  readonly offset: number;
  /** Stored values that are missing. NaN is missing anyway. */
  readonly missing: readonly (number | bigint)[];
  /** The smallest and the largest valid stored value, if others are missing. */
  readonly range: readonly [number, number] | undefined;
  /** Whether decoded numbers are rounded to float32; otherwise they are float64. */
  readonly isFloat32: boolean;
}

/** An array's numbers: how they are stored and decoded. */
export interface PackedNumbers {
  /** The given elements, with the sign of `_Unsigned`. */
  readonly data: ElementData;
  /** Undefined if numbers are decoded as stored. */
  readonly packing: Packing | undefined;
}

/** @throws InvalidMetadata (bad-attribute) for attributes that do not follow CF. */
export function packedNumbers(array: CFArray, stored: ElementData, options: CFOptions): PackedNumbers {
  const { attributes } = array;
  const data = asSigned(array, stored);
  const scale = singleNumber(attributes, "scale_factor");
  const offset = singleNumber(attributes, "add_offset");
  const isPacked = scale !== undefined || offset !== undefined;
  const missing = missingValues(array, options).flatMap((value) => storedValue(value, data, attributes));
  const range = options.validRange ? validRange(attributes) : undefined;
  if (!isPacked && missing.length === 0 && !range) return { data, packing: undefined };
  const isFloat32 = !isPacked && !isWide(data);
  return { data, packing: { scale: scale ?? 1, offset: offset ?? 0, missing, range, isFloat32 } };
}

/** Masks and unpacks; returns `data` itself if it needs no change. */
function decodeNumbers({ data, packing }: PackedNumbers): ElementData {
  if (!packing) return data;
  const { scale, offset, missing, range, isFloat32 } = packing;
  const out = isFloat32 ? new Float32Array(data.length) : new Float64Array(data.length);
  fill(out, data, scale, offset);
  for (const value of missing) mask(out, data, value);
  if (range) maskOutside(out, data, range);
  return out;
}

/** Whether float32 cannot hold every value: integers of more than two bytes, and float64. */
function isWide(data: ElementData): boolean {
  return data.BYTES_PER_ELEMENT > 2 && !(data instanceof Float32Array);
}

function fill(out: Float32Array | Float64Array, data: ElementData, scale: number, offset: number): void {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    for (let i = 0; i < out.length; i++) out[i] = Number(data[i]!) * scale + offset;
  } else for (let i = 0; i < out.length; i++) out[i] = data[i]! * scale + offset;
}

function mask(out: Float32Array | Float64Array, data: ElementData, value: number | bigint): void {
  for (let i = 0; i < out.length; i++) if (data[i] === value) out[i] = Number.NaN;
}

function maskOutside(
  out: Float32Array | Float64Array,
  data: ElementData,
  [min, max]: readonly [number, number],
): void {
  for (let i = 0; i < out.length; i++) {
    const value = data[i]!;
    if (value < min || value > max) out[i] = Number.NaN;
  }
}

/** Returns the values that mark missing elements, as given in the metadata. */
function missingValues(array: CFArray, { fillValueIsMissing }: CFOptions): (number | bigint)[] {
  const { attributes, fillValue, zarrFormat } = array;
  const fills = listed(attributes, "_FillValue", array);
  const usesFill = fillValueIsMissing ?? (zarrFormat < 3 && fills.length === 0);
  const isNumber = typeof fillValue === "number" || typeof fillValue === "bigint";
  return [
    ...fills,
    ...listed(attributes, "missing_value", array),
    ...(usesFill && isNumber ? [fillValue] : []),
  ];
}

/** Returns a number, or the numbers of a list. */
function listed(attributes: CFArray["attributes"], name: string, array: CFArray): (number | bigint)[] {
  const value = ownProperty(attributes, name);
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((entry: unknown) => {
    if (typeof entry === "number" || typeof entry === "bigint") return entry;
    const number = typeof entry === "string" ? numberOfText(entry, array) : undefined;
    if (number === undefined) throw badAttribute(`attribute ${name} must be a number`, entry);
    return number;
  });
}

/**
 * Parses numbers in strings: in Zarr v3, xarray writes a float's `_FillValue` as the base64 of a
 * little-endian float64.
 */
function numberOfText(text: string, { dtype }: CFArray): number | undefined {
  const bytes = dtype.core.includes("float") ? decodeBase64(text, 8) : undefined;
  if (bytes?.byteLength === 8) return new DataView(bytes.buffer).getFloat64(0, true);
  if (text === "NaN") return Number.NaN;
  return /^[+-]?(Infinity|(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?)$/i.test(text) ? Number(text) : undefined;
}

/**
 * Returns a missing value in the representation of the data: rounded to float32, or reinterpreted as
 * unsigned; none if no element can equal it.
 */
function storedValue(
  value: number | bigint,
  data: ElementData,
  attributes: CFArray["attributes"],
): (number | bigint)[] {
  const number = Number(value);
  if (Number.isNaN(number)) return []; // already NaN
  const cell = new (data.constructor as new (length: number) => ElementData)(1);
  const isFloat = /^Float/.test(cell.constructor.name);
  if (!isFloat && !Number.isInteger(number)) return [];
  if (cell instanceof BigInt64Array || cell instanceof BigUint64Array) cell[0] = BigInt(value);
  else cell[0] = number;
  const wraps =
    ownProperty(attributes, "_Unsigned") !== undefined && Math.abs(number) < 256 ** cell.BYTES_PER_ELEMENT;
  const isSame = typeof cell[0] === "bigint" ? cell[0] === BigInt(value) : cell[0] === number;
  return isFloat || isSame || wraps ? [cell[0]!] : [];
}

/** Returns a number, also from a list with one entry, as NetCDF stores attributes. */
function singleNumber(attributes: CFArray["attributes"], name: string): number | undefined {
  const value = ownProperty(attributes, name);
  if (value === undefined || value === null) return undefined;
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const number = finiteNumber(single);
  if (number === undefined) throw badAttribute(`attribute ${name} must be a number`, value);
  return number;
}

/** Returns the smallest and the largest valid packed value; undefined if not stated. */
function validRange(attributes: CFArray["attributes"]): readonly [number, number] | undefined {
  const range = ownProperty(attributes, "valid_range");
  if (range !== undefined && range !== null) {
    const [min, max] = Array.isArray(range) && range.length === 2 ? range.map(finiteNumber) : [];
    if (min === undefined || max === undefined)
      throw badAttribute("attribute valid_range must be two numbers", range);
    return [min, max];
  }
  const min = singleNumber(attributes, "valid_min");
  const max = singleNumber(attributes, "valid_max");
  return min === undefined && max === undefined ? undefined : [min ?? -Infinity, max ?? Infinity];
}

/** Like `Float64Array.from`, which first creates a list of all elements: 2²⁷ of them crash the process. */
function mapped<T extends number | bigint>(
  data: ArrayLike<T>,
  convert: (element: T) => number,
): Float64Array<ArrayBuffer> {
  const out = new Float64Array(data.length);
  for (let i = 0; i < out.length; i++) out[i] = convert(data[i]!);
  return out;
}

function toMilliseconds(numbers: ElementData, { origin, times, per }: TimeScale): Float64Array {
  return mapped(numbers as ArrayLike<number | bigint>, (count) => origin + (Number(count) * times) / per);
}

const notATime = -(2n ** 63n);

function decodeDatetimes<T extends Elements>({ dtype }: CFArray, stored: StoredRegion<T>): CFRegion<T> {
  const counts = stored.data as unknown as BigInt64Array;
  const scale = datetimeScale(dtype);
  const { unit, scaleFactor = 1 } = dtype;
  const months = unit === "Y" ? 12 : unit === "M" ? 1 : undefined;
  if (!scale && months === undefined) return stored;
  const convert = scale
    ? (count: number) => (count * scale.times) / scale.per
    : (count: number) => monthStart(count * months! * scaleFactor);
  const data = mapped<bigint>(counts, (count) => (count === notATime ? Number.NaN : convert(Number(count))));
  return { ...stored, kind: "milliseconds", units: undefined, data };
}

/** xarray stores booleans as integers of one byte, with an attribute. */
function asBooleans<T extends Elements>({ attributes }: CFArray, stored: StoredRegion<T>): CFRegion<T> {
  if (ownProperty(attributes, "dtype") !== "bool" || !(stored.data instanceof Int8Array)) return stored;
  return {
    ...stored,
    kind: "booleans",
    data: new Uint8Array(stored.data.map((value) => (value === 0 ? 0 : 1)).buffer),
  };
}
