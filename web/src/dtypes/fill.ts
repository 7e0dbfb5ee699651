/**
 * Parses fill values from their JSON form to the exact bytes of one element.
 *
 * Works on JSON text, never through a rounded number: 64-bit integers and NaN payloads are exact, decimals
 * are rounded once. Spec: Zarr v1 and v2 "fill_value" (which leave most encodings open), Zarr v3 core and
 * zarr-extensions "fill value representation". docs/dtypes.md has the table.
 */

import { decodeBase64 } from "../util/bytes.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, toPlain } from "../util/json.js";
import { textEncoder } from "../util/platform.js";
import type { DType } from "./dtype.js";
import {
  type FillOptions,
  type FillScalar,
  type FillSource,
  type FillValue,
  isLooseZero,
  refuse,
  swappedItem,
} from "./fill-value.js";
import { decodeFloat, encodeFloat, type FloatFormat, floatsOf, signBit } from "./floats.js";
import { readScalar } from "./scalar.js";
import { withoutNuls } from "./strings.js";

/**
 * Parses a fill value.
 *
 * "strict" selects the rules of Zarr v3. "loose" also accepts the output of v1 and v2 writers: null (zeros);
 * integers as `0.0` or `"0"`; floats as bare tokens or in quotes; bool as 0 or 1; complex as a single number
 * or as base64; byte strings as plain text if they are not base64 of a fitting length; 0 as the zero of
 * strings, bytes and structured types. "plain" selects the rules of v1: loose, but strings are never base64,
 * and structured values are lists of their fields' values.
 * @throws InvalidMetadata (bad-fill-value) for anything else.
 */
export function parseFill(
  dtype: DType,
  json: Json,
  rules: FillSource["rules"],
  options: FillOptions = {},
): FillValue {
  const item = new Uint8Array(dtype.itemBytes);
  if (json === null && (rules !== "strict" || options.allowNull)) return { value: null, item };
  return { value: readFill({ dtype, json, rules, endian: options.endian }, item), item };
}

/** {@link parseFill} with the loose rules. */
export function parseLooseFill(dtype: DType, json: Json, options?: FillOptions): FillValue {
  return parseFill(dtype, json, "loose", options);
}

/** Writes a fill value into the zeroed bytes of one element, and returns it as a {@link FillScalar}. */
function readFill(source: FillSource, item: Uint8Array): FillScalar {
  const { core } = source.dtype;
  switch (core) {
    case "variable":
      return readVariable(source);
    case "bool":
      return readBool(source, item);
    case "raw":
      return readRaw(source, item);
    case "fixed_bytes":
      return readFixedBytes(source, item);
    case "fixed_utf32":
      return readText(source, item);
    case "struct":
      return readStruct(source, item);
    default:
      if (/^u?int|^datetime|^timedelta/.test(core)) return readInteger(source, item);
      return core.startsWith("complex") ? readComplex(source, item) : readFloat(source, item);
  }
}

function readVariable(source: FillSource): FillScalar {
  if (source.dtype.name === "bytes") return readBytes(source);
  return readValue(source);
}

/**
 * Parses an object with a value for every field, or base64 of the packed item; plain: a list of the fields'
 * values is accepted too.
 */
function readStruct(source: FillSource, item: Uint8Array): FillScalar {
  const { dtype, json, rules } = source;
  const fields = dtype.fields!;
  const isList = rules === "plain" && Array.isArray(json);
  if (!isList && !isJsonObject(json)) return readStored(source, item);
  const byName = json as JsonObject;
  const values = isList
    ? json
    : fields.map(({ name }) => (Object.hasOwn(byName, name) ? byName[name] : undefined));
  const isWhole = fields.every(({ shape }, i) => values[i] !== undefined && shape.length === 0);
  if (!isWhole || Object.keys(byName).length !== fields.length) refuse(source);
  fields.forEach(({ dtype: type, offset }, i) => {
    const part = item.subarray(offset, offset + type.itemBytes);
    readFill({ dtype: type, json: values[i]!, rules, endian: undefined }, part);
  });
  return item;
}

/**
 * Parses true and false; also 0 and 1, which zarrita for Python wrote into Zarr v3 (loose: in any numeric
 * notation).
 */
function readBool(source: FillSource, item: Uint8Array): boolean {
  const { json, rules } = source;
  const isNumber = json instanceof JsonNumber && (rules !== "strict" || /^[01]$/.test(json.text));
  const value = isNumber ? json.value : json;
  if (value !== true && value !== false && value !== 0 && value !== 1) refuse(source);
  item[0] = Number(value);
  return Boolean(value);
}

/** Parses an integer of the type's width exactly; loose: also 5.0, 5e0 and "5". Times may be "NaT". */
function readInteger(source: FillSource, item: Uint8Array): number | bigint {
  const { core } = source.dtype;
  const isTime = core === "datetime64" || core === "timedelta64";
  const value = isTime && source.json === "NaT" ? -(2n ** 63n) : integerIn(source);
  const bits = Number(/\d+$/.exec(core)![0]);
  const wrapped = core.startsWith("uint") ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
  if (wrapped !== value) refuse(source);
  for (let i = 0; i < item.length; i++) item[i] = Number((value >> BigInt(8 * i)) & 255n);
  return bits === 64 ? value : Number(value);
}

