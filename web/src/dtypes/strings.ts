/** Strings of fixed length. */

import { checkObject } from "../util/arguments.js";
import { invalidArgument } from "../util/errors.js";
import { textEncoder } from "../util/platform.js";
import type { DType } from "./dtype.js";

/**
 * Packs strings of fixed length, the inverse of `strings`: one item after the other, padded with NULs. Byte
 * strings are encoded as UTF-8.
 * @throws InvalidArgument for strings that do not fit, and for other data types.
 */
export function packStrings(dtype: DType, values: readonly string[]): Uint8Array {
  checkObject(dtype, "a data type");
  const { core, itemBytes } = dtype;
  if (core !== "fixed_utf32" && core !== "fixed_bytes") {
    throw invalidArgument(`data type ${dtype} is not a string of fixed length`);
  }
  const encode = core === "fixed_utf32" ? utf32Bytes : (text: string) => textEncoder().encode(text);
  const limit = core === "fixed_utf32" ? `${itemBytes / 4} characters` : `${itemBytes} bytes`;
  const out = new Uint8Array(values.length * itemBytes);
  values.forEach((value, i) => {
    const bytes = encode(value);
    if (bytes.length > itemBytes) throw invalidArgument(`string ${i} does not fit ${limit}`);
    out.set(bytes, i * itemBytes);
  });
  return out;
}

function utf32Bytes(text: string): Uint8Array {
  const points = Array.from(text, (char) => char.codePointAt(0)!);
  const out = new Uint8Array(4 * points.length);
  const view = new DataView(out.buffer);
  points.forEach((point, i) => {
    view.setUint32(4 * i, point, true);
  });
  return out;
}

/** Returns the bytes of a NUL-padded string. */
export function withoutPadding(item: Uint8Array): Uint8Array {
  let end = item.length;
  while (end > 0 && item[end - 1] === 0) end--;
  return item.subarray(0, end);
}

/** Decodes a NUL-padded UTF-32 string; code points beyond Unicode become U+FFFD. */
export function utf32String(item: Uint8Array): string {
  const view = new DataView(item.buffer, item.byteOffset, item.byteLength);
  let text = "";
  for (let at = 0; at < item.byteLength; at += 4) {
    const code = view.getUint32(at, true);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  }
  return withoutNuls(text);
}

/**
 * Removes trailing U+0000. A loop, because a regular expression takes quadratic time for strings with many
 * inner ones.
 */
export function withoutNuls(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
}
