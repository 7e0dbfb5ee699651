/** Finds the chunks of a dataset by any of the indexes of HDF5, of which only the parts on the way are read. */

import type { MaybePromise } from "../../store/store.js";
import { badFile, Cursor } from "../file/cursor.js";
import { once } from "../file/node-cache.js";
import { BTree1, chunkNodes } from "./btree1.js";
import { BTree2 } from "./btree2.js";
import type { EntryArray } from "./element-pages.js";
import { ExtensibleArray } from "./extensible-array.js";
import type { HdfFile } from "./file.js";
import { FixedArray } from "./fixed-array.js";
import type { ChunkedLayout, Dataspace } from "./types.js";

interface StoredChunk {
  readonly address: number;
  /** Number of bytes in the file. */
  readonly length: number;
  /** Bit i: filter i of the pipeline was skipped. */
  readonly mask: number;
}

/** Returns the place of a chunk; undefined if it is not stored. @param at index of the chunk per dimension. */
type ChunkLocator = (at: readonly number[]) => MaybePromise<StoredChunk | undefined>;

/** Returns the locator of the chunks of a dataset. Nothing is read before the first chunk is looked for. */
export function chunkLocator(file: HdfFile, layout: ChunkedLayout, space: Dataspace): ChunkLocator {
  const { address, index, chunk, chunkBytes } = layout;
  if (address === undefined) return () => undefined;
  switch (index.kind) {
    case "single": {
      const { size: length = chunkBytes, mask } = index;
      return () => ({ address, length, mask });
    }
    case "implicit": {
      const positionOf = linearIndex(layout, space);
      return (at) => ({ address: address + positionOf(at) * chunkBytes, length: chunkBytes, mask: 0 });
    }
    case "btree1":
      return inTree1(file, address, chunk);
    case "btree2":
      return inTree2(file, address, layout);
    default: {
      const array = index.kind === "fixed" ? FixedArray : ExtensibleArray;
      const opened = once<EntryArray>(() => array.open(file, address));
      const positionOf = linearIndex(layout, space);
      return async (at) => {
        const entry = await (await opened()).entry(positionOf(at));
        return entry && readEntry(file, entry, chunkBytes);
      };
    }
  }
}

/** Returns the position of a chunk in an array of all chunks: an unlimited dimension varies slowest, else the first. */
function linearIndex(
  { chunk }: ChunkedLayout,
  { shape = [], maxShape }: Dataspace,
): (at: readonly number[]) => number {
  const axes = chunk.map((_, axis) => axis);
  const unlimited = maxShape.indexOf(undefined);
  if (unlimited > 0) axes.unshift(...axes.splice(unlimited, 1));
  const strides = chunk.map(() => 1);
  let stride = 1;
  for (const axis of axes.toReversed()) {
    strides[axis] = stride;
    stride *= Math.ceil((maxShape[axis] ?? shape[axis]!) / chunk[axis]!);
  }
  return (at) => at.reduce((sum, position, axis) => sum + position * strides[axis]!, 0);
}

/** Reads an address; for filtered chunks also length and mask. */
function readEntry(file: HdfFile, bytes: Uint8Array, chunkBytes: number): StoredChunk | undefined {
  const cursor = new Cursor(bytes, "an entry of a chunk index");
  const address = file.address(cursor);
  if (address === undefined) return undefined;
  const sizeBytes = cursor.left - 4;
  if (sizeBytes < 0) return { address, length: chunkBytes, mask: 0 };
  if (sizeBytes < 1 || sizeBytes > 8) throw badFile(`${cursor.what} has ${bytes.byteLength} bytes`);
  return { address, length: cursor.uint(sizeBytes), mask: cursor.u32() };
}

function inTree1(file: HdfFile, address: number, chunk: readonly number[]): ChunkLocator {
  const tree = new BTree1(file, address, chunkNodes, 8 + 8 * (chunk.length + 1));
  return async (at) => {
    const offsets = at.map((position, axis) => position * chunk[axis]!);
    const leaf = await tree.find((key) => compareWords(key, 8, offsets) <= 0);
    if (!leaf || compareWords(leaf.key, 8, offsets) !== 0) return undefined;
    const key = new Cursor(leaf.key, "a key of a B-tree");
    return { address: leaf.address, length: key.u32(), mask: key.u32() };
  };
}

const unfilteredRecords = 10;
const filteredRecords = 11;

function inTree2(file: HdfFile, address: number, { chunk, chunkBytes }: ChunkedLayout): ChunkLocator {
  const rank = chunk.length;
  const opened = once(() => BTree2.open(file, address));
  return async (at) => {
    const tree = await opened();
    const entryBytes = tree.recordBytes - 8 * rank;
    const type = entryBytes === file.offsetBytes ? unfilteredRecords : filteredRecords;
    if (tree.type !== type) throw badFile(`the B-tree at ${address} does not hold chunks of rank ${rank}`);
    const record = await tree.find((bytes) => compareWords(bytes, entryBytes, at));
    return record && readEntry(file, record.subarray(0, entryBytes), chunkBytes);
  };
}

/** Compares little-endian words of 64 bits with numbers, in order. */
function compareWords(bytes: Uint8Array, start: number, numbers: readonly number[]): number {
  for (let i = 0; i < numbers.length; i++) {
    let word = 0;
    for (let at = start + 8 * i + 7; at >= start + 8 * i; at--) word = word * 256 + bytes[at]!;
    if (word !== numbers[i]) return word - numbers[i]!;
  }
  return 0;
}
