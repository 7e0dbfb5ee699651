/**
 * Common format of json2 and msgpack2: a chunk is one list of the values, nested along the chunk's axes,
 * followed by NumPy's name of the data type and by the shape.
 *
 * Trust: lists are nested exactly as deep as the shape, every list must have the shape's length, and the
 * total must be exactly the expected number of elements. Spec: numcodecs json.py and msgpacks.py.
 */
import { countOf } from "../util/strides.js";
import { corrupt } from "./vlen-framing.js";

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
