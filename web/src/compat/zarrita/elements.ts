/** Data types and elements in zarrita's forms. */

import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";
import type { FillScalar } from "../../dtypes/fill-source.js";
import { withoutPadding } from "../../dtypes/padded.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { textDecoder } from "../../util/platform.js";
import { BoolArray, ByteStringArray, UnicodeStringArray } from "./arrays.js";

/** What zarrita calls a data type; this library's name for those that it does not have. */
export function dtypeName({ dtype, zarrFormat }: Pick<ZarrArray, "dtype" | "zarrFormat">): string {
  if (dtype.core === "fixed_bytes") return `v2:S${dtype.itemBytes}`;
  if (dtype.core === "fixed_utf32") return `v2:U${dtype.itemBytes / 4}`;
  return dtype.isVariable && zarrFormat < 3 ? "v2:object" : dtype.name;
}

/** Elements as zarrita hands them out, over the same memory. */
export function dataOf(
  { core, itemBytes }: DType,
  data: ElementData | readonly unknown[],
): ElementData | readonly unknown[] | BoolArray | ByteStringArray | UnicodeStringArray {
  if (!ArrayBuffer.isView(data)) return data;
  const { buffer, byteOffset, byteLength } = data;
  const count = byteLength / itemBytes;
  if (core === "bool") return new BoolArray(buffer, byteOffset, count);
  if (core === "fixed_bytes") return new ByteStringArray(itemBytes, buffer, byteOffset, count);
  return core === "fixed_utf32" ? new UnicodeStringArray(itemBytes / 4, buffer, byteOffset, count) : data;
}

/** The one element of a result without dimensions; of types whose elements are several numbers, those. */
export function scalarOf(data: unknown): unknown {
  if (data instanceof BoolArray || data instanceof ByteStringArray || data instanceof UnicodeStringArray)
    return data.get(0);
  const values = data as ArrayLike<unknown>;
  return values.length === 1 ? values[0] : data;
}

/** A fill value as zarrita has it: byte strings as text. */
export function fillOf({ core }: DType, fill: FillScalar): unknown {
  if (core !== "fixed_bytes" || !(fill instanceof Uint8Array)) return fill;
  return textDecoder().decode(withoutPadding(fill));
}
