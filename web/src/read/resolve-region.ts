/** Resolves the selection of a read, within the limits. */

import { type AxisPicks, type Projection, pickCount, projectPicks } from "../plan/projections.js";
import { type AxisSelection, resolveSelection, type Selection } from "../plan/selection.js";
import { limitExceeded } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import type { AssembleOptions } from "./assemble.js";
import type { ArrayReader } from "./reader.js";
import type { DecodePool } from "./sink.js";

/** Checked options of a read. */
export interface RegionOptions extends AssembleOptions {
  readonly pool?: DecodePool | undefined;
}

/** A resolved selection: the elements to read, and those to pick from them. */
export interface Wanted {
  /** Shape of the result. */
  readonly shape: readonly number[];
  readonly axes: readonly AxisPicks[];
}

/** An axis without elements to read. */
const nothing: AxisPicks = { projections: [], length: 0, picks: undefined };

/** @throws InvalidSelection, LimitExceeded. */
export function resolveWanted(reader: ArrayReader, selection: Selection | undefined): Wanted {
  const { spec, axes } = reader;
  const ranges = resolveSelection(selection, spec.shape, spec.dimensionNames, true);
  const shape = ranges.filter((range) => !range.dropped).map((range) => range.count);
  // Whatever the lengths of the other axes, their chunks are not listed.
  if (ranges.some((range) => range.count === 0)) return { shape, axes: ranges.map(() => nothing) };
  // Checked before chunks are listed.
  checkSize(countOf(shape) * (spec.dtype.itemBytes || 8), reader);
  checkChunks(countChunks(ranges, reader), reader);
  return { shape, axes: ranges.map((range, axis) => projectPicks(range, axes[axis]!)) };
}

/**
 * Returns the number of chunks that a selection touches, including inner chunks of shards. @throws
 * InvalidSelection.
 */
export function chunksTouched(reader: ArrayReader, selection: Selection | undefined): number {
  const { shape, dimensionNames } = reader.spec;
  return countChunks(resolveSelection(selection, shape, dimensionNames, true), reader);
}

const countChunks = (ranges: readonly AxisSelection[], { axes }: ArrayReader): number =>
  countOf(ranges.map((range, axis) => pickCount(range, axes[axis]!)));

export const projectionsOf = ({ axes }: Wanted): readonly (readonly Projection[])[] =>
  axes.map((axis) => axis.projections);
export const hasLists = ({ axes }: Wanted): boolean => axes.some((axis) => axis.picks !== undefined);
export const readCount = ({ axes }: Wanted): number => countOf(axes.map((axis) => axis.length));

/** @throws LimitExceeded. */
export function checkSize(bytes: number, { limits }: ArrayReader): void {
  if (!(bytes <= limits.resultBytes))
    throw limitExceeded(`the selection has ${bytes} bytes, more than the limit of ${limits.resultBytes}`);
}

function checkChunks(count: number, { limits }: ArrayReader): void {
  if (!(count <= limits.readChunks))
    throw limitExceeded(`the selection touches ${count} chunks, more than the limit of ${limits.readChunks}`);
}
