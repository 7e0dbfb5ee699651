/** Which objects of a copy are visited: of a large array that is mostly empty those that are stored. */
import type { ZarrArray } from "zarr-wasm";
import type { ArrayReader, Box } from "#internal";
import type { ObjectBox } from "../part.js";
import { boxesToVisit } from "../stored-boxes.js";
import { cellsOf, chunksIn, elementsOf, exactCount } from "./boxes.js";
import { isSameFill, itemBytesOf, type Work } from "./work.js";

/** What is not visited, because it is not stored. */
export interface Left {
  readonly chunks: bigint;
  /** Of its elements. */
  readonly bytes: bigint;
}

/**
 * Leaves out objects that are not stored in the source, and of a copy that is resumed not in the destination either.
 * @param there what is copied to, in the destination's own store.
 * @param isAsStored whether chunks are copied without being decoded.
 * @throws an Error for more objects than can be asked for one by one.
 */
export async function visitedBoxes(
  { boxes, resume, target, view }: Pick<Work, "boxes" | "resume" | "target" | "view">,
  there: ZarrArray,
  isAsStored: boolean,
): Promise<{ boxes: readonly ObjectBox[]; left: Left }> {
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
      cellsOf(object: readonly number[]) {
        if (object.some((at, axis) => at >= from.objectAxes[axis]!.count)) return undefined;
        const elements = elementsOf({ from: object, to: object.map((at) => at + 1) }, from.objectAxes);
        const shown = view.shownOf(elements);
        return shown && toCells(cellsOf(shown, to.objectAxes));
      },
    },
    ...(resume
      ? [
          {
            array: there,
            count: boxes.reduce((sum, box) => sum + exactCount(box), 0n),
            cellsOf: (object: readonly number[]) => toCells({ from: object, to: object.map((at) => at + 1) }),
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
  const [all, some] = [sizeOf(boxes, target), sizeOf(visited, target)];
  return { boxes: visited, left: { chunks: all.chunks - some.chunks, bytes: all.bytes - some.bytes } };
}

/** Chunks in boxes of the target's objects, and bytes of their elements. */
export function sizeOf(boxes: readonly ObjectBox[], target: ZarrArray): Left {
  const { reader } = target;
  const elements = boxes.reduce((sum, box) => sum + exactCount(elementsOf(box, reader.objectAxes)), 0n);
  return { chunks: chunksIn(boxes, reader), bytes: elements * BigInt(itemBytesOf(target)) };
}

/** Why chunks that the source has not stored are written. */
function needsAll(source: ZarrArray, target: ZarrArray, isAsStored: boolean): string | undefined {
  if (!isSameFill(source, target)) return "the fill value changes, so that all of them are written";
  const isUndefined = !isAsStored && target.spec.fill.value === null;
  return isUndefined ? "the fill value is null, so that all of them are written" : undefined;
}

/** Objects of the target along each axis that are about as long as one of the source. */
function cellShape({ array, axes, kept }: Work["view"], to: ArrayReader): number[] {
  return kept.map((sourceAxis, axis) => {
    const length = array.reader.objectAxes[sourceAxis]!.size(0) / axes[axis]!.step;
    return Math.max(1, Math.ceil(length / to.objectAxes[axis]!.size(0)));
  });
}

/** Objects of the source that may hold elements of a box of the target's objects. */
function sourceCount(view: Work["view"], box: ObjectBox, to: ArrayReader): bigint {
  const elements = view.sourceOf(elementsOf(box, to.objectAxes));
  return exactCount(cellsOf(elements, view.array.reader.objectAxes));
}
