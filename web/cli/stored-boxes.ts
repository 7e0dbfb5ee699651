/**
 * Which objects of an array a command visits: all of a small or full array; of a large array that is mostly empty those
 * that are stored.
 */
import type { ZarrArray } from "zarr-wasm";
import { type Box, positionsIn, storedObjects } from "#internal";
import { exactCount, intersect } from "./copy/boxes.js";
import type { ObjectBox } from "./part.js";

/** So many objects are visited without asking which are stored. */
const fewObjects = 4096n;
/** Most objects that are asked for one by one. */
const maxObjects = 2n ** 24n;
/** All objects are visited where one in so many is stored. */
const sparseness = 16;

/** An array whose stored objects say what is visited. */
export interface StoredSource {
  readonly array: ZarrArray;
  /** How many objects it may have stored for those that may be visited. */
  readonly count: bigint;
  /** The cells that a stored object of it concerns; undefined for none. */
  cellsOf(object: readonly number[]): Box | undefined;
}

/** Objects of a grid, and what tells which of them are stored. */
export interface Visited {
  /** Objects that may be visited. */
  readonly boxes: readonly ObjectBox[];
  /** Objects along each axis of a cell: where stored objects are larger than those that are visited, about as many. */
  readonly cell: readonly number[];
  readonly sources: readonly StoredSource[];
  /** Why all objects have to be visited, stored or not. */
  readonly needsAll?: string | undefined;
}

/** Cells with stored objects, by their position. */
interface StoredCells {
  readonly cells: ReadonlyMap<string, readonly number[]>;
  /** How many objects are stored. */
  readonly listed: number;
}

/**
 * The objects to visit, as boxes that lie in those given and do not overlap. Those that are left out are not stored.
 * Takes some 200 bytes of memory for each stored object, unless one in 16 or more is stored.
 * @throws an Error for more objects than can be asked for one by one.
 */
export async function boxesToVisit(visited: Visited): Promise<readonly ObjectBox[]> {
  const { boxes, cell, sources, needsAll } = visited;
  const own = boxes.reduce((sum, box) => sum + exactCount(box), 0n);
  const count = sources.reduce((most, source) => (source.count > most ? source.count : most), own);
  if (own === 0n || count <= fewObjects) return boxes;
  const stored = needsAll === undefined ? await storedCells(visited) : undefined;
  if (stored === "most") return boxes;
  if (!stored) {
    if (count > maxObjects) throw tooMany(visited, count);
    return boxes;
  }
  const perCell = (Number(count) / Number(own)) * cell.reduce((a, b) => a * b, 1);
  const lookups = stored.cells.size * perCell;
  if (lookups > Math.max(Number(maxObjects), sparseness * stored.listed))
    throw tooMany(visited, BigInt(Math.ceil(lookups)));
  return merged([...stored.cells.values()]).flatMap(({ from, to }) => {
    const objects: Box = {
      from: from.map((at, axis) => at * cell[axis]!),
      to: to.map((at, axis) => at * cell[axis]!),
    };
    return boxes.flatMap((box) => intersect(objects, box) ?? []);
  });
}

/** @returns "most" where it is not worth while to tell stored objects from others; undefined where the stores do not. */
async function storedCells({ boxes, cell, sources }: Visited): Promise<StoredCells | "most" | undefined> {
  const cells = new Map<string, readonly number[]>();
  let listed = 0;
  const ownCells = boxes.map(({ from, to }) => ({
    from: from.map((at, axis) => Math.floor(at / cell[axis]!)),
    to: to.map((at, axis) => Math.ceil(at / cell[axis]!)),
  }));
  for (const { array, count, cellsOf } of sources) {
    const objects = storedObjects(array);
    if (!objects) return undefined;
    let found = 0;
    try {
      for await (const object of objects) {
        const concerned = cellsOf(object);
        const parts = concerned ? ownCells.flatMap((box) => intersect(concerned, box) ?? []) : [];
        for (const part of parts) for (const at of positionsIn(part)) cells.set(at.join(), at);
        if (parts.length > 0) found++;
        if (found * sparseness >= count) return "most";
      }
    } catch {
      return undefined; // what is wrong shows where objects are asked for one by one
    }
    listed += found;
  }
  return { cells, listed };
}

/** Cells as boxes: neighbours are joined along the last axis, equal rows of them along the one before, and so on. */
function merged(cells: readonly (readonly number[])[]): Box[] {
  let boxes: Box[] = cells.map((at) => ({ from: at, to: at.map((index) => index + 1) }));
  const rank = cells[0]?.length ?? 0;
  for (let axis = rank - 1; axis >= 0; axis--) boxes = joined(boxes, axis);
  return boxes.sort((a, b) => compare(a.from, b.from));
}

/** Joins boxes that differ along one axis only, and follow one another there. */
function joined(boxes: Box[], axis: number): Box[] {
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

function tooMany({ sources, needsAll }: Visited, count: bigint): Error {
  const unlisted = sources.find(({ array }) => !storedObjects(array));
  const why = needsAll ?? (unlisted ? "the store does not list its chunks" : "few of them are stored");
  return new Error(
    `"/${sources[0]!.array.path}" has ${count} chunks to be asked for one by one, more than the limit of ${maxObjects}: ${why}; --part I/N shares them out`,
  );
}
