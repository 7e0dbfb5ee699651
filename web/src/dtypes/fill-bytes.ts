/** Parses fill values of strings, bytes, raw and structured types. */

import { decodeBase64 } from "../util/bytes.js";
import { type Json, JsonNumber, toPlain } from "../util/json.js";
import { textEncoder } from "../util/platform.js";
import { componentsOf } from "./dtype.js";
import { type FillScalar, type FillSource, isLooseZero, refuse } from "./fill-value.js";
import { withoutNuls } from "./strings.js";

/** Returns a list of integers from 0 to 255 as bytes; undefined for other values. */
function byteList(json: Json): Uint8Array | undefined {
  const isByte = (entry: Json) =>
    entry instanceof JsonNumber && /^\d{1,3}$/.test(entry.text) && entry.value < 256;
  if (!Array.isArray(json) || !json.every(isByte)) return undefined;
  return Uint8Array.from(json, (entry) => (entry as JsonNumber).value);
}

/** Parses raw bytes: a list of integers, or base64 of the item; plain: a list of integers, or a string. */
export function readRaw(source: FillSource, item: Uint8Array): Uint8Array {
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
export function readStored(source: FillSource, item: Uint8Array): Uint8Array {
  if (isLooseZero(source)) return item;
  const { json, rules } = source;
  const bytes = typeof json === "string" && rules !== "plain" ? decodeBase64(json, item.length) : undefined;
  if (bytes?.length !== item.length) refuse(source);
  item.set(bytes);
  swapItem(source, item);
  return item;
}

/** Reverses the bytes of the item's components that are stored big-endian. */
function swapItem({ dtype, endian }: FillSource, item: Uint8Array): void {
  let at = 0;
  for (const [run, { bytes, count }] of componentsOf(dtype).entries()) {
    const isBig = (typeof endian === "string" ? endian : endian?.[run]) === "big";
    for (let i = 0; i < count; i++, at += bytes) {
      if (isBig) item.subarray(at, at + bytes).reverse();
    }
  }
}

/**
 * Parses a byte string: base64 of at most the item's bytes; loose: also the string itself; plain: only the
 * string itself.
 */
export function readFixedBytes(source: FillSource, item: Uint8Array): Uint8Array {
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
export function readText(source: FillSource, item: Uint8Array): string {
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
export function readBytes(source: FillSource): Uint8Array {
  const { json, rules } = source;
  if (isLooseZero(source)) return new Uint8Array(0);
  const bytes = typeof json === "string" ? decodeBase64(json) : byteList(json);
  if (bytes) return bytes;
  return typeof json === "string" && rules === "loose" ? textEncoder().encode(json) : refuse(source);
}

/** Parses a string of any length, or any value for objects. */
export function readValue(source: FillSource): FillScalar {
  const { dtype, json } = source;
  if (dtype.name === "object") return toPlain(json);
  if (isLooseZero(source)) return "";
  return typeof json === "string" ? json : refuse(source);
}
