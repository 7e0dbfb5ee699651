/**
 * Selects the stored objects that a copy or verification visits: all of a small or dense array; only the stored ones of a
 * large array that is mostly empty.
 */

import { storedObjects } from "../edit/stored-objects.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { ArrayReader } from "../read/reader.js";
import { limitExceeded } from "../util/errors.js";
import { type Box, countOf, positionsIn } from "../util/shapes.js";
import { type ArrayCopy, elementBytes, isSameFill } from "./array-copy.js";
import { cellBox, chunksIn, elementBox, exactCount, intersect, type ObjectBox } from "./boxes.js";

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

/** Up to this number of objects, all are visited. */
const fewObjects = 4096n;
/** Limit for objects that are requested one by one. */
const maxObjects = 2n ** 24n;
/** All objects are visited if at least one in this number is stored. */
const sparseness = 16;

/** An array whose stored objects decide which ones are visited. */
export interface StoredSource {
  readonly array: ZarrArray;
  /** Number of its objects that correspond to objects that may be visited. */
  readonly count: bigint;
  /** Cells that a stored object of it belongs to; undefined for none. */
  cellsHolding(object: readonly number[]): Box | undefined;
}

/** Objects of a grid, and the arrays that show which of them are stored. */
export interface VisitInput {
  /** Objects that may be visited. */
  readonly boxes: readonly ObjectBox[];
  /** Objects of a cell along each axis: several if stored objects are larger than visited ones. */
  readonly cell: readonly number[];
  readonly sources: readonly StoredSource[];
  /** Why all objects have to be visited; undefined if they need not be. */
  readonly needsAll?: string | undefined;
}

/** Cells with stored objects, by their position. */
interface StoredCells {
  readonly cells: ReadonlyMap<string, readonly number[]>;
  /** Number of stored objects. */
  readonly listed: number;
}

/**
 * Returns the objects to visit, as boxes inside the given ones, without overlaps. Objects outside are not stored.
 * Takes about 200 bytes of memory for each stored object, unless one in 16 or more is stored.
 * @throws LimitExceeded for more objects than can be requested one by one.
 */
export async function boxesToVisit(visited: VisitInput): Promise<readonly ObjectBox[]> {
  const { boxes, cell, sources, needsAll } = visited;
  const own = boxes.reduce((sum, box) => sum + exactCount(box), 0n);
  let count = own;
  for (const source of sources) if (source.count > count) count = source.count;
  if (own === 0n || count <= fewObjects) return boxes;
  const stored = needsAll === undefined ? await storedCells(visited) : undefined;
  if (stored === "most") return boxes;
  if (!stored) {
    if (count > maxObjects) throw tooMany(visited, count);
    return boxes;
  }
  const perCell = (Number(count) / Number(own)) * countOf(cell);
  const lookups = stored.cells.size * perCell;
  if (lookups > Math.max(Number(maxObjects), sparseness * stored.listed))
    throw tooMany(visited, BigInt(Math.ceil(lookups)));
  return mergeCells([...stored.cells.values()]).flatMap(({ from, to }) => {
    const objects: Box = {
      from: from.map((at, axis) => at * cell[axis]!),
      to: to.map((at, axis) => at * cell[axis]!),
    };
    return boxes.flatMap((box) => intersect(objects, box) ?? []);
  });
}

/** @returns "most" if enough objects are stored to visit all; undefined if a store cannot list its objects. */
async function storedCells({ boxes, cell, sources }: VisitInput): Promise<StoredCells | "most" | undefined> {
  const cells = new Map<string, readonly number[]>();
  let listed = 0;
  const ownCells = boxes.map(({ from, to }) => ({
    from: from.map((at, axis) => Math.floor(at / cell[axis]!)),
    to: to.map((at, axis) => Math.ceil(at / cell[axis]!)),
  }));
  for (const { array, count, cellsHolding } of sources) {
    const objects = storedObjects(array);
    if (!objects) return undefined;
    let found = 0;
    try {
      for await (const object of objects) {
        const concerned = cellsHolding(object);
        const parts = concerned ? ownCells.flatMap((box) => intersect(concerned, box) ?? []) : [];
        for (const part of parts) for (const at of positionsIn(part)) cells.set(at.join(), at);
        if (parts.length > 0) found++;
        if (found * sparseness >= count) return "most";
      }
    } catch {
      return undefined; // requests for single objects report the problem
    }
    listed += found;
  }
  return { cells, listed };
}

/** Merges cells to boxes: neighbours along the last axis, equal rows of them along the one before, and so on. */
function mergeCells(cells: readonly (readonly number[])[]): Box[] {
  let boxes: Box[] = cells.map((at) => ({ from: at, to: at.map((index) => index + 1) }));
  const rank = cells[0]?.length ?? 0;
  for (let axis = rank - 1; axis >= 0; axis--) boxes = joinBoxes(boxes, axis);
  return boxes.sort((a, b) => compare(a.from, b.from));
}

/** Joins adjacent boxes that differ along one axis only. */
function joinBoxes(boxes: Box[], axis: number): Box[] {
  const others = ({ from, to }: Box) => [...from.toSpliced(axis, 1), ...to.toSpliced(axis, 1)];
  const keyed = boxes.map((box) => ({ box, key: others(box) }));
  keyed.sort((a, b) => compare(a.key, b.key) || a.box.from[axis]! - b.box.from[axis]!);
  const result: { box: Box; key: readonly number[] }[] = [];
  for (const next of keyed) {
    const last = result.at(-1);
    const follows = last && last.box.to[axis] === next.box.from[axis] && compare(last.key, next.key) === 0;
    if (follows) last.box = { from: last.box.from, to: next.box.to };
    else result.push(next);
  }
  return result.map(({ box }) => box);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) if (value !== b[i]) return value - b[i]!;
  return 0;
}

function tooMany({ sources, needsAll }: VisitInput, count: bigint): Error {
  const unlisted = sources.find(({ array }) => !storedObjects(array));
  const why = needsAll ?? (unlisted ? "the store does not list its chunks" : "few of them are stored");
  return limitExceeded(
    `"/${sources[0]!.array.path}" has ${count} chunks to request one by one, more than the limit of ${maxObjects}: ${why}; split the work with \`part\` I/N`,
  );
}