function integerIn(source: FillSource): bigint {
  const { json, rules } = source;
  if (rules === "strict")
    return json instanceof JsonNumber && json.isInteger && json.text.length <= 40
      ? json.bigint
      : refuse(source);
  const text = json instanceof JsonNumber ? json.text : json;
  const decimal = typeof text === "string" ? parseDecimal(text) : undefined;
  return (decimal && exactInteger(decimal)) ?? refuse(source);
}

/** Parses a float: a number, one of three names, or its bits in hexadecimal. */
function readFloat(source: FillSource, item: Uint8Array): number {
  return writeFloat(source, source.json, floatsOf(source.dtype)?.format, item);
}

/** Parses [re, im]; loose: also a real number, or base64 of the item. */
function readComplex(source: FillSource, item: Uint8Array): [number, number] {
  const { json, rules, dtype } = source;
  const format = floatsOf(dtype)?.format;
  const half = item.length / 2;
  const [re, im] = [item.subarray(0, half), item.subarray(half)];
  if (Array.isArray(json) && json.length === 2) {
    return [writeFloat(source, json[0]!, format, re), writeFloat(source, json[1]!, format, im)];
  }
  if (rules === "strict" || Array.isArray(json)) refuse(source);
  if (typeof json === "string" && !Object.hasOwn(constants, json)) {
    readStored(source, item);
    return readScalar(dtype, item, 0) as [number, number];
  }
  return [writeFloat(source, json, format, re), 0];
}

const constants: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

/** Writes a float in a format (undefined: float64) and returns the number as written, or the value of its bits. */
function writeFloat(
  source: FillSource,
  json: Json,
  format: FloatFormat | undefined,
  item: Uint8Array,
): number {
  if (typeof json === "string" && json.startsWith("0x")) return writeBits(source, json, format, item);
  const text = json instanceof JsonNumber ? json.text : json;
  if (typeof text !== "string") refuse(source);
  const isNumber = json instanceof JsonNumber;
  const constant = Object.hasOwn(constants, text) ? constants[text] : undefined;
  // Strict: special values are quoted, numbers are not.
  if (source.rules === "strict" && isNumber === (constant !== undefined)) refuse(source);
  const decimal = parseDecimal(text);
  if (constant === undefined && !decimal) refuse(source);
  const value = constant ?? Number(text);
  const view = new DataView(item.buffer, item.byteOffset, item.length);
  if (!format) {
    view.setFloat64(0, value, true);
    return value;
  }
  const isRounded = decimal !== undefined && value !== 0 && Number.isFinite(value);
  const code = encodeFloat(format, value, isRounded ? compareSize(decimal, Math.abs(value)) : 0);
  if (code === undefined) refuse(source);
  writeInto(item, code);
  return value;
}

