/** The part of an array that is copied, and the stored objects that a copy of it visits. */

import type { ZarrArray } from "../hierarchy/array.js";
import { type AxisRange, resolveSelection, type Selection, slice } from "../plan/selection.js";
import type { ArrayReader } from "../read/reader.js";
import { invalidSelection } from "../util/errors.js";
import type { Box } from "../util/shapes.js";
import { cellBox, chunksIn, elementBox, exactCount, type ObjectBox } from "../walk/boxes.js";
import { boxesToVisit, isSameFill } from "../walk/visit.js";
import { type ArrayCopy, elementBytes } from "./array-copy.js";

/** A selection of an array, with the axes of the target. */
export class View {
  /** Per axis of the array. */
  readonly #ranges: readonly AxisRange[];

  private constructor(
    readonly array: ZarrArray,
    ranges: readonly AxisRange[],
  ) {
    this.#ranges = ranges;
  }

  /** @throws InvalidSelection, also for lists of indices. */
  static of(array: ZarrArray, selection: Selection): View {
    const ranges = resolveSelection(selection, array.shape, array.dimensionNames);
    if (ranges.every((range) => "step" in range)) return new View(array, ranges as AxisRange[]);
    throw invalidSelection("`select` must contain indices and slices, got a list of indices");
  }

  /** An array whose first element lies at a position of the target. */
  static from(array: ZarrArray, origin: readonly number[]): View {
    const ranges = array.shape.map((count, axis) => ({
      start: -origin[axis]!,
      step: 1,
      count,
      dropped: false,
    }));
    return new View(array, ranges);
  }

  get shape(): number[] {
    return this.axes.map(({ count }) => count);
  }

  /** The ranges that are axes of the target. */
  get axes(): readonly AxisRange[] {
    return this.#ranges.filter(({ dropped }) => !dropped);
  }

  /** Axes of the array that the target has. */
  get kept(): readonly number[] {
    return this.#ranges.flatMap(({ dropped }, axis) => (dropped ? [] : [axis]));
  }

  /** Whether all of the array is selected. */
  get isWhole(): boolean {
    return this.#ranges.every(
      ({ start, step, count, dropped }, axis) =>
        !dropped && start === 0 && step === 1 && count === this.array.shape[axis]!,
    );
  }

  /** Selection of the array for a box of the target. */
  selectionFor({ from, to }: Box): Selection {
    let axis = 0;
    return this.#ranges.map(({ start, step, dropped }) => {
      if (dropped) return start;
      const [first, end] = [from[axis]!, to[axis]!];
      axis++;
      return slice(start + first * step, start + (end - 1) * step + 1, step);
    });
  }

  /** Bounding box in the array of a box of the target. */
  sourceBox({ from, to }: Box): Box {
    const kept = this.kept;
    const bounds = this.#ranges.map(({ start, step, dropped }, axis) => {
      if (dropped) return [start, start + 1] as const;
      const at = kept.indexOf(axis);
      return [start + from[at]! * step, start + (to[at]! - 1) * step + 1] as const;
    });
    return { from: bounds.map(([first]) => first), to: bounds.map(([, end]) => end) };
  }

  /** Part of a box of the array that is selected, as a box of the target; undefined if it is empty. */
  targetBox({ from, to }: Box): Box | undefined {
    const bounds: (readonly [first: number, end: number])[] = [];
    for (const [axis, { start, step, count, dropped }] of this.#ranges.entries()) {
      if (dropped && (start < from[axis]! || start >= to[axis]!)) return undefined;
      const first = Math.max(0, Math.ceil((from[axis]! - start) / step));
      const end = Math.min(count, Math.ceil((to[axis]! - start) / step));
      if (!dropped && first >= end) return undefined;
      if (!dropped) bounds.push([first, end]);
    }
    return { from: bounds.map(([first]) => first), to: bounds.map(([, end]) => end) };
  }

  /**
   * Start of the selection along each axis, in cells of a length. Undefined if it does not consist of whole cells, of
   * which the last ones may be cut off by the end of the array.
   */
  cellOffsets(cell: readonly number[]): number[] | undefined {
    if (this.isWhole) return cell.map(() => 0);
    const { shape, spec } = this.array;
    const fits = this.#ranges.every(
      ({ start, step, count, dropped }, axis) =>
        !dropped &&
        step === 1 &&
        start % cell[axis]! === 0 &&
        (start + count === shape[axis]! || count % cell[axis]! === 0),
    );
    return fits && spec.isRegular ? this.#ranges.map(({ start }, axis) => start / cell[axis]!) : undefined;
  }
}

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
function cellShape({ array, axes, kept }: View, to: ArrayReader): number[] {
  return kept.map((sourceAxis, axis) => {
    const length = array.reader.objectAxes[sourceAxis]!.size(0) / axes[axis]!.step;
    return Math.max(1, Math.ceil(length / to.objectAxes[axis]!.size(0)));
  });
}

/** Number of objects of the source that may hold elements of a box of objects of the target. */
function sourceCount(view: View, box: ObjectBox, to: ArrayReader): bigint {
  const elements = view.sourceBox(elementBox(box, to.objectAxes));
  return exactCount(cellBox(elements, view.array.reader.objectAxes));
}
