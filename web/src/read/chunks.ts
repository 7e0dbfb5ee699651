/** Implements `ZarrArray.chunks`: reads chunk after chunk, with a bounded number of chunks read ahead. */

import type { DType } from "../dtypes/dtype.js";
import type { ElementData } from "../dtypes/elements.js";
import type { AxisGrid } from "../metadata/grid.js";
import type { ArraySpec } from "../metadata/spec.js";
import { type AxisSelection, resolveSelection, type Selection, type Slice } from "../plan/selection.js";
import { describeValue, invalidArgument } from "../util/errors.js";
import { allowListeners } from "../util/platform.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";

/** The array whose chunks are read. */
export interface ChunkSource {
  readonly axes: readonly AxisGrid[];
  readonly spec: Pick<ArraySpec, "shape" | "dimensionNames" | "dtype">;
  /** Reads and decodes one whole chunk. */
  read(coordinates: readonly number[], signal: AbortSignal): Promise<WholeChunk>;
}

interface WholeChunk {
  readonly data: ElementData | readonly unknown[];
  readonly shape: readonly number[];
}

export interface ReadChunksOptions {
  readonly signal?: AbortSignal | undefined;
  readonly concurrency?: number | undefined;
}

/** A decoded chunk, clipped to the array. */
export interface PositionedChunk extends WholeChunk {
  readonly coordinates: readonly number[];
  readonly start: readonly number[];
  readonly selection: readonly Slice[];
  readonly stride: readonly number[];
  readonly dtype: DType;
}

const defaultConcurrency = 4;

/**
 * Yields the chunks that a selection touches, in C order. Returning early aborts the chunks read ahead.
 * @throws InvalidSelection, InvalidArgument; the errors of `read`, after all chunks before
 *   the failing one.
 */
export async function* readChunks(
  source: ChunkSource,
  selection: Selection | undefined,
  { signal, concurrency = defaultConcurrency }: ReadChunksOptions,
): AsyncGenerator<PositionedChunk, void, undefined> {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw invalidArgument(`concurrency must be an integer of at least 1, not ${describeValue(concurrency)}`);
  const { spec, axes } = source;
  const wanted = touchedChunks(resolveSelection(selection, spec.shape, spec.dimensionNames, true), axes);
  signal?.throwIfAborted();
  const abort = new AbortController();
  const forward = () => abort.abort(signal!.reason);
  allowListeners(abort.signal);
  signal?.addEventListener("abort", forward, { once: true });
  const ahead: Promise<PositionedChunk>[] = [];
  let hasFailed = false;
  const readAhead = () => {
    while (ahead.length < concurrency && !hasFailed) {
      const next = wanted.next();
      if (next.done) return;
      const chunk = readOne(source, next.value, abort.signal);
      ahead.push(chunk);
      // Thrown where the chunk is yielded, which may be never.
      chunk.catch(() => {
        hasFailed = true;
      });
    }
  };
  try {
    for (readAhead(); ahead.length > 0; ) {
      const chunk = await ahead[0]!;
      abort.signal.throwIfAborted();
      ahead.shift();
      readAhead();
      yield chunk;
      abort.signal.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener("abort", forward);
    abort.abort();
    await Promise.allSettled(ahead);
  }
}

async function readOne(
  source: ChunkSource,
  coordinates: readonly number[],
  signal: AbortSignal,
): Promise<PositionedChunk> {
  const { axes, spec } = source;
  const start = coordinates.map((chunk, axis) => axes[axis]!.start(chunk));
  const chunk = await source.read(coordinates, signal);
  const shape = chunk.shape.map((length, axis) => Math.min(length, axes[axis]!.length - start[axis]!));
  const selection = start.map((from, axis) => ({ start: from, stop: from + shape[axis]!, step: 1 }));
  const data = clip(chunk, shape);
  return { coordinates, start, selection, data, shape, stride: stridesOf(shape), dtype: spec.dtype };
}

/** Returns the elements of a chunk that lie within `inside`; moves them within the chunk's own memory. */
function clip({ data, shape }: WholeChunk, inside: readonly number[]): WholeChunk["data"] {
  if (inside.every((length, axis) => length === shape[axis])) return data;
  const strides = stridesOf(shape, data.length / countOf(shape));
  const row = inside.at(-1)! * strides.at(-1)!;
  const elements = data as unknown as Pick<unknown[], "copyWithin" | "slice">;
  let to = 0;
  for (const at of indices(inside.slice(0, -1))) {
    const from = at.reduce((sum, index, axis) => sum + index * strides[axis]!, 0);
    elements.copyWithin(to, from, from + row);
    to += row;
  }
  return elements.slice(0, to) as unknown as ElementData | readonly unknown[];
}

/**
 * Yields the coordinates of the chunks that contain selected elements, in C order. Lists no more than the
 * selection does, because a grid may have 10^12 chunks.
 */
function* touchedChunks(
  ranges: readonly AxisSelection[],
  axes: readonly AxisGrid[],
  outer: readonly number[] = [],
): Generator<readonly number[]> {
  const axis = outer.length;
  if (axis === ranges.length) return yield outer;
  if (ranges.some(({ count }) => count === 0)) return;
  for (const chunk of chunksAlong(ranges[axis]!, axes[axis]!))
    yield* touchedChunks(ranges, axes, [...outer, chunk]);
}

function* chunksAlong(range: AxisSelection, axis: AxisGrid): Generator<number> {
  if ("indices" in range) {
    yield* [...new Set(range.indices.map((index) => axis.find(index)))].sort((a, b) => a - b);
    return;
  }
  const { start, step, count } = range;
  for (let at = 0; at < count; ) {
    const chunk = axis.find(start + at * step);
    yield chunk;
    at = Math.ceil((axis.start(chunk) + axis.size(chunk) - start) / step);
  }
}
