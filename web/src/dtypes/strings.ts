/** Packs strings of fixed length. */

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
  const out = new Uint8Array(values.length * itemBytes);
  values.forEach((value, i) => {
    const bytes = encode(value);
    if (bytes.length > itemBytes) throw invalidArgument(`string ${i} does not fit ${itemBytes} bytes`);
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
