/** Reads fields and strings of regions. */

import { checkObject } from "../util/arguments.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { cached, textDecoder } from "../util/platform.js";
import { countOf } from "../util/shapes.js";
import { DType, type Field } from "./dtype.js";
import { checkValues, type ElementData, isTypedArray, toBytes, toElements } from "./elements.js";
import { utf32String, withoutPadding } from "./strings.js";

/** A region of an array: data in C order with its shape. */
export interface ElementRegion {
  readonly data: ElementData;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/**
 * Copies one field out of packed structured elements.
 * @param path the field's name, or a list of names through nested structured types.
 * @returns the field's data, shape (with the shape of a subarray field appended) and data type.
 * @throws InvalidArgument if there is no such field.
 */
export function field(region: ElementRegion, path: string | readonly string[]): ElementRegion {
  checkRegion(region);
  const names = typeof path === "string" ? [path] : path;
  if (!Array.isArray(names))
    throw invalidArgument(`a field name must be a string, got ${describeValue(path)}`);
  let dtype = region.dtype;
  let offset = 0;
  const shape = [...region.shape];
  for (const [depth, name] of names.entries()) {
    const found: Field | undefined = dtype.fields?.find((f) => f.name === name);
    if (!found) throw invalidArgument(`data type ${dtype} has no field "${name}"`);
    if (found.shape.length > 0 && depth < names.length - 1) {
      throw invalidArgument(
        `"${name}" is a subarray of structured elements: its fields have no common stride`,
      );
    }
    offset += found.offset;
    dtype = found.dtype;
    shape.push(...found.shape);
  }
  const count = countOf(region.shape);
  const perItem = countOf(shape.slice(region.shape.length));
  const bytes = pickBytes(
    toBytes(region.dtype, region.data),
    region.dtype.itemBytes,
    offset,
    dtype.itemBytes * perItem,
    count,
  );
  // Boolean arrays are normalised to 0 and 1 when decoded (src/codecs/bytes.cpp); fields of structs are not.
  if (dtype.core === "bool") for (let i = 0; i < bytes.length; i++) bytes[i] = Number(bytes[i] !== 0);
  return { data: toElements(dtype, bytes), shape, dtype };
}

function pickBytes(
  items: Uint8Array,
  itemBytes: number,
  offset: number,
  width: number,
  count: number,
): Uint8Array {
  const out = new Uint8Array(count * width);
  for (let i = 0; i < count; i++) {
    const from = i * itemBytes + offset;
    for (let k = 0; k < width; k++) out[i * width + k] = items[from + k]!;
  }
  return out;
}

/** @throws InvalidArgument if the value is not a region. */
function checkRegion(region: ElementRegion | ValueRegion): void {
  checkObject(region, "a region");
  const { dtype, data, shape } = region;
  const isRight =
    dtype instanceof DType && Array.isArray(shape) && (Array.isArray(data) || isTypedArray(data));
  if (!isRight) throw invalidArgument("expected a region returned by get(), with data, shape and dtype");
}

/** A region of an array whose elements are values of variable length. */
export interface ValueRegion {
  readonly data: readonly unknown[];
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/**
 * Returns strings as JavaScript strings, C order: those of fixed length without their padding, those of
 * variable length unchanged. Byte strings of fixed length are read as UTF-8 (invalid sequences become
 * U+FFFD).
 * @throws InvalidArgument for any other data type, and for objects that are not all strings.
 */
export function strings(region: ElementRegion | ValueRegion): string[] {
  checkRegion(region);
  const { dtype, data } = region;
  if (Array.isArray(data)) {
    checkValues(DType.variable("string"), data, data.length, `data of type ${dtype}`);
    return [...(data as string[])];
  }
  const items = toBytes(dtype, data as ElementData);
  const decode =
    dtype.core === "fixed_utf32" ? utf32String : dtype.core === "fixed_bytes" ? byteString : undefined;
  if (!decode) throw invalidArgument(`data type ${dtype} is not a string`);
  const count = items.byteLength / dtype.itemBytes;
  return Array.from({ length: count }, (_, i) =>
    decode(items.subarray(i * dtype.itemBytes, (i + 1) * dtype.itemBytes)),
  );
}

const utf8 = cached(() => textDecoder());

function byteString(item: Uint8Array): string {
  return utf8().decode(withoutPadding(item));
}
