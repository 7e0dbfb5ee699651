/** vlen-array, and nested lists of objects. */

import { componentsOf } from "../dtypes/dtype.js";
import { checkElements, type ElementData, toBytes, toElements } from "../dtypes/elements.js";
import { parseTypestr, type StoredType } from "../dtypes/typestr.js";
import { countOf } from "../util/shapes.js";
import { type ConfigReader, show } from "./config.js";
import {
  badValue,
  checkType,
  corrupt,
  frameItems,
  itemBounds,
  type VlenCodecDefinition,
} from "./vlen-codec.js";

/** `dtype` is the NumPy type string of the items' elements. */
export const vlenArray: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["vlen-array"], 3: ["vlen-array", "numcodecs.vlen-array"] },
  elements: "object",
  parse(config, context) {
    const { codec } = config;
    config.only("dtype");
    checkType(config, context, ["object"]);
    const type = readType(config);
    return {
      decode: (bytes, count) => {
        const bounds = itemBounds(codec, bytes, count);
        return Array.from({ length: count }, (_, i) =>
          decodeItem(codec, type, bytes, bounds[2 * i]!, bounds[2 * i + 1]!),
        );
      },
      encode: (values) =>
        frameItems(
          codec,
          values.map((value, index) => encodeItem(codec, type, value, index)),
        ),
    };
  },
};

function readType(config: ConfigReader): StoredType {
  const text = config.get("dtype");
  if (typeof text !== "string") throw config.error(`"dtype" must be a NumPy type string, not ${show(text)}`);
  return parseTypestr(text);
}

function decodeItem(
  codec: string,
  type: StoredType,
  bytes: Uint8Array,
  start: number,
  end: number,
): ElementData {
  if ((end - start) % type.dtype.itemBytes !== 0) {
    throw corrupt(codec, "corrupt", start, `an element is no multiple of ${type.dtype.itemBytes} bytes`);
  }
  const item = bytes.slice(start, end);
  swap(type, item);
  return toElements(type.dtype, item);
}

function encodeItem(codec: string, type: StoredType, value: unknown, index: number): Uint8Array {
  const { dtype } = type;
  // The default fill value of objects, which pads chunks: encoded like numcodecs does.
  if (value === 0) return new Uint8Array(dtype.itemBytes);
  const length = (value as { byteLength?: unknown } | null)?.byteLength;
  if (typeof length !== "number") throw badValue(codec, "typed arrays", index);
  // Round down: checkElements rejects a partial element.
  const perElement = toElements(dtype, new Uint8Array(dtype.itemBytes)).byteLength;
  checkElements(dtype, value, Math.floor(length / perElement), `codec ${codec}: element ${index}`);
  const item = toBytes(dtype, value).slice();
  swap(type, item);
  return item;
}

/** Converts between stored byte order and little-endian, in place; type strings have one run of components. */
function swap({ dtype, endians }: StoredType, item: Uint8Array): void {
  if (endians[0] !== "big") return;
  const { bytes } = componentsOf(dtype)[0]!;
  for (let at = 0; at < item.length; at += bytes) item.subarray(at, at + bytes).reverse();
}

/**
 * Returns the values of a chunk's list.
 * @param toNumber returns the number in an entry of the shape, or undefined if it is not a number.
 */
export function flatten<T>(
  codec: string,
  document: T,
  count: number,
  isList: (value: T) => value is T & readonly T[],
  toNumber: (value: T) => unknown,
): T[] {
  const wrong = (detail: string) => corrupt(codec, "corrupt", undefined, detail);
  if (!isList(document) || document.length < 2)
    throw wrong("a chunk must be a list that ends with type and shape");
  const last = document[document.length - 1]!;
  const shape = isList(last) ? last.map(toNumber) : undefined;
  if (!shape?.every((length): length is number => Number.isSafeInteger(length) && (length as number) >= 0)) {
    throw wrong("the shape at the end of a chunk's list must be a list of lengths");
  }
  if (countOf(shape) !== count) throw corrupt(codec, "size-mismatch");
  const values: T[] = [];
  const collect = (list: readonly T[], end: number, depth: number): void => {
    if (end !== (shape[depth] ?? 1)) throw wrong("a chunk's list does not have the shape that it names");
    for (let i = 0; i < end; i++) {
      const entry = list[i]!;
      if (depth >= shape.length - 1) values.push(entry);
      else if (isList(entry)) collect(entry, entry.length, depth + 1);
      else throw wrong("a chunk's list does not have the shape that it names");
    }
  };
  collect(document, document.length - 2, 0);
  return values;
}

/** Builds the nested list of a chunk: the inverse of `flatten`. */
export function nest(values: readonly unknown[], shape: readonly number[]): unknown[] {
  const build = (from: number, depth: number): unknown[] => {
    const length = shape[depth]!;
    if (depth === shape.length - 1) return values.slice(from, from + length);
    const step = countOf(shape.slice(depth + 1));
    return Array.from({ length }, (_, i) => build(from + i * step, depth + 1));
  };
  return [...(shape.length === 0 ? values : build(0, 0)), "|O", [...shape]];
}
