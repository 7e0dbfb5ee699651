/** Regions of arrays whose `getChunk` an extension has replaced: every chunk must come through it. */

import { type ElementData, toElements } from "../../dtypes/elements.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import type { ReadOptions } from "../../hierarchy/get.js";
import { combinations, type Projection, projectionsOf } from "../../plan/projections.js";
import type { AxisRange, Selection } from "../../plan/selection.js";
import { resolveSelection } from "../../plan/selection.js";
import { Limiter } from "../../util/limiter.js";
import { settleAll } from "../../util/settle-all.js";
import { countOf, stridesOf } from "../../util/strides.js";
import type { AnyRegion } from "./nodes.js";

/** A chunk as `getChunk` gives it. */
interface GivenChunk {
  readonly data: unknown;
  readonly stride: readonly number[];
}

export type ReadChunk = (coordinates: number[]) => Promise<GivenChunk>;
type Entries = ElementData | unknown[];

/** Reads a region, a chunk at a time, and copies its elements one by one, whatever the chunks' strides. */
export async function getChunkwise(
  array: ZarrArray,
  selection: Selection,
  readChunk: ReadChunk,
  { concurrency = 16, signal, useSharedArrayBuffer = false }: ReadOptions,
): Promise<AnyRegion> {
  const { dtype, reader } = array;
  // Lists of indices are no selections of zarrita's.
  const ranges = resolveSelection(selection, array.shape) as AxisRange[];
  const shape = ranges.filter((range) => !range.dropped).map((range) => range.count);
  const stride = stridesOf(shape);
  const count = countOf(shape);
  const data: Entries = dtype.isVariable
    ? new Array<unknown>(count).fill(null)
    : toElements(dtype, zeros(count * dtype.itemBytes, useSharedArrayBuffer));
  const width = count === 0 ? 1 : data.length / count;
  let axis = 0;
  const outStrides = ranges.map((range) => (range.dropped ? 0 : stride[axis++]!));
  const limiter = new Limiter(concurrency);
  const read = async (projections: readonly Projection[]) => {
    const chunk = await readChunk(projections.map((projection) => projection.chunk));
    copyProjection(entriesOf(chunk.data), chunk.stride, data, outStrides, projections, width);
  };
  const chunks = combinations(ranges.map((range, i) => projectionsOf(range, reader.axes[i]!)));
  await settleAll(Array.from(chunks, (projections) => limiter.run(() => read(projections), signal)));
  return { data, shape, stride, dtype };
}

function zeros(bytes: number, isShared: boolean): Uint8Array {
  return new Uint8Array(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
}

/** The numbers, bytes or values of a chunk's elements: array-likes of zarrita's by their bytes. */
function entriesOf(data: unknown): Entries {
  if (Array.isArray(data) || (ArrayBuffer.isView(data) && !(data instanceof DataView)))
    return data as Entries;
  const { buffer, byteOffset, byteLength } = data as Uint8Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function copyProjection(
  from: Entries,
  fromStride: readonly number[],
  to: Entries,
  toStride: readonly number[],
  projections: readonly Projection[],
  width: number,
): void {
  const copy = (axis: number, source: number, target: number): void => {
    const projection = projections[axis];
    if (!projection) {
      for (let k = 0; k < width; k++) to[width * target + k] = from[width * source + k]!;
      return;
    }
    for (let i = 0; i < projection.count; i++) {
      const start = source + (projection.start + i * projection.step) * fromStride[axis]!;
      copy(axis + 1, start, target + (projection.out + i) * toStride[axis]!);
    }
  };
  copy(0, 0, 0);
}
