/** Tables over several axes of an array, and their parts. */

import type { Box } from "../util/shapes.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import { boxLengths } from "../walk/boxes.js";
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
  const { axes: own, values } = table;
  const lengths = own.map((axis) => axes[axis]!.range.count);
  const from = own.map((axis) => box.from[axis]!);
  const shape = boxLengths({ from, to: own.map((axis) => box.to[axis]!) });
  const strides = stridesOf(lengths);
  const start = from.reduce((sum, at, i) => sum + at * strides[i]!, 0);
  // The axes after the last one that is cut are one run.
  let inner = own.length;
  while (inner > 0 && shape[inner - 1] === lengths[inner - 1]) inner--;
  const run = countOf(shape.slice(Math.max(0, inner - 1)));
  if (inner <= 1) return values.subarray(start, start + run) as T;
  const part = new (values.constructor as new (length: number) => T)(countOf(shape));
  let to = 0;
  for (const index of indices(shape.slice(0, inner - 1))) {
    const at = index.reduce((sum, i, axis) => sum + i * strides[axis]!, start);
    part.set(values.subarray(at, at + run), to);
    to += run;
  }
  return part;
}
