/** Boxes of elements and of stored objects. */
import { type ArrayReader, type Box, positionsIn } from "#internal";
import { productOf } from "../part.js";

export const lengthsOf = ({ from, to }: Box): number[] => to.map((end, axis) => end - from[axis]!);

export const countIn = (box: Box): number => lengthsOf(box).reduce((a, b) => a * b, 1);

/** As {@link countIn}, exact for boxes of any size. */
export const exactCount = (box: Box): bigint => productOf(lengthsOf(box));

/** The part of a box that lies in another one; undefined for none. */
export function intersect(a: Box, b: Box): Box | undefined {
  const from = a.from.map((start, axis) => Math.max(start, b.from[axis]!));
  const to = a.to.map((end, axis) => Math.min(end, b.to[axis]!));
  return from.every((start, axis) => start < to[axis]!) ? { from, to } : undefined;
}

/** A box cut into tiles of a shape (smaller ones at its far sides), in C order. */
export function* tilesOf(box: Box, shape: readonly number[]): Generator<Box> {
  const counts = lengthsOf(box).map((length, axis) => Math.ceil(length / shape[axis]!));
  for (const at of positionsIn({ from: counts.map(() => 0), to: counts })) {
    const from = at.map((index, axis) => box.from[axis]! + index * shape[axis]!);
    yield { from, to: from.map((start, axis) => Math.min(start + shape[axis]!, box.to[axis]!)) };
  }
}

type Axes = ArrayReader["axes"];

/** Chunks in boxes of stored objects: of shards those inside. */
export const chunksIn = (boxes: readonly Box[], { axes, objectAxes }: ArrayReader): bigint =>
  boxes.reduce((sum, box) => sum + exactCount(cellsOf(elementsOf(box, objectAxes), axes)), 0n);

/** The elements of the array that cells of a grid hold. */
export function elementsOf({ from, to }: Box, axes: Axes): Box {
  return {
    from: from.map((cell, axis) => axes[axis]!.start(cell)),
    to: to.map((cell, axis) => {
      const { length } = axes[axis]!;
      return cell === 0 ? 0 : Math.min(length, axes[axis]!.start(cell - 1) + axes[axis]!.size(cell - 1));
    }),
  };
}

/** The cells of a grid that hold any of some elements, of which there is at least one. */
export function cellsOf({ from, to }: Box, axes: Axes): Box {
  return {
    from: from.map((start, axis) => axes[axis]!.find(start)),
    to: to.map((end, axis) => axes[axis]!.find(end - 1) + 1),
  };
}
