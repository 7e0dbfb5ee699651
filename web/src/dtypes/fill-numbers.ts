/** Parses fill values of bool, integers, times, floats and complex numbers. */
import { type Json, JsonNumber } from "../util/json.js";
import { compareSize, integerOf, parseDecimal } from "./decimals.js";
import { readStored } from "./fill-bytes.js";
import { type FillSource, refuse } from "./fill-value.js";
import { decodeFloat, encodeFloat, type FloatFormat, floatsOf, signOf } from "./floats.js";
import { readScalar } from "./scalar.js";

/**
 * Parses true and false; also 0 and 1, which zarrita for Python wrote into Zarr v3 (loose: in any numeric
 * notation).
 */
export function readBool(source: FillSource, item: Uint8Array): boolean {
  const { json, rules } = source;
  const isNumber = json instanceof JsonNumber && (rules !== "strict" || /^[01]$/.test(json.text));
  const value = isNumber ? json.value : json;
  if (value !== true && value !== false && value !== 0 && value !== 1) refuse(source);
  item[0] = Number(value);
  return Boolean(value);
}

/** Parses an integer of the type's width exactly; loose: also 5.0, 5e0 and "5". Times may be "NaT". */
export function readInteger(source: FillSource, item: Uint8Array): number | bigint {
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
  return (decimal && integerOf(decimal)) ?? refuse(source);
}

/** Parses a float: a number, one of three names, or its bits in hexadecimal. */
export function readFloat(source: FillSource, item: Uint8Array): number {
  return writeFloat(source, source.json, floatsOf(source.dtype)?.format, item);
}

/** Parses [re, im]; loose: also a real number, or base64 of the item. */
export function readComplex(source: FillSource, item: Uint8Array): [number, number] {
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
  if (bits >= (format.specials === "scale" ? 1 : 2) * signOf(format)) refuse(source);
  return decodeFloat(format, bits);
}

function writeInto(item: Uint8Array, code: number): void {
  for (let i = 0; i < item.length; i++) item[i] = Math.floor(code / 256 ** i) % 256;
}
