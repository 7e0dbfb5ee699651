/** Moves values to their position in a chunk. */
import { type Move, moveItems, offsetIn } from "../util/strided-copy.js";
import { stridesOf } from "../util/strides.js";
import type { MemoryArray } from "../util/subarray.js";
import { checkThere } from "./detached.js";
import type { WritePart } from "./region-parts.js";
import type { Values } from "./values.js";

/** Returns the move of values to a part of a chunk, in an array with the chunk's shape. */
export function moveOf(
  { isScalar, strides, width }: Values,
  parts: readonly WritePart[],
  shape: readonly number[],
): Move {
  const places = stridesOf(shape, width);
  let [start, end] = [0, 0];
  const axes = parts.map(({ count, listed, out, start: first, step }, axis) => {
    const [stride, place] = [strides[axis]!, places[axis]!];
    if (!listed) {
      start += out * stride;
      end += first * place;
    }
    // The content of a scalar has the length of one row.
    const row = axis === parts.length - 1 ? width : 0;
    const from = listed ? listed.from.map((at) => at * stride) : stride;
    const to = listed ? listed.at.map((at) => at * place) : step * place;
    return { count, from: isScalar ? row : from, to };
  });
  return { from: start, to: end, itemBytes: width, axes };
}

/** Writes the values of a part of a chunk into the chunk's content. */
export function putValues(
  values: Values,
  parts: readonly WritePart[],
  { content, shape }: MemoryArray,
): void {
  const move = moveOf(values, parts, shape);
  const given = values.content;
  checkThere(given);
  if (given instanceof Uint8Array && content instanceof Uint8Array) moveItems(given, content, move);
  else putEntries(given as unknown[], content as unknown[], move, 0, move.from, move.to);
}

/** The same for lists, along an axis and those after it. */
function putEntries(
  values: readonly unknown[],
  content: unknown[],
  move: Move,
  axis: number,
  from: number,
  to: number,
): void {
  const along = move.axes[axis];
  if (!along) {
    content[to] = values[from];
    return;
  }
  for (let i = 0; i < along.count; i++)
    putEntries(values, content, move, axis + 1, from + offsetIn(along.from, i), to + offsetIn(along.to, i));
}