/** Parses "0x" and exactly the digits of the stored number, most significant first. */
function writeBits(
  source: FillSource,
  text: string,
  format: FloatFormat | undefined,
  item: Uint8Array,
): number {
  const digits = text.slice(2);
  if (digits.length !== 2 * item.length || !/^[0-9a-fA-F]+$/.test(digits)) refuse(source);
  for (let i = 0; i < item.length; i++) {
    item[item.length - 1 - i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  }
  const view = new DataView(item.buffer, item.byteOffset, item.length);
  if (!format) return view.getFloat64(0, true);
  const bits = Number.parseInt(digits, 16);
  if (bits >= (format.specials === "scale" ? 1 : 2) * signBit(format)) refuse(source);
  return decodeFloat(format, bits);
}

function writeInto(item: Uint8Array, code: number): void {
  for (let i = 0; i < item.length; i++) item[i] = Math.floor(code / 256 ** i) % 256;
}

/** Returns a list of integers from 0 to 255 as bytes; undefined for other values. */
function byteList(json: Json): Uint8Array | undefined {
  const isByte = (entry: Json) =>
    entry instanceof JsonNumber && /^\d{1,3}$/.test(entry.text) && entry.value < 256;
  if (!Array.isArray(json) || !json.every(isByte)) return undefined;
  return Uint8Array.from(json, (entry) => (entry as JsonNumber).value);
}

/** Parses raw bytes: a list of integers, or base64 of the item; plain: a list of integers, or a string. */
function readRaw(source: FillSource, item: Uint8Array): Uint8Array {
  if (source.rules === "plain" && typeof source.json === "string")
    return writeText(source, source.json, item);
  if (!Array.isArray(source.json)) return readStored(source, item);
  const bytes = byteList(source.json);
  if (bytes?.length !== item.length) refuse(source);
  item.set(bytes);
  return item;
}

/**
 * Parses base64 of the whole element in its stored byte order; rejects everything if the rules are plain.
 * @throws InvalidMetadata unless the length matches exactly.
 */
function readStored(source: FillSource, item: Uint8Array): Uint8Array {
  if (isLooseZero(source)) return item;
  const { json, rules } = source;
  const bytes = typeof json === "string" && rules !== "plain" ? decodeBase64(json, item.length) : undefined;
  if (bytes?.length !== item.length) refuse(source);
  item.set(swappedItem(source.dtype, bytes, source.endian));
  return item;
}

/**
 * Parses a byte string: base64 of at most the item's bytes; loose: also the string itself; plain: only the
 * string itself.
 */
function readFixedBytes(source: FillSource, item: Uint8Array): Uint8Array {
  const { json, rules } = source;
  if (isLooseZero(source)) return item;
  if (typeof json !== "string") refuse(source);
  const bytes = rules === "plain" ? undefined : decodeBase64(json, item.length);
  if (bytes && bytes.length <= item.length) {
    item.set(bytes);
    return item;
  }
  return rules === "strict" ? refuse(source) : writeText(source, json, item);
}

/** Writes a string as UTF-8, padded with NULs. */
function writeText(source: FillSource, text: string, item: Uint8Array): Uint8Array {
  if (text.length > item.length) refuse(source);
  const bytes = textEncoder().encode(text);
  if (bytes.length > item.length) refuse(source);
  item.set(bytes);
  return item;
}

/** Parses a string that fits the item in code points, not counting trailing U+0000. */
function readText(source: FillSource, item: Uint8Array): string {
  if (isLooseZero(source)) return "";
  if (typeof source.json !== "string") refuse(source);
  const text = withoutNuls(source.json);
  if (text.length > item.length / 2) refuse(source); // a code point takes four bytes and at most two characters
  const points = Array.from(text, (char) => char.codePointAt(0)!);
  if (4 * points.length > item.length) refuse(source);
  const view = new DataView(item.buffer, item.byteOffset, item.length);
  points.forEach((point, i) => {
    view.setUint32(4 * i, point, true);
  });
  return text;
}

/** Parses a byte string of any length: a list of integers, or base64; loose: also the string itself. */
function readBytes(source: FillSource): Uint8Array {
  const { json, rules } = source;
  if (isLooseZero(source)) return new Uint8Array(0);
  const bytes = typeof json === "string" ? decodeBase64(json) : byteList(json);
  if (bytes) return bytes;
  return typeof json === "string" && rules === "loose" ? textEncoder().encode(json) : refuse(source);
}

/** Parses a string of any length, or any value for objects. */
function readValue(source: FillSource): FillScalar {
  const { dtype, json } = source;
  if (dtype.name === "object") return toPlain(json);
  if (isLooseZero(source)) return "";
  return typeof json === "string" ? json : refuse(source);
}

const float64 = new DataView(new ArrayBuffer(8));

/** A decimal: ± digits × 10^exponent. */
interface Decimal {
  readonly negative: boolean;
  /** Digits without leading and trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

/** Parses the text of a JSON number; undefined for any other string. Exponents saturate at ±10⁹. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = "", power = "0"] = match;
  const all = `${whole}${fraction}`;
  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  const shift = all.length - end - fraction.length;
  const exponent = Math.max(-1e9, Math.min(1e9, Number(power))) + shift;
  return { negative: sign === "-", digits: all.slice(start, end), exponent };
}

/** Number of digits; the midpoint of two adjacent numbers of any format has fewer. */
const enoughDigits = 800;

/**
 * Returns the sign of (|decimal| − size), for a positive, finite size that is the float64 nearest to the
 * decimal's magnitude. The work is bounded for any number of digits.
 */
export function compareSize({ digits, exponent }: Decimal, size: number): number {
  const kept = digits.slice(0, enoughDigits);
  // The truncated digits only make the decimal slightly larger.
  const cut = digits.length > kept.length;
  const power = exponent + digits.length - kept.length - (cut ? 1 : 0);
  const [mantissa, binary] = apart(size);
  const left = BigInt(cut ? `${kept}1` : kept || "0") * 10n ** clamp(power) * 2n ** clamp(-binary);
  const right = mantissa * 10n ** clamp(-power) * 2n ** clamp(binary);
  return left === right ? 0 : left > right ? 1 : -1;
}

/** The bound is never reached near a finite float64, which the caller guarantees. */
const clamp = (power: number): bigint => BigInt(Math.max(0, Math.min(power, 5000)));

/** Splits a finite positive float64 into an integer and a power of two. */
function apart(size: number): [bigint, number] {
  float64.setFloat64(0, size);
  const bits = float64.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = bits & (2n ** 52n - 1n);
  return exponent === 0 ? [mantissa, -1074] : [mantissa | (2n ** 52n), exponent - 1075];
}

/** Returns the exact integer value of a decimal; undefined if it has a fraction or more than 40 digits. */
function exactInteger({ negative, digits, exponent }: Decimal): bigint | undefined {
  if (digits === "") return 0n;
  if (exponent < 0 || digits.length + exponent > 40) return undefined;
  const size = BigInt(digits) * 10n ** BigInt(exponent);
  return negative ? -size : size;
}
