/** Tables over several axes of an array, and their parts. */

import type { ElementData } from "../dtypes/elements.js";
import { type Box, countOf, stridesOf } from "../util/shapes.js";
import { moveItems } from "../util/strided-copy.js";
import type { PlanAxis } from "./axes.js";

/** Values for all positions of some axes, in C order of these. */
export interface JointTable<T extends Float64Array | Uint32Array> {
  readonly axes: readonly number[];
  readonly values: T;
}

/** Returns the values of a box of positions. */
export function partOf<T extends Float64Array | Uint32Array>(
  table: JointTable<T>,
  axes: readonly PlanAxis[],
  box: Box,
): T {
  const shape = table.axes.map((axis) => axes[axis]!.range.count);
  const spans = table.axes.map((axis) => ({
    start: box.from[axis]!,
    count: box.to[axis]! - box.from[axis]!,
  }));
  return gather({ data: table.values, shape }, spans);
}

/** Indices along an axis: every one from `start`, or every `step`th, or those in a list. */
type Indices = { readonly start: number; readonly count: number; readonly step?: number } | readonly number[];

/** Returns some elements of a region in C order. @param indices along each axis. */
export function gather<T extends ElementData>(
  { data, shape }: { readonly data: T; readonly shape: readonly number[] },
  indices: readonly Indices[],
): T {
  const itemBytes = data.BYTES_PER_ELEMENT;
  const counts = indices.map((own) => ("start" in own ? own.count : own.length));
  const [strides, packed] = [stridesOf(shape, itemBytes), stridesOf(counts, itemBytes)];
  const axes = indices.map((own, axis) => {
    const stride = strides[axis]!;
    const from = "start" in own ? stride * (own.step ?? 1) : own.map((index) => index * stride);
    return { count: counts[axis]!, from, to: packed[axis]! };
  });
  const first = indices.reduce<number>(
    (sum, own, axis) => sum + ("start" in own ? own.start * strides[axis]! : 0),
    0,
  );
  const bytes = new Uint8Array(countOf(counts) * itemBytes);
  const all = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  moveItems(all, bytes, { from: first, to: 0, itemBytes, axes });
  return new (data.constructor as new (buffer: ArrayBuffer) => T)(bytes.buffer);
}
