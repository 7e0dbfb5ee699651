/** Clears elements of stored objects that lie beyond a shape. */

import { type Slice, slice } from "../plan/selection.js";
import type { ArrayReader } from "../read/reader.js";
import type { Store } from "../store/store.js";
import { repeated } from "../util/subarray.js";
import { resolveRegion } from "../write/region-parts.js";
import type { Values } from "../write/values.js";
import { type WriteRegionOptions, writeRegion } from "../write/write-region.js";

/**
 * Clears one stored object. A missing object stays missing.
 * @param reader of the array with the lengths up to which elements are cleared.
 * @param shape beyond which elements are cleared.
 */
export async function clearBeyond(
  store: Store,
  reader: ArrayReader,
  cell: readonly number[],
  shape: readonly number[],
  { signal, recheck }: Pick<WriteRegionOptions, "signal" | "recheck">,
): Promise<void> {
  for (const box of boxesBeyond(reader, cell, shape)) {
    const region = resolveRegion(reader, box);
    await writeRegion(store, reader, region, fillValues(reader, region.counts), {
      signal,
      recheck,
      concurrency: 1,
      conflicts: "retry",
      writeEmptyChunks: false,
      onProgress: undefined,
      encoders: undefined,
      clears: true,
    });
  }
}

/**
 * Returns one box per axis along which elements lie beyond the shape. An element in two boxes counts for the
 * first.
 */
export function boxesBeyond(
  { objectAxes, spec }: ArrayReader,
  cell: readonly number[],
  shape: readonly number[],
): Slice[][] {
  const starts = cell.map((at, axis) => objectAxes[axis]!.start(at));
  const ends = cell.map((at, axis) =>
    Math.min(starts[axis]! + objectAxes[axis]!.size(at), spec.shape[axis]!),
  );
  const borders = shape.map((length, axis) => Math.max(starts[axis]!, Math.min(length, ends[axis]!)));
  const boxes = shape.map((_, cut) =>
    starts.map((start, axis) => {
      if (axis === cut) return slice(borders[axis]!, ends[axis]!);
      return slice(start, axis < cut ? borders[axis]! : ends[axis]!);
    }),
  );
  return boxes.filter((box) => box.every(({ start, stop }) => start! < stop!));
}

/** Returns the fill value for a whole region, bit for bit. */
function fillValues({ firstCodec, spec }: ArrayReader, counts: readonly number[]): Values {
  const { dtype, fill } = spec;
  const strides = counts.map(() => 0);
  const row = counts.at(-1)!;
  if (firstCodec.type === "vlen")
    return {
      content: new Array<unknown>(row).fill(firstCodec.missing()[0]),
      width: 1,
      strides,
      isScalar: true,
    };
  const content = repeated(fill.item, row * dtype.itemBytes);
  return { content, width: dtype.itemBytes, strides, isScalar: true };
}
