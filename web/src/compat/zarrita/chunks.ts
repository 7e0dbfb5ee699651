/** Converts chunks of any strides to C order and assembles them into regions. */

import { type ElementData, toElements } from "../../dtypes/elements.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import type { GetBytesOptions } from "../../hierarchy/get.js";
import { combinations, type Projection, projectRange } from "../../plan/projections.js";
import { type AxisRange, resolveSelection, type Selection } from "../../plan/selection.js";
import { Limiter, settleAll } from "../../util/async.js";
import { invalidArgument } from "../../util/errors.js";
import { countOf, stridesOf } from "../../util/shapes.js";
import { type AnyRegion, isBuffer, type Packed } from "./elements.js";

export interface Strided {
  readonly data: unknown;
  readonly shape: readonly number[];
  /** Default: C order. */
  readonly stride?: readonly number[] | undefined;
  /** Index of the first element, as in ndarray. Default: 0. */
  readonly offset?: number | undefined;
}

type Entries = ElementData | unknown[];

/** Returns the numbers or values of a chunk; the bytes of zarrita's array-likes. @throws InvalidArgument. */
function rawEntries(data: unknown): Entries {
  if (Array.isArray(data) || (ArrayBuffer.isView(data) && !(data instanceof DataView)))
    return data as Entries;
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: width } = (data ?? {}) as Packed;
  if (isBuffer(buffer) && width > 0) return new Uint8Array(buffer, byteOffset, byteLength);
  throw invalidArgument("the data of a chunk must be a typed array, one of zarrita's arrays, or a list");
}

/**
 * Returns the elements of a chunk in C order: the data itself if it is, else a copy; of zarrita's array-likes the bytes.
 * @throws InvalidArgument for strides that lead beyond the data.
 */
export function cOrder(chunk: Strided): Entries {
  const { data, shape, stride = stridesOf(shape), offset = 0 } = chunk;
  const entries = rawEntries(data);
  const perItem = entries === data ? 1 : (data as Packed).BYTES_PER_ELEMENT;
  const held = entries.length / perItem;
  checkStrides(shape, stride, offset, held);
  const count = countOf(shape);
  const order = stridesOf(shape);
  const isPacked = shape.every((length, axis) => length === 1 || stride[axis] === order[axis]);
  if (isPacked && offset === 0 && held === count) return entries;
  const target = new (entries.constructor as new (length: number) => Entries)(count * perItem);
  const axes = shape.map((length, axis) => ({ count: length, from: stride[axis]!, to: order[axis]! }));
  copyBox(entries, target, { from: offset, to: 0, perItem, axes });
  return target;
}

/** @throws InvalidArgument for strides that are not integers, or lead to elements that do not exist. */
function checkStrides(
  shape: readonly number[],
  stride: readonly number[],
  offset: number,
  held: number,
): void {
  const isList = Array.isArray(stride) && stride.length === shape.length;
  if (!isList || ![offset, ...stride].every(Number.isSafeInteger))
    throw invalidArgument("the strides of a chunk must be a list of integers, one per dimension");
  if (countOf(shape) === 0) return;
  let [first, last] = [offset, offset];
  for (const [axis, length] of shape.entries()) {
    first += Math.min(0, (length - 1) * stride[axis]!);
    last += Math.max(0, (length - 1) * stride[axis]!);
  }
  if (first < 0 || !(last < held))
    throw invalidArgument(
      `the strides of the chunk reach elements ${first} to ${last}, but its data has ${held}`,
    );
}

interface StridedCopy {
  /** Index of the first element in either; strides of the axes are in elements, too. */
  readonly from: number;
  readonly to: number;
  /** Number of entries per element. */
  readonly perItem: number;
  readonly axes: readonly { readonly count: number; readonly from: number; readonly to: number }[];
}

/** Copies a box of elements. Different kinds of arrays convert. */
function copyBox(source: Entries, target: Entries, { from, to, perItem, axes }: StridedCopy): void {
  const copy = (axis: number, start: number, end: number): void => {
    if (axis < axes.length) {
      const { count, from, to } = axes[axis]!;
      for (let i = 0; i < count; i++) copy(axis + 1, start + i * from, end + i * to);
    } else for (let i = 0; i < perItem; i++) target[end * perItem + i] = source[start * perItem + i]!;
  };
  copy(0, from, to);
}

export type ReadChunk = (
  coordinates: number[],
) => Promise<{ readonly data: unknown; readonly stride: readonly number[] }>;

/** Reads a region of an array whose `getChunk` an extension replaces: all chunks come through it. */
export async function getChunkwise(
  { dtype, reader, shape: arrayShape }: ZarrArray,
  selection: Selection,
  readChunk: ReadChunk,
  { concurrency = 16, signal, useSharedArrayBuffer = false }: GetBytesOptions,
): Promise<AnyRegion> {
  // Selections of zarrita have no lists of indices.
  const ranges = resolveSelection(selection, arrayShape) as AxisRange[];
  const shape = ranges.filter((range) => !range.dropped).map((range) => range.count);
  const stride = stridesOf(shape);
  const count = countOf(shape);
  const Buffer = useSharedArrayBuffer ? SharedArrayBuffer : ArrayBuffer;
  const data: Entries = dtype.isVariable
    ? new Array<unknown>(count).fill(null)
    : toElements(dtype, new Uint8Array(new Buffer(count * dtype.itemBytes)));
  const perItem = count === 0 ? 1 : data.length / count;
  let kept = 0;
  const outStrides = ranges.map((range) => (range.dropped ? 0 : stride[kept++]!));
  const limiter = new Limiter(concurrency);
  const read = async (projections: readonly Projection[]) => {
    const chunk = await readChunk(projections.map((projection) => projection.chunk));
    const sum = (of: (projection: Projection, axis: number) => number) =>
      projections.reduce((total, projection, axis) => total + of(projection, axis), 0);
    copyBox(rawEntries(chunk.data), data, {
      from: sum(({ start }, axis) => start * chunk.stride[axis]!),
      to: sum(({ out }, axis) => out * outStrides[axis]!),
      perItem,
      axes: projections.map((projection, axis) => ({
        count: projection.count,
        from: projection.step * chunk.stride[axis]!,
        to: outStrides[axis]!,
      })),
    });
  };
  const chunks = combinations(ranges.map((range, i) => projectRange(range, reader.axes[i]!)));
  await settleAll(Array.from(chunks, (projections) => limiter.run(() => read(projections), signal)));
  return { data, shape, stride, dtype };
}
