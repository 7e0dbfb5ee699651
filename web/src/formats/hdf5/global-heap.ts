/** The global heap: values of variable length. Spec: HDF5 File Format Specification, III.E. */

import { LruCache } from "../../util/lru.js";
import { badFile } from "../file/cursor.js";
import { checkSignature, checkVersion, type HdfFile } from "./file.js";

interface Collection {
  readonly key: string;
  readonly bytes: number;
  readonly objects: ReadonlyMap<number, Uint8Array>;
}

/** Bytes of collections that are kept. */
const keptBytes = 2 ** 24;

const heaps = new WeakMap<HdfFile, LruCache<Collection>>();

/** Returns an object of the global heap of a file, which the caller must not change. */
export async function heapObject(
  file: HdfFile,
  address: number,
  index: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  let kept = heaps.get(file);
  if (!kept) heaps.set(file, (kept = new LruCache(keptBytes)));
  const key = String(address);
  let collection = kept.get(key);
  if (!collection) {
    collection = await readCollection(file, address, signal);
    kept.set(collection);
  }
  const object = collection.objects.get(index);
  if (!object) throw badFile(`the global heap at ${address} has no object ${index}`);
  return object;
}

async function readCollection(
  file: HdfFile,
  address: number,
  signal: AbortSignal | undefined,
): Promise<Collection> {
  const head = await file.cursor(address, 8 + file.lengthBytes, "global heap", signal);
  checkSignature(head, "GCOL");
  checkVersion(head, 1);
  head.skip(3);
  const size = head.uint(file.lengthBytes);
  const cursor = await file.cursor(address, size, "global heap", signal);
  cursor.skip(head.at);
  const objects = new Map<number, Uint8Array>();
  while (cursor.left >= 8 + file.lengthBytes) {
    const index = cursor.u16();
    if (index === 0) break; // free space up to the end
    cursor.skip(6);
    const length = cursor.uint(file.lengthBytes);
    objects.set(index, cursor.take(length));
    cursor.skip(Math.min((8 - (length % 8)) % 8, cursor.left));
  }
  return { key: String(address), bytes: size, objects };
}
