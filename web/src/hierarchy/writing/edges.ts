/** What a smaller shape cuts off from stored objects: filled with the fill value, so that it does not come back. */
import { repeated } from "../../base/subarray.js";
import type { ArraySpec } from "../../metadata/spec.js";
import { ArrayReader } from "../../region/fetch/reader.js";
import { type Slice, slice } from "../../region/selection/selection.js";
import { resolveRegion } from "../../region/write/parts.js";
import type { Values } from "../../region/write/values.js";
import { writeRegion } from "../../region/write/write.js";
import type { ZarrArray } from "../array.js";

/**
 * Gives what clears one object of an array that is being made smaller. Objects that are not stored stay so.
 * @param spec of the array with lengths at which stored objects end: `ends`.
 * @param shape the new one.
 */
export function edgeClearer(
  { store, path, limits }: ZarrArray,
  spec: ArraySpec,
  shape: readonly number[],
  signal: AbortSignal | undefined,
): (cell: readonly number[]) => Promise<void> {
  const reader = new ArrayReader(store, path, spec, limits);
  const { axes } = spec;
  const isCut = (cell: readonly number[], axis: number) =>
    spec.shape[axis]! > shape[axis]! && cell[axis] === axes[axis]!.find(spec.shape[axis]! - 1);
  const options = {
    signal,
    concurrency: 1,
    conflicts: "retry",
    writeEmptyChunks: false,
    onProgress: undefined,
    encoders: undefined,
    clears: true,
  } as const;
  return async (cell) => {
    // One box for each axis along which it is cut; what is in two of them is cleared with the first.
    for (let cut = 0; cut < shape.length; cut++) {
      if (!isCut(cell, cut)) continue;
      const box: Slice[] = cell.map((at, axis) => {
        const start = axes[axis]!.start(at);
        const end = start + axes[axis]!.size(at);
        if (axis === cut) return slice(shape[axis]!, end);
        return slice(start, axis < cut && isCut(cell, axis) ? shape[axis]! : end);
      });
      const region = resolveRegion(reader, box);
      await writeRegion(store, reader, region, fillValues(reader, region.counts), options);
    }
  };
}

/** The fill value for a whole region, bit for bit. */
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
