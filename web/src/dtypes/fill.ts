/**
 * Fill values: from their JSON form to the exact bytes of one element.
 *
 * Works on JSON text, never through a rounded number: 64-bit integers are exact. Spec: Zarr v1
 * "fill_value" (whose encoding the specification leaves open), Zarr v2 and v3 "fill value encoding".
 */
import { invalidMetadata } from "../errors.js";
import { type Json, JsonNumber, showJson } from "../metadata/json.js";
import type { DType } from "./dtype.js";
import { toHalfBits } from "./half.js";

/** A fill value as programs see it. Complex is [re, im]; raw and structured types are the item's bytes. */
export type FillScalar = number | bigint | boolean | string | [number, number] | Uint8Array | null;

export interface FillValue {
  /** null where the metadata has null: the contents of missing chunks are undefined, and read as zeros. */
  value: FillScalar;
  /** One element, little-endian and packed, `dtype.itemBytes` bytes. */
  item: Uint8Array;
}

function refuse(dtype: DType, json: Json): never {
  throw invalidMetadata(`fill_value ${showJson(json)} is not valid for data type ${dtype}`, {
    code: "bad-fill-value",
  });
}

/**
 * Parses a fill value of Zarr v1 or v2.
 *
 * null is zeros. Numbers may be written as what they mean: integers as `0` or `0.0`, floats also as
 * the bare or quoted tokens NaN, Infinity and -Infinity, bool as 0 or 1, complex as a number or a
 * pair, times as an integer or "NaT". Byte strings, raw and structured items are base64 of the item;
 * a byte string may also be the plain text, if it is no base64 of the right length.
 * @throws InvalidMetadata for anything else.
 */
export function parseLooseFill(dtype: DType, json: Json): FillValue {
  const item = new Uint8Array(dtype.itemBytes);
  if (json === null) return { value: null, item };
  const view = new DataView(item.buffer);
  switch (dtype.core) {
    case "bool":
      return boolFill(dtype, json, item);
    case "float16":
    case "float32":
    case "float64":
      return { value: writeFloat(dtype, json, view, 0, dtype.itemBytes), item };
    case "complex64":
    case "complex128":
      return { value: complexFill(dtype, json, view), item };
    case "datetime64":
    case "timedelta64":
      return {
        value: writeInteger(dtype, json === "NaT" ? new JsonNumber("-9223372036854775808") : json, view),
        item,
      };
    case "fixed_bytes":
    case "raw":
    case "struct":
      return { value: bytesFill(dtype, json, item), item };
    case "fixed_utf32":
      return { value: textFill(dtype, json, view), item };
    default:
      return { value: writeInteger(dtype, json, view), item };
  }
}

function boolFill(dtype: DType, json: Json, item: Uint8Array): FillValue {
  const text = json instanceof JsonNumber ? json.value : json;
  if (text !== true && text !== false && text !== 0 && text !== 1) refuse(dtype, json);
  const value = Boolean(text);
  item[0] = value ? 1 : 0;
  return { value, item };
}

const nonFinite: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

/** Writes a float of `width` bytes and returns the value as it will read back. */
function writeFloat(dtype: DType, json: Json, view: DataView, at: number, width: number): number {
  const text = json instanceof JsonNumber ? json.text : json;
  if (typeof text !== "string") refuse(dtype, json);
  const special = Object.hasOwn(nonFinite, text) ? nonFinite[text] : undefined;
  const value = special ?? (json instanceof JsonNumber ? json.value : Number.NaN);
  if (special === undefined && Number.isNaN(value)) refuse(dtype, json);
  if (width === 2) view.setUint16(at, toHalfBits(value), true);
  else if (width === 4) view.setFloat32(at, value, true);
  else view.setFloat64(at, value, true);
  return value;
}

function complexFill(dtype: DType, json: Json, view: DataView): [number, number] {
  const half = dtype.itemBytes / 2;
  const [re, im] = Array.isArray(json) && json.length === 2 ? json : [json, new JsonNumber("0")];
  return [writeFloat(dtype, re!, view, 0, half), writeFloat(dtype, im!, view, half, half)];
}

/** Writes an integer of the type's width, exactly; -0.0 and 5.0 count as integers, 5.5 does not. */
function writeInteger(dtype: DType, json: Json, view: DataView): number | bigint {
  const text = json instanceof JsonNumber ? json.text : typeof json === "string" ? json : refuse(dtype, json);
  const match = /^(-?\d+)(?:\.0*)?$/.exec(text) ?? refuse(dtype, json);
  const value = BigInt(match[1]!);
  const bits = 8 * dtype.itemBytes;
  const signed = !dtype.core.startsWith("uint");
  const wrapped = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  if (wrapped !== value) refuse(dtype, json);
  for (let i = 0; i < dtype.itemBytes; i++) view.setUint8(i, Number((value >> BigInt(8 * i)) & 255n));
  return bits === 64 ? value : Number(value);
}

function bytesFill(dtype: DType, json: Json, item: Uint8Array): Uint8Array | string {
  if (json instanceof JsonNumber && json.value === 0) return item; // NumPy's "zero" of any type
  if (typeof json !== "string") refuse(dtype, json);
  const bytes = decodeBase64(json);
  if (
    bytes &&
    (bytes.length === item.length || (dtype.core === "fixed_bytes" && bytes.length < item.length))
  ) {
    item.set(bytes);
    return item;
  }
  const text = new TextEncoder().encode(json);
  if (dtype.core !== "fixed_bytes" || text.length > item.length) refuse(dtype, json);
  item.set(text);
  return item;
}

function textFill(dtype: DType, json: Json, view: DataView): string {
  if (json instanceof JsonNumber && json.value === 0) return "";
  if (typeof json !== "string") refuse(dtype, json);
  const points = Array.from(json, (char) => char.codePointAt(0)!);
  if (4 * points.length > dtype.itemBytes) refuse(dtype, json);
  points.forEach((point, i) => {
    view.setUint32(4 * i, point, true);
  });
  return json;
}

/** Standard base64 with padding; undefined for anything else. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const binary = atob(text);
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
