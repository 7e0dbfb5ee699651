/** Chunks that a smaller shape leaves outside. */
import { limitExceeded, readOnly } from "../../base/errors.js";
import type { AxisGrid } from "../../base/grid.js";
import { countOf } from "../../base/strides.js";
import { joinKey } from "../../store/store.js";
import type { ZarrArray } from "../array.js";

/** Most chunks that are named one by one where the store could list them instead. */
const fewChunks = 4096;

/**
 * Keys of the stored objects (chunks, or shards) that lie outside a new shape altogether: all that may be there, or,
 * where those are many, all that the store lists.
 * @throws ReadOnly for a store that cannot delete; LimitExceeded where they are too many to name, and the store cannot
 *   list.
 */
export async function chunksToDelete(
  array: ZarrArray,
  shape: readonly number[],
): Promise<AsyncIterable<string> | Iterable<string>> {
  const { axes } = array.spec;
  const before = axes.map((axis) => axis.count);
  const after = axes.map((axis, i) => chunksWithin(axis, shape[i]!));
  const count = countOf(before) - countOf(after.map((length, i) => Math.min(length, before[i]!)));
  if (count === 0) return [];
  const { store } = array;
  // Said before anything is written.
  if (typeof store.delete !== "function")
    throw readOnly("the store cannot delete chunks outside the new shape: it has no delete", {
      code: "no-delete",
    });
  const canList = store.list !== undefined || store instanceof Map;
  if (count > fewChunks && canList) return listed(array, before, after);
  if (!(count <= array.limits.readChunks))
    throw limitExceeded(
      `${count} chunks would have to be deleted, more than the limit of ${array.limits.readChunks}`,
    );
  return named(array, before, after);
}

/** Chunks along an axis that hold an element of the new length. */
function chunksWithin(axis: AxisGrid, length: number): number {
  return length === 0 ? 0 : length >= axis.length ? axis.count : axis.find(length - 1) + 1;
}

/** Every chunk outside: for each axis those beyond it there and within it on the axes before. */
function* named(array: ZarrArray, before: readonly number[], after: readonly number[]): Generator<string> {
  for (let axis = 0; axis < before.length; axis++) {
    const from = before.map((_, i) => (i === axis ? after[i]! : 0));
    const to = before.map((count, i) => (i < axis ? Math.min(after[i]!, count) : count));
    for (const coordinates of box(from, to)) yield joinKey(array.path, array.spec.chunkKey(coordinates));
  }
}

function* box(from: readonly number[], to: readonly number[]): Generator<number[]> {
  if (from.some((start, axis) => start >= to[axis]!)) return;
  const at = [...from];
  for (;;) {
    yield [...at];
    let axis = at.length - 1;
    while (axis >= 0 && ++at[axis]! >= to[axis]!) at[axis] = from[axis--]!;
    if (axis < 0) return;
  }
}

async function* listed(
  array: ZarrArray,
  before: readonly number[],
  after: readonly number[],
): AsyncGenerator<string> {
  const { store, path } = array;
  const keys = store.list?.(path) ?? [...(store as unknown as Map<string, unknown>).keys()];
  // All of them first: what is listed must not change meanwhile.
  const all: string[] = [];
  for await (const key of keys as Iterable<string>) if (isOutside(array, key, before, after)) all.push(key);
  yield* all;
}

function isOutside(
  { path, spec }: ZarrArray,
  key: string,
  before: readonly number[],
  after: readonly number[],
): boolean {
  const rank = before.length;
  const numbers = key.match(/\d+/g)?.slice(-rank).map(Number) ?? [];
  if (numbers.length !== rank || key !== joinKey(path, spec.chunkKey(numbers))) return false;
  return numbers.some((at, axis) => at >= after[axis]!);
}
