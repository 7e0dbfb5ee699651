/**
 * Selects the stored objects that a walk through an array visits: all of a small or dense array; only the stored ones of a
 * large array that is mostly empty.
 */

import { storedObjects } from "../edit/stored-objects.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { limitExceeded } from "../util/errors.js";
import { type Box, countOf, positionsIn } from "../util/shapes.js";
import { exactCount, intersect, type ObjectBox } from "./boxes.js";

/** Whether missing chunks of both arrays have the same elements. A null fill value leaves them undefined. */
export function isSameFill(from: ZarrArray, to: ZarrArray): boolean {
  const isUndefined = to.spec.fill.value === null && from.spec.fill.value !== null;
  return !isUndefined && fillText(from) === fillText(to);
}

/** Prints the value of elements that are not stored, for comparison. */
function fillText({ spec: { fill }, reader }: ZarrArray): string {
  if (fill.item.length > 0) return fill.item.join();
  const missing = reader.firstCodec.missing();
  return JSON.stringify(missing.length > 0 ? missing[0] : fill.value);
}

/** Up to this number of objects, all are visited. */
const fewObjects = 4096n;
/** Limit for objects that are requested one by one. */
export const maxObjects = 2n ** 24n;
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
  readonly signal?: AbortSignal | undefined;
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
async function storedCells({
  boxes,
  cell,
  signal,
  sources,
}: VisitInput): Promise<StoredCells | "most" | undefined> {
  const cells = new Map<string, readonly number[]>();
  let listed = 0;
  const ownCells = boxes.map(({ from, to }) => ({
    from: from.map((at, axis) => Math.floor(at / cell[axis]!)),
    to: to.map((at, axis) => Math.ceil(at / cell[axis]!)),
  }));
  for (const { array, count, cellsHolding } of sources) {
    const objects = storedObjects(array, signal);
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
      signal?.throwIfAborted();
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
