/** What zarrita's other packages, and programs for its versions 0.5 and 0.6, import besides. */

import { checkObject } from "../../util/arguments.js";
import { invalidArgument, shown } from "../../util/errors.js";
import { checkFunction } from "./arguments.js";
import { InvalidSelectionError } from "./errors.js";
import { type GetOptions, get } from "./indexing.js";
import type { ZarritaArray } from "./nodes.js";
import type { Chunk, DataType, Readable, Scalar, Slice } from "./types.js";
import type { Setter } from "./writing.js";

/** Like `get`, with the region in another package's form. */
export async function getPrepared<
  D extends DataType,
  Store extends Readable,
  Made extends Chunk<D>,
  Sel extends (null | Slice | number)[],
>(
  array: ZarritaArray<D, Store>,
  selection: Sel | null,
  options: GetOptions,
  setter: Setter<D, Made>,
): Promise<null extends Sel[number] ? Made : Slice extends Sel[number] ? Made : Scalar<D>> {
  checkObject(setter, "functions for regions");
  checkFunction(setter.prepare, "prepare");
  const result: unknown = await get(array, selection, options);
  const isElement = selection?.length === array.shape.length && selection.every(isIndex);
  if (isElement || array.shape.length === 0) return result as never;
  const { data, shape, stride } = result as Chunk<D>;
  return setter.prepare(data, shape, stride) as never;
}

const isIndex = (entry: unknown): boolean => typeof entry === "number";

/** Distances of neighbours along each dimension, in elements. @param order of the axes from the slowest on. */
export function stridesIn(shape: readonly number[], order: "C" | "F" | readonly number[]): number[] {
  const isList = (value: unknown) => Array.isArray(value) && Array.from(value).every(Number.isSafeInteger);
  if (!isList(shape))
    throw invalidArgument(`a shape must be a list of lengths, and cannot be ${shown(shape)}`);
  if (order !== "C" && order !== "F" && !isList(order))
    throw invalidArgument(`an order must be "C", "F" or a list of axes, and cannot be ${shown(order)}`);
  const axes = typeof order === "string" ? shape.map((_, axis) => axis) : [...order];
  if (order === "F") axes.reverse();
  if (axes.length !== shape.length)
    throw invalidArgument("Order length must match the number of dimensions.");
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (const axis of axes.reverse()) {
    strides[axis] = step;
    step *= shape[axis]!;
  }
  return strides;
}

/** The positions that a slice stands for in a dimension, as Python has them: start, stop, step. */
export function sliceIndices(slice: Slice, length: number): [number, number, number] {
  checkObject(slice, "a slice");
  const { start, stop, step } = slice;
  const by = step ?? 1;
  if (by === 0) throw new InvalidSelectionError("slice step cannot be zero");
  const [low, high] = by < 0 ? [-1, length - 1] : [0, length];
  const place = (position: number) =>
    Math.min(high, Math.max(low, position < 0 ? position + length : position));
  const from = start === null ? (by < 0 ? high : low) : place(start);
  const to = stop === null ? (by < 0 ? low : high) : place(stop);
  return [from, to, by];
}
