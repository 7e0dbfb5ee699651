/** Attributes of NetCDF-3 files as JSON. */

import { jsonObject } from "../../metadata/print.js";
import { encodeBase64 } from "../../util/bytes.js";
import { type Json, JsonNumber, type JsonObject } from "../../util/json.js";
import { textOf } from "../file/cursor.js";
import { floatFillAttribute, floatJson } from "../file/documents.js";
import type { Attribute, NumberType } from "./header.js";

/**
 * Returns attributes as JSON: characters as a string, one number as a number, others as lists.
 * @param type type of the variable. Its `_FillValue` is written as xarray does in Zarr v3. Characters lose
 *   theirs, because xarray cannot open arrays of fixed-length strings with a `_FillValue`.
 */
export function attributesOf(attributes: readonly Attribute[], type?: NumberType): JsonObject {
  const values = new Map<string, Json>();
  for (const attribute of attributes) {
    if (values.has(attribute.name)) continue; // as in the NetCDF library, the first one counts
    const isFill = attribute.name === "_FillValue" && attribute.type === type && attribute.count > 0;
    if (isFill && type.name === "char") continue;
    values.set(attribute.name, isFill ? fillAttribute(attribute) : attributeJson(attribute));
  }
  return jsonObject(values);
}

/** Returns the fill value of a variable: its `_FillValue`, or the default of its type. */
export function fillOf(attributes: readonly Attribute[], type: NumberType): Json {
  const own = attributes.find(({ name }) => name === "_FillValue");
  if (own?.type !== type || own.count === 0) return type.name === "char" ? "" : new JsonNumber(type.fill);
  if (type.name === "char") return encodeBase64(own.bytes.subarray(0, 1));
  const number = numbersOf(own)[0]!;
  if (/^-?Infinity$/.test(number.text)) return number.text;
  if (number.text !== "NaN") return number;
  const digits = Array.from(own.bytes.subarray(0, type.bytes), (byte) => byte.toString(16).padStart(2, "0"));
  return `0x${digits.join("")}`;
}

function fillAttribute(attribute: Attribute): Json {
  const { type } = attribute;
  if (!type.name.startsWith("float")) return attributeJson(attribute);
  return floatFillAttribute(numbersOf(attribute)[0]!.value);
}

function attributeJson(attribute: Attribute): Json {
  if (attribute.type.name === "char") return textOf(attribute.bytes.filter((byte) => byte !== 0));
  const numbers = numbersOf(attribute);
  return numbers.length === 1 ? numbers[0]! : numbers;
}

function numbersOf({ type, count, bytes }: Attribute): JsonNumber[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [, sign, kind, bits] = /^(u?)(int|float)(\d+)$/.exec(type.name)!;
  const big = bits === "64" && kind === "int" ? "Big" : "";
  const read = `get${big}${sign ? "Uint" : kind === "int" ? "Int" : "Float"}${bits}` as "getInt16";
  return Array.from({ length: count }, (_, i) => {
    const value: number | bigint = view[read](i * type.bytes);
    return kind === "float" ? floatJson(value) : new JsonNumber(String(value));
  });
}
