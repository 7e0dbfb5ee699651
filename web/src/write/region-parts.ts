/** Splits a selection to write into chunks. */

import type { AxisGrid } from "../metadata/grid.js";
import { pickCount } from "../plan/orthogonal.js";
import { type Projection, projectionsOf } from "../plan/projections.js";
import { type AxisIndices, resolveSelection, type Selection } from "../plan/selection.js";
import type { ArrayReader } from "../read/reader.js";
import { limitExceeded } from "../util/errors.js";
import { countOf } from "../util/shapes.js";

/** The part of a chunk to write, along one axis. */
export interface WritePart extends Projection {
  /**
   * For a list selection: unique positions in the chunk, and the index of each one's value. `start`, `step`
   * and `out` are then meaningless.
   */
  readonly listed?: { readonly at: readonly number[]; readonly from: readonly number[] };
}

/** A resolved selection to write to. */
export interface WrittenRegion {
  /** Shape of the values, as returned by `get`. */
  readonly shape: readonly number[];
  /** Number of elements along each axis of the array. */
  readonly counts: readonly number[];
  /** For each axis, the parts of chunks. */
  readonly parts: readonly (readonly WritePart[])[];
  readonly hasLists: boolean;
}

/** @throws InvalidSelection, LimitExceeded. */
export function resolveRegion(reader: ArrayReader, selection: Selection | undefined): WrittenRegion {
  const { axes, limits, spec } = reader;
  const ranges = resolveSelection(selection, spec.shape, spec.dimensionNames);
  const chunks = countOf(ranges.map((range, axis) => pickCount(range, axes[axis]!)));
  // Checked before chunks are listed.
  if (!(chunks <= limits.readChunks))
    throw limitExceeded(
      `the selection touches ${chunks} chunks, more than the limit of ${limits.readChunks}`,
    );
  return {
    shape: ranges.filter((range) => !range.dropped).map((range) => range.count),
    counts: ranges.map((range) => range.count),
    parts: ranges.map((range, axis) =>
      "indices" in range ? listedParts(range, axes[axis]!) : projectionsOf(range, axes[axis]!),
    ),
    hasLists: ranges.some((range) => "indices" in range),
  };
}

/** If an index is listed twice, the last value counts, as in NumPy. */
function listedParts({ indices }: AxisIndices, axis: AxisGrid): WritePart[] {
  const chunks = new Map<number, Map<number, number>>();
  indices.forEach((index, from) => {
    const chunk = axis.find(index);
    const at = chunks.get(chunk) ?? new Map<number, number>();
    chunks.set(chunk, at.set(index - axis.start(chunk), from));
  });
  return [...chunks]
    .sort(([a], [b]) => a - b)
    .map(([chunk, places]) => {
      const listed = { at: [...places.keys()], from: [...places.values()] };
      return { chunk, start: 0, step: 1, count: places.size, out: 0, listed };
    });
}

/** Returns a whole chunk, including elements outside the array. */
export function wholeChunk({ axes }: ArrayReader, coordinates: readonly number[]): WrittenRegion {
  const shape = coordinates.map((chunk, axis) => axes[axis]!.size(chunk));
  const parts = shape.map((count, axis) => [{ chunk: coordinates[axis]!, start: 0, step: 1, count, out: 0 }]);
  return { shape, counts: shape, parts, hasLists: false };
}

/** Returns the number of elements inside the array in a part of a chunk. */
export function insideCount(parts: readonly WritePart[], axes: readonly AxisGrid[]): number {
  return countOf(parts.map(({ chunk, count }, axis) => Math.min(count, lengthWithin(axes[axis]!, chunk))));
}

/** Returns the number of elements inside the array in a chunk or another grid cell. */
export function elementsWithin(cell: readonly number[], axes: readonly AxisGrid[]): number {
  return countOf(cell.map((at, axis) => lengthWithin(axes[axis]!, at)));
}

const lengthWithin = (axis: AxisGrid, cell: number): number =>
  Math.min(axis.size(cell), axis.length - axis.start(cell));
