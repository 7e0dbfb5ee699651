/**
 * The drawn number of an element: the element itself, a part of a complex number, a field of a structured
 * element.
 */

import { type DType, type ElementData, field, type Region } from "zarr-wasm";
import { isComplex, isFloat, isInteger, isTime, notATime } from "../base/format.js";
import { keptFor } from "../base/memo.js";
import type { Numbers } from "../base/plane.js";

export { isComplex, isFloat, isInteger, isTime, notATime };

/** A part of every element: the whole, a field at any depth, or one item of a subarray field. */
export interface Leaf {
  /** Display name: "" for the whole element, "r", "position[2]", "meta.gain". */
  readonly name: string;
  readonly path: readonly string[];
  /** Position in a subarray field, in C order, and the number of its items. */
  readonly item: number;
  readonly items: number;
  readonly dtype: DType;
}

/** The parts of a complex number. */
export const complexParts = {
  magnitude: (re: number, im: number) => Math.hypot(re, im),
  phase: (re: number, im: number) => Math.atan2(im, re),
  real: (re: number) => re,
  imaginary: (_re: number, im: number) => im,
} as const;

/** The number drawn for complex elements. */
export type ComplexPart = keyof typeof complexParts;
export const complexPartNames = Object.keys(complexParts) as ComplexPart[];

/** Whether a type has numbers to draw; text, raw bytes and structs do not. */
export function isNumeric(dtype: DType): boolean {
  return isInteger(dtype) || isFloat(dtype) || isComplex(dtype) || isTime(dtype);
}

/** Maximum number of items of a subarray field to choose from. */
const maxItems = 64;

/**
 * Returns the leaves among the fields of a data type, or the element itself. Cached: structured types can have thousands,
 * and each change of the view needs them.
 */
export const dtypeLeaves = keptFor((dtype: DType): readonly Leaf[] => leavesBelow(dtype, []));

function leavesBelow(dtype: DType, path: readonly string[]): Leaf[] {
  const { fields } = dtype;
  if (!fields) return [{ name: path.join("."), path, item: 0, items: 1, dtype }];
  return fields.flatMap(({ name, dtype: inner, shape }) => {
    const here = [...path, name];
    if (shape.length === 0) return leavesBelow(inner, here);
    // The library cannot access fields inside a subarray of structs.
    if (inner.fields) return [];
    const items = shape.reduce((a, b) => a * b, 1);
    return Array.from({ length: Math.min(items, maxItems) }, (_, item) => ({
      name: `${here.join(".")}[${positionText(item, shape)}]`,
      path: here,
      item,
      items,
      dtype: inner,
    }));
  });
}

/** "2" in one dimension, "1,0" in two. */
function positionText(item: number, shape: readonly number[]): string {
  const position: number[] = [];
  let rest = item;
  for (const length of [...shape].reverse()) {
    position.unshift(rest % length);
    rest = Math.floor(rest / length);
  }
  return position.join(",");
}

/** Whether data are a Float16Array, which some engines have. They are handled as Float32Array. */
export const isHalf = (data: ElementData): boolean =>
  data.BYTES_PER_ELEMENT === 2 && !(data instanceof Int16Array || data instanceof Uint16Array);

/** The chosen number of every element, in the region's order. Shares memory if no conversion is needed. */
export function leafNumbers(region: Region, leaf: Leaf, part: ComplexPart): Numbers {
  const { data } = leaf.path.length > 0 ? field(region, leaf.path) : region;
  if (isComplex(leaf.dtype)) return complexPart(data as Float32Array | Float64Array, leaf, part);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return wideNumbers(data, leaf);
  if (leaf.items === 1) return isHalf(data) ? Float32Array.from(data) : data;
  return Float64Array.from({ length: data.length / leaf.items }, (_, i) => data[i * leaf.items + leaf.item]!);
}

function complexPart(
  data: Float32Array | Float64Array,
  { item, items }: Leaf,
  part: ComplexPart,
): Float64Array {
  const of = complexParts[part];
  const out = new Float64Array(data.length / 2 / items);
  for (let i = 0, at = 2 * item; i < out.length; i++, at += 2 * items) out[i] = of(data[at]!, data[at + 1]!);
  return out;
}

/** 64-bit integers as the nearest numbers; "not a time" as NaN. */
function wideNumbers(data: BigInt64Array | BigUint64Array, { item, items, dtype }: Leaf): Float64Array {
  const out = new Float64Array(data.length / items);
  const hasGaps = isTime(dtype);
  for (let i = 0, at = item; i < out.length; i++, at += items) {
    const value = data[at]!;
    out[i] = hasGaps && value === notATime ? Number.NaN : Number(value);
  }
  return out;
}
