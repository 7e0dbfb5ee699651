/** Divides a level into blocks that are processed one by one, and copies unchanged ones without decoding. */

import { listsChunks, storedObjects } from "../../../edit/stored-objects.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import type { ArraySpec } from "../../../metadata/spec.js";
import { callStore } from "../../../store/read.js";
import { joinKey, type Store } from "../../../store/store.js";
import { deleteObject, writeObject } from "../../../store/write.js";
import { limitExceeded, withDetails } from "../../../util/errors.js";
import { countOf, positionsIn } from "../../../util/shapes.js";

/** A box of `shape` elements from `start` along each axis. */
export interface Block {
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

/** A grid of blocks over a shape. */
export class Blocks {
  readonly #grid: readonly number[];
  readonly count: number;

  constructor(
    private readonly whole: readonly number[],
    private readonly block: readonly number[],
  ) {
    this.#grid = whole.map((length, axis) => Math.ceil(length / block[axis]!));
    this.count = countOf(this.#grid);
  }

  /** Returns a block by its number in C order, clipped to the shape. */
  at(index: number): Block {
    const position = new Array<number>(this.block.length);
    let rest = index;
    for (let axis = this.block.length - 1; axis >= 0; axis--) {
      position[axis] = rest % this.#grid[axis]!;
      rest = Math.floor(rest / this.#grid[axis]!);
    }
    return this.atPosition(position);
  }

  /** Returns the number of a block in C order. */
  indexOf(position: readonly number[]): number {
    return position.reduce((index, at, axis) => index * this.#grid[axis]! + at, 0);
  }

  /** Returns the positions of the blocks that hold elements from `from` (inclusive) to `to` (exclusive). */
  around(from: readonly number[], to: readonly number[]): { from: number[]; to: number[] } {
    const block = (at: number, axis: number) => at / this.block[axis]!;
    return {
      from: from.map((at, axis) => Math.floor(block(at, axis))),
      to: to.map((at, axis) => Math.min(this.#grid[axis]!, Math.ceil(block(at, axis)))),
    };
  }

  /** Returns a block by its position in the grid, clipped to the shape. */
  atPosition(position: readonly number[]): Block {
    const start = position.map((at, axis) => at * this.block[axis]!);
    const shape = start.map((from, axis) => Math.min(this.block[axis]!, this.whole[axis]! - from));
    return { start, shape };
  }

  /**
   * Returns the number of units (such as chunks) in the first `blocks` blocks. Each block consists of whole
   * units.
   */
  unitsBefore(blocks: number, unit: readonly number[]): number {
    const unitsIn = (axis: number, from: number, to: number) => {
      const end = Math.min(to * this.block[axis]!, this.whole[axis]!);
      return Math.ceil(Math.max(0, end - from * this.block[axis]!) / unit[axis]!);
    };
    let units = 0;
    let share = 1; // units of the block along the preceding axes
    let rest = blocks;
    for (let axis = 0; axis < this.block.length; axis++) {
      const row = countOf(this.#grid.slice(axis + 1));
      const at = Math.floor(rest / row);
      rest -= at * row;
      const others = this.whole.slice(axis + 1).map((length, i) => Math.ceil(length / unit[axis + 1 + i]!));
      units += share * unitsIn(axis, 0, at) * countOf(others);
      share *= unitsIn(axis, at, at + 1);
    }
    return units;
  }
}

/**
 * Returns the shape of blocks: as many whole units as memory allows.
 * @param unit the smallest indivisible box: a chunk or shard to write, or chunks to decode.
 * @param atLeast lengths that blocks should reach before they grow further, so that chunks of the source are
 *   decoded once.
 * @param most maximum number of elements of a block; a single unit may have more.
 */
export function blockShape(
  unit: readonly number[],
  whole: readonly number[],
  atLeast: readonly number[],
  maxElements: number,
): number[] {
  const shape = unit.map((length, axis) => Math.min(length, whole[axis]!));
  const counts = unit.map(() => 1);
  const grownLength = (axis: number, count: number) => Math.min(unit[axis]! * count, whole[axis]!);
  for (;;) {
    const growing = counts
      .map((_, axis) => axis)
      .filter((axis) => shape[axis]! < whole[axis]!)
      .filter(
        (axis) => (countOf(shape) / shape[axis]!) * grownLength(axis, 2 * counts[axis]!) <= maxElements,
      );
    if (growing.length === 0) return shape;
    const lacking = growing.filter((axis) => shape[axis]! < atLeast[axis]!);
    const axis = (lacking.length > 0 ? lacking : growing).at(-1)!;
    counts[axis]! *= 2;
    shape[axis] = grownLength(axis, counts[axis]!);
  }
}

/** Up to this number of objects, all are visited without checking which are stored. */
const fewObjects = 4096;
/** Maximum number of objects that are checked one by one. */
const maxObjects = 2 ** 24;
/** All blocks are written if at least one in this many objects is stored. */
const sparseness = 16;

/** Source and target of a level. */
export interface BlockSource {
  readonly source: ZarrArray;
  readonly target: ZarrArray;
  readonly factors: readonly number[];
  /** Whether the target has no stored objects. */
  readonly isNew: boolean;
  /** Number of shares into which the level is divided. */
  readonly shares: number;
  readonly signal: AbortSignal | undefined;
}

const objectCount = ({ spec }: ZarrArray): number => countOf(spec.axes.map((axis) => axis.count));

/**
 * Returns the positions of blocks of the target for which the source or the target has stored objects.
 * @returns undefined if all blocks must be written.
 * @throws LimitExceeded for more objects than can be checked one by one.
 */
export async function storedBlocks(
  given: BlockSource,
  blocks: Blocks,
): Promise<readonly (readonly number[])[] | undefined> {
  const { source, target, factors, isNew, shares, signal } = given;
  const objects = objectCount(source);
  if (objects <= fewObjects) return undefined;
  const isSkippable = target.spec.fill.value !== null && hasSameFill(source.spec, target.spec);
  const lists = isSkippable
    ? [storedObjects(source, signal), isNew ? [] : storedObjects(target, signal)]
    : [];
  if (lists.length === 0 || lists.includes(undefined)) {
    checkCount(objects / shares, source);
    return undefined;
  }
  const found = new Map<string, readonly number[]>();
  for (const [i, list] of lists.entries()) {
    const [{ spec }, factor] = i === 0 ? [source, factors] : [target, factors.map(() => 1)];
    let count = 0;
    for await (const at of list!) {
      if (at.some((cell, axis) => cell >= spec.axes[axis]!.count)) continue;
      const from = at.map((cell, axis) => Math.floor(spec.axes[axis]!.start(cell) / factor[axis]!));
      const to = at.map((cell, axis) => objectEnd(spec, axis, cell) / factor[axis]!);
      for (const block of positionsIn(blocks.around(from, to))) found.set(block.join(), block);
      if (++count * sparseness >= objects) return undefined;
    }
  }
  return [...found.values()].sort(inOrder);
}

/** Returns the end of an object, clipped to the array. */
function objectEnd({ axes }: ArraySpec, axis: number, cell: number): number {
  const grid = axes[axis]!;
  return Math.min(grid.length, grid.start(cell) + grid.size(cell));
}

function inOrder(a: readonly number[], b: readonly number[]): number {
  const axis = a.findIndex((index, i) => index !== b[i]);
  return axis < 0 ? 0 : a[axis]! - b[axis]!;
}

const hasSameFill = ({ fill: a }: ArraySpec, { fill: b }: ArraySpec): boolean =>
  a.item.length > 0 ? a.item.join() === b.item.join() : a.value === b.value;

/**
 * Rejects images with more objects than can be checked one by one, before anything is written.
 * @param store destination of the levels.
 * @throws LimitExceeded.
 */
export function checkObjects(origin: ZarrArray, store: Store, shares: number): void {
  if (!listsChunks(origin.store) || !listsChunks(store)) checkCount(objectCount(origin) / shares, origin);
}

function checkCount(count: number, { path }: ZarrArray): void {
  if (!(count <= maxObjects))
    throw limitExceeded(
      `"/${path}" has ${count} chunks to request one by one, more than the limit of ${maxObjects}: a store does not list its chunks, or the fill value changes`,
    );
}

/** Whether stored objects (chunks or shards) can be copied unchanged between two arrays. */
export function isStoredAlike(a: ArraySpec, b: ArraySpec): boolean {
  return a.isRegular && b.isRegular && encodingOutline(a) === encodingOutline(b);
}

const encodingOutline = ({
  zarrFormat,
  shape,
  chunkShape,
  shardShape,
  dtype,
  codecs,
  fill,
}: ArraySpec): string =>
  JSON.stringify([
    [zarrFormat, shape, chunkShape, shardShape ?? null],
    [dtype, codecs],
    [...fill.item],
    fill.item.length === 0 || fill.value === null ? String(fill.value) : null,
  ]);

/**
 * Copies one stored object.
 * @param mayBeThere whether the target may have an object that the source lacks.
 * @returns its size in bytes.
 * @throws the errors of the stores, naming the object's key.
 */
export async function copyStored(
  source: ZarrArray,
  target: ZarrArray,
  at: readonly number[],
  { signal, mayBeThere }: { readonly signal: AbortSignal | undefined; readonly mayBeThere: boolean },
): Promise<number> {
  const { store, limits } = source;
  const key = joinKey(source.path, source.spec.chunkKey(at));
  const into = joinKey(target.path, target.spec.chunkKey(at));
  let chunkKey = key;
  try {
    const maxBytes = limits.encodedBytes;
    const bytes = await callStore(store, key, () => store.get(key, { signal, maxBytes }), signal);
    if (bytes && bytes.byteLength > maxBytes)
      throw limitExceeded(`the object has ${bytes.byteLength} bytes, more than the limit of ${maxBytes}`);
    chunkKey = into;
    if (bytes) await writeObject(target.store, into, bytes, { signal });
    else if (mayBeThere) await deleteObject(target.store, into, { signal });
    return bytes?.byteLength ?? 0;
  } catch (error) {
    throw signal?.aborted && error === signal.reason ? error : withDetails(error, { chunkKey });
  }
}
