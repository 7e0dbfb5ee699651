/** Selects the stored objects that a copy visits. */

import type { ZarrArray } from "../hierarchy/array.js";
import type { ArrayReader } from "../read/reader.js";
import type { Box } from "../util/shapes.js";
import { cellBox, chunksIn, elementBox, exactCount, type ObjectBox } from "../walk/boxes.js";
import { boxesToVisit, isSameFill } from "../walk/visit.js";
import { type ArrayCopy, elementBytes } from "./array-copy.js";

/** Chunks that are not visited because they are not stored. */
export interface Unvisited {
  readonly chunks: bigint;
  /** Decoded bytes of their elements. */
  readonly bytes: bigint;
}

/**
 * Omits objects that neither the source nor, for a resumed copy, the destination has stored.
 * @param there the target array in the destination's own store.
 * @param isAsStored whether chunks are copied without being decoded.
 * @throws LimitExceeded for more objects than can be requested one by one.
 */
export async function visitedBoxes(
  { boxes, resume, target, view }: Pick<ArrayCopy, "boxes" | "resume" | "target" | "view">,
  there: ZarrArray,
  isAsStored: boolean,
): Promise<{ boxes: readonly ObjectBox[]; left: Unvisited }> {
  const [from, to] = [view.array.reader, target.reader];
  const cell = cellShape(view, to);
  const toCells = (objects: Box): Box => ({
    from: objects.from.map((at, axis) => Math.floor(at / cell[axis]!)),
    to: objects.to.map((at, axis) => Math.ceil(at / cell[axis]!)),
  });
  const sources = [
    {
      array: view.array,
      count: boxes.reduce((sum, box) => sum + sourceCount(view, box, to), 0n),
      cellsHolding(object: readonly number[]) {
        if (object.some((at, axis) => at >= from.objectAxes[axis]!.count)) return undefined;
        const elements = elementBox({ from: object, to: object.map((at) => at + 1) }, from.objectAxes);
        const shown = view.targetBox(elements);
        return shown && toCells(cellBox(shown, to.objectAxes));
      },
    },
    ...(resume
      ? [
          {
            array: there,
            count: boxes.reduce((sum, box) => sum + exactCount(box), 0n),
            cellsHolding: (object: readonly number[]) =>
              toCells({ from: object, to: object.map((at) => at + 1) }),
          },
        ]
      : []),
  ];
  const visited = await boxesToVisit({
    boxes,
    cell,
    sources,
    needsAll: needsAll(view.array, target, isAsStored),
  });
  const [all, some] = [countWork(boxes, target), countWork(visited, target)];
  return { boxes: visited, left: { chunks: all.chunks - some.chunks, bytes: all.bytes - some.bytes } };
}

/** Counts the chunks in boxes of objects, and the decoded bytes of their elements. */
export function countWork(boxes: readonly ObjectBox[], target: ZarrArray): Unvisited {
  const { reader } = target;
  const elements = boxes.reduce((sum, box) => sum + exactCount(elementBox(box, reader.objectAxes)), 0n);
  return { chunks: chunksIn(boxes, reader), bytes: elements * BigInt(elementBytes(target)) };
}

/** Returns why chunks that the source does not store must be written; undefined if they need not be. */
function needsAll(source: ZarrArray, target: ZarrArray, isAsStored: boolean): string | undefined {
  if (!isSameFill(source, target)) return "the fill value changes, so that all of them are written";
  const isUndefined = !isAsStored && target.spec.fill.value === null;
  return isUndefined ? "the fill value is null, so that all of them are written" : undefined;
}

/** Number of objects of the target along each axis that are about as long as one of the source. */
function cellShape({ array, axes, kept }: ArrayCopy["view"], to: ArrayReader): number[] {
  return kept.map((sourceAxis, axis) => {
    const length = array.reader.objectAxes[sourceAxis]!.size(0) / axes[axis]!.step;
    return Math.max(1, Math.ceil(length / to.objectAxes[axis]!.size(0)));
  });
}

/** Number of objects of the source that may hold elements of a box of objects of the target. */
function sourceCount(view: ArrayCopy["view"], box: ObjectBox, to: ArrayReader): bigint {
  const elements = view.sourceBox(elementBox(box, to.objectAxes));
  return exactCount(cellBox(elements, view.array.reader.objectAxes));
}
