/** The global heap: values of variable length. Spec: HDF5 File Format Specification, III.E. */

import type { MaybePromise } from "../../store/store.js";
import { LruCache } from "../../util/lru.js";
import { badFile, type Cursor } from "../file/cursor.js";
import { checkSignature, checkVersion, type HdfFile } from "./file.js";

interface Collection {
  readonly key: string;
  readonly address: number;
  readonly bytes: number;
  readonly cursor: Cursor;
  /** Offsets of the lengths of objects, by index. */
  readonly places: ReadonlyMap<number, number>;
}

/** Bytes of collections that are kept. */
const keptBytes = 2 ** 24;

/** The collections of a file. */
interface Heap {
  readonly kept: LruCache<Collection>;
  /** The collection last used: neighbouring elements mostly use the same one. */
  last: Collection | undefined;
}

const heaps = new WeakMap<HdfFile, Heap>();

const noBytes = new Uint8Array(0);

/**
 * Reads an element of variable length: a length, the address of a collection and the index of an object in it.
 * @returns the number of items, and the object, which the caller must not change; at once if its collection is kept.
 */
export function readVariable(
  file: HdfFile,
  cursor: Cursor,
): { readonly length: number; readonly object: MaybePromise<Uint8Array> } {
  const length = cursor.u32();
  const address = file.address(cursor);
  const index = cursor.u32();
  if (length === 0 || address === undefined || address === 0) return { length: 0, object: noBytes };
  return { length, object: heapObject(file, address, index) };
}

function heapOf(file: HdfFile): Heap {
  const known = heaps.get(file);
  if (known) return known;
  const heap = { kept: new LruCache<Collection>(keptBytes), last: undefined };
  heaps.set(file, heap);
  return heap;
}

function heapObject(file: HdfFile, address: number, index: number): MaybePromise<Uint8Array> {
  const heap = heapOf(file);
  if (heap.last?.address !== address) heap.last = heap.kept.get(String(address));
  if (heap.last) return objectOf(file, heap.last, index);
  return readCollection(file, address).then((read) => {
    heap.kept.set(read);
    return objectOf(file, read, index);
  });
}

function objectOf(file: HdfFile, { cursor, places }: Collection, index: number): Uint8Array {
  const place = places.get(index);
  if (place === undefined) throw badFile(`${cursor.what} has no object ${index}`);
  cursor.at = place;
  return cursor.take(cursor.uint(file.lengthBytes));
}

async function readCollection(file: HdfFile, address: number): Promise<Collection> {
  const what = "global heap";
  const head = await file.cursor(address, 8 + file.lengthBytes, what);
  checkSignature(head, "GCOL");
  checkVersion(head, 1);
  head.skip(3);
  const size = head.uint(file.lengthBytes);
  const cursor = await file.cursor(address, size, what);
  cursor.skip(head.at);
  const places = new Map<number, number>();
  while (cursor.left >= 8 + file.lengthBytes) {
    const index = cursor.u16();
    if (index === 0) break; // free space up to the end
    cursor.skip(6);
    places.set(index, cursor.at);
    const length = cursor.uint(file.lengthBytes);
    cursor.skip(length);
    cursor.skip(Math.min((8 - (length % 8)) % 8, cursor.left));
  }
  return { key: String(address), address, bytes: size, cursor, places };
}
