/** Selects the blocks of a level to write: in a large, mostly empty level, only those with stored objects. */

import { listsChunks, storedObjects } from "../../../edit/stored-objects.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import type { ArraySpec } from "../../../metadata/spec.js";
import type { Store } from "../../../store/store.js";
import { positionsIn } from "../../../util/box.js";
import { limitExceeded } from "../../../util/errors.js";
import { countOf } from "../../../util/strides.js";
import type { Blocks } from "./blocks.js";

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
      const to = at.map((cell, axis) => endOf(spec, axis, cell) / factor[axis]!);
      for (const block of positionsIn(blocks.around(from, to))) found.set(block.join(), block);
      if (++count * sparseness >= objects) return undefined;
    }
  }
  return [...found.values()].sort(inOrder);
}

/** Returns the end of an object, clipped to the array. */
function endOf({ axes }: ArraySpec, axis: number, cell: number): number {
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
      `"/${path}" has ${count} chunks to be asked for one by one, more than the limit of ${maxObjects}: a store does not list its chunks, or the fill value changes`,
    );
}
