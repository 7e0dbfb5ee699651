/** Estimates the cost of reading a view from the shapes of its chunks, and suggests better shapes. */

import { formatByteCount, formatShape } from "../base/format.js";
import { text } from "../language/text.js";
import type { Dataset } from "../source/dataset.js";
import type { Rectangle, Size } from "./camera.js";
import { channelsRead } from "./layers.js";
import type { ViewState } from "./state.js";

/** The view to assess. */
export interface DisplayedView {
  readonly dataset: Dataset;
  readonly state: ViewState;
  /** The visible rectangle in elements of level 0. */
  readonly seen: Rectangle;
  /** The level in use. */
  readonly level: number;
  /** Size of the picture in device pixels. */
  readonly pixels: Size;
}

export interface Advice {
  readonly chunks: number;
  /** Decoded bytes of all chunks in view, and of their visible elements. */
  readonly chunkBytes: number;
  readonly shownBytes: number;
  /** One sentence on the chunk shape and a better choice. */
  readonly sentence: string;
}

/** With more requests than this, their number dominates the time. */
const manyRequests = 256;
/** In chunks smaller than this, the request takes longer than the transfer. */
const smallChunk = 64 * 1024;
/** Less than this is read quickly, whatever its shape. */
const littleBytes = 8 * 2 ** 20;
/** Ratio of decoded to visible bytes above which a shape is unsuitable. */
const muchMore = 4;

/** @returns undefined for data types of variable size. */
export function adviceFor({ dataset, state, seen, level, pixels }: DisplayedView): Advice | undefined {
  const { array = dataset.array, factor, origin } = dataset.levels[level] ?? dataset.levels[0];
  const { itemBytes, isVariable } = array.dtype;
  if (isVariable) return undefined;
  const { shape, chunkShape } = array;
  const spans = state.axes.map((axis, i) => {
    const [from, to] = i === state.axes.length - 1 ? [seen.left, seen.right] : [seen.top, seen.bottom];
    const own = (at: number) => (at - origin[axis]!) / factor[axis]!;
    const first = Math.max(0, Math.floor(own(from)));
    const end = Math.min(shape[axis]!, Math.max(first + 1, Math.ceil(own(to))));
    const chunks = Math.ceil(end / chunkShape[axis]!) - Math.floor(first / chunkShape[axis]!);
    return { axis, elements: end - first, chunks };
  });
  const product = (list: readonly number[]) => list.reduce((a, b) => a * b, 1);
  const planes = planesPerChunk({ dataset, state }, chunkShape);
  const chunks = planes.chunks * product(spans.map((span) => span.chunks));
  const bytesPerChunk = product(chunkShape) * itemBytes;
  const depth = product(chunkShape.filter((_, axis) => !state.axes.includes(axis)));
  const shownBytes = planes.count * product(spans.map((span) => span.elements)) * itemBytes;
  const perPixel = Math.min(
    ...spans.map(({ elements }, i) => elements / (i === spans.length - 1 ? pixels.width : pixels.height)),
  );
  const shownDepth = planes.count / planes.chunks;
  const isSharded = !!array.shardShape;
  const found: Found = { chunks, bytesPerChunk, depth, shownDepth, shownBytes, perPixel, isSharded };
  return {
    chunks,
    chunkBytes: chunks * bytesPerChunk,
    shownBytes,
    sentence: sentenceFor(found, dataset, state, chunkShape),
  };
}

/** Number of planes shown together, one per channel, and their depth in chunks. */
function planesPerChunk(
  { dataset, state }: Pick<DisplayedView, "dataset" | "state">,
  chunkShape: readonly number[],
) {
  const read = channelsRead(dataset, state);
  if (!read || read.indices.length === 0) return { count: 1, chunks: 1 };
  const { axis, indices } = read;
  return {
    count: indices.length,
    chunks: new Set(indices.map((at) => Math.floor(at / chunkShape[axis]!))).size,
  };
}

interface Found {
  readonly chunks: number;
  readonly bytesPerChunk: number;
  /** Slices per chunk. */
  readonly depth: number;
  /** Slices of a chunk that are shown: several if channels share a chunk. */
  readonly shownDepth: number;
  readonly shownBytes: number;
  /** Elements per device pixel, along the axis with fewer. */
  readonly perPixel: number;
  readonly isSharded: boolean;
}

/** Reports only the largest cost. */
function sentenceFor(
  found: Found,
  dataset: Dataset,
  { axes }: ViewState,
  chunkShape: readonly number[],
): string {
  const { chunks, bytesPerChunk, depth, shownDepth, shownBytes, perPixel, isSharded } = found;
  const times = (chunks * bytesPerChunk) / shownBytes;
  const each = formatByteCount(bytesPerChunk);
  const flat = formatShape(chunkShape.map((length, axis) => (axes.includes(axis) ? length : 1)));
  if (axes.length > 1 && perPixel >= 2 && shownBytes > littleBytes && dataset.levels.length === 1)
    return text.advice.unscaled(Math.floor(perPixel) ** 2);
  const fewer = Math.round(depth / shownDepth);
  if (fewer >= muchMore && times >= muchMore) {
    const shown = Math.max(1, Math.round(shownDepth));
    return text.advice.slices(formatShape(chunkShape), depth, shown, flat, fewer, isSharded);
  }
  if (chunks > manyRequests && bytesPerChunk < smallChunk && !isSharded)
    return text.advice.many(chunks, each);
  if (times >= muchMore) return text.advice.large(each, Math.round(times));
  return text.advice.fits;
}
