/** One array that is being copied. */

import type { WorkerPool, ZarrArray } from "zarr-wasm";
import { type ArrayReader, corruptChunk, withDetails } from "#internal";
import type { ObjectBox } from "../part.js";
import type { Tally } from "./tally.js";
import type { TargetStore } from "./target-store.js";
import type { View } from "./view.js";
import { wholeObject } from "./whole.js";

export interface Work {
  /** What is read. */
  readonly view: View;
  /** What is written, in a {@link TargetStore}. */
  readonly target: ZarrArray;
  readonly store: TargetStore;
  /** The stored objects of the target that are this process' own. */
  readonly boxes: readonly ObjectBox[];
  readonly tally: Tally;
  /** Bytes of elements on their way. */
  readonly memory: number;
  /** Whether what is there already, and whole, is left. */
  readonly resume: boolean;
  /** Whether what is written is read again and compared, at once. */
  readonly verify: boolean;
  /** Folder for what is stored in between. */
  readonly temp: string;
  /** Workers that decode; those that encode would be the same ones. */
  readonly pool: WorkerPool | undefined;
}

/** What an element takes in memory: of variable length an estimate. */
export const itemBytesOf = ({ dtype }: ZarrArray): number => dtype.itemBytes || 128;

/** Elements of the array that an object holds. */
export function elementCount({ objectAxes }: ArrayReader, object: readonly number[]): number {
  return object.reduce((count, cell, axis) => {
    const { length, start, size } = bounds(objectAxes[axis]!, cell);
    return count * Math.min(size, length - start);
  }, 1);
}

const bounds = (axis: ArrayReader["axes"][number], cell: number) => ({
  length: axis.length,
  start: axis.start(cell),
  size: axis.size(cell),
});

/** Whether an object needs not be written: it is counted then. */
export async function isDone(work: Work, object: readonly number[]): Promise<boolean> {
  const { store, target, tally } = work;
  if (!work.resume || !(await wholeObject(store, target.reader, object))) return false;
  store.kept.add(target.reader.objectKey(object));
  tally.skip(elementCount(target.reader, object) * itemBytesOf(target), chunkCount(target.reader, object));
  return true;
}

/** Chunks of the array that an object holds: one, or those inside a shard that are not outside the array. */
export function chunkCount({ axes, objectAxes }: ArrayReader, object: readonly number[]): number {
  return object.reduce((count, cell, axis) => {
    const { length, start, size } = bounds(objectAxes[axis]!, cell);
    const end = Math.min(length, start + size);
    return end <= start ? 0 : count * (axes[axis]!.find(end - 1) - axes[axis]!.find(start) + 1);
  }, 1);
}

/** The error of a stored chunk that is not whole. */
export function brokenChunk(key: string, fault: string): Error {
  return withDetails(corruptChunk(`the stored chunk is not whole: ${fault}`, { code: "truncated" }), {
    chunkKey: key,
  }) as Error;
}

/** The error of a copy that is not what was copied. */
export const different = (place: string): Error =>
  new Error(`what was written differs from the source: ${place}`);

/** What copying in boxes needs to know of it. */
export const boxCopy = ({ memory, verify, pool, tally, target }: Work, from: View) => ({
  ...{ from, memory, verify, pool },
  origin: target.shape.map(() => 0),
  onRead: (bytes: number) => {
    tally.bytesRead += bytes;
  },
});

/** Whether missing chunks of both have the same elements. With a null fill value their elements are undefined. */
export function isSameFill(from: ZarrArray, to: ZarrArray): boolean {
  const isUndefined = to.spec.fill.value === null && from.spec.fill.value !== null;
  return !isUndefined && fillText(from) === fillText(to);
}

/** The value of elements that are not stored, for comparison. */
function fillText({ spec: { fill }, reader }: ZarrArray): string {
  if (fill.item.length > 0) return fill.item.join();
  const missing = reader.firstCodec.missing();
  return JSON.stringify(missing.length > 0 ? missing[0] : fill.value);
}
