/** Reads the stored document of an array, and detects handles of arrays that were deleted, replaced or made shorter. */

import type { CodecMetadata } from "../chain/chain.js";
import type { ZarrVersion } from "../codecs/definition.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { readLengths, v1AttrsKey, v1MetaKey, v2ArrayKey, v3Key } from "../metadata/document.js";
import { type ArrayMetadata, withShape } from "../metadata/model.js";
import type { ArraySpec } from "../metadata/spec.js";
import { handleOf, innermostStore } from "../store/handle.js";
import { joinKey, type ObjectVersion, type Store } from "../store/store.js";
import { isZarrError, notFound } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { cachedFor } from "../util/platform.js";
import { storeIdentity } from "./overlap.js";
import { creationStamp, type Stamps } from "./stamps.js";
import { ancestorsOf, readDocument } from "./target.js";

/** Keys of the documents with the shape. */
export const mainKeys: Readonly<Record<ZarrVersion, string>> = { 1: v1MetaKey, 2: v2ArrayKey, 3: v3Key };

interface StoredShape {
  readonly shape: readonly number[];
  readonly stamps: Stamps;
  readonly version: ObjectVersion;
  readonly object: JsonObject;
}

/**
 * Reads the stored shape, bypassing caches.
 * @throws NotFound if the array no longer exists.
 */
export async function storedShape(
  { store, path, zarrFormat, limits }: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<StoredShape> {
  const key = mainKeys[zarrFormat];
  innermostStore(store).invalidate?.(joinKey(path, key));
  const read = await readDocument(store, path, key, signal, limits);
  if (!read) throw gone(path);
  return { ...read, shape: shapeIn(read.object, path) };
}

/**
 * Returns a function that creates metadata of the array with another shape. @throws InvalidMetadata for
 * lengths that its chunks do not cover.
 */
export async function reshaper(
  array: ZarrArray,
  object: JsonObject,
  signal: AbortSignal | undefined,
): Promise<(shape: readonly number[]) => Promise<ArrayMetadata>> {
  const { store, path, zarrFormat, limits, spec } = array;
  const documents = new Map([[mainKeys[zarrFormat], object]]);
  // In v1, attributes are a mandatory part of an array's metadata.
  const attributes = zarrFormat === 1 && (await readDocument(store, path, v1AttrsKey, signal, limits));
  if (attributes) documents.set(v1AttrsKey, attributes.object);
  const metadata: ArrayMetadata = { kind: "array", zarrFormat, documents, spec };
  return (shape) => withShape(metadata, shape, { limits, v1Order: "spec" });
}

/** Returns the shape in a document. @throws NotFound if the document does not describe an array. */
export function shapeIn(object: JsonObject | undefined, path: string): number[] {
  const shape = object?.["shape"];
  if (!Array.isArray(shape)) throw gone(path);
  return readLengths(shape, "shape", 0);
}

const gone = (path: string) => notFound(`the array at "/${path}" no longer exists`);

/** Reads the stored shape. @throws NotFound if the array was replaced by another one. */
export async function sameShape(array: ZarrArray, signal: AbortSignal | undefined): Promise<StoredShape> {
  const stored = await storedShape(array, signal);
  await checkStored(array, stored, signal);
  return stored;
}

/** @throws NotFound if the stored array is not the array of the handle. */
async function checkStored(
  array: ZarrArray,
  { object, shape, stamps }: StoredShape,
  signal: AbortSignal | undefined,
): Promise<void> {
  const shaped = await reshaper(array, object, signal);
  checkSame(array, (await shaped(shape)).spec, stamps);
}

/** Facts about the stored array of a handle. */
interface Known {
  /** Number of the last deletion that does not concern the handle; -1 for an array that has replaced another one. */
  deletion: number;
  /** Origin stamp of its document. */
  origin?: string;
  /** ETag of the last document that described the array; "another" if that described another array. */
  etag?: string | undefined;
}

const knownOf = cachedFor((_array: ZarrArray): Known => ({ deletion: 0 }));

/**
 * Checks that the stored array is the array of the handle: chunks of another array have other keys or
 * contents.
 * @throws NotFound if the array was recreated with another data type, grid, keys or codecs, or by another program.
 */
export function checkSame(array: ZarrArray, now: ArraySpec, stamps: Stamps): void {
  const { path, spec } = array;
  const probe = spec.shape.map((_, axis) => axis + 1);
  const facts = (of: ArraySpec): readonly (readonly [what: string, fact: string])[] => [
    ["data type", `${of.dtype}`],
    ["fill value", `${of.fill.item} ${of.fill.item.length > 0 || of.fill.value}`],
    ["chunks", `${of.chunkShape} ${of.isRegular}`],
    ["shards", `${of.shardShape}`],
    ["keys of chunks", of.chunkKey(probe)],
    // The order of v1 is a codec, which `v1Order` may have changed for the handle.
    ["codecs", of.zarrFormat === 1 ? "" : codecsText(of.codecs)],
  ];
  const before = facts(spec);
  const other = facts(now).find(([, fact], i) => fact !== before[i]![1]);
  if (other)
    throw notFound(`the array at "/${path}" was replaced by one with other ${other[0]}; open it again`);
  const origin = creationStamp(stamps);
  if (origin === undefined) return; // other programs drop stamps
  const known = knownOf(array);
  known.origin ??= origin;
  if (known.origin !== origin)
    throw notFound(`the array at "/${path}" was replaced by another one; open it again`);
}

/**
 * Formats the parts of codecs that determine the layout of chunks. Levels and similar options may differ
 * between programs.
 */
function codecsText(codecs: readonly CodecMetadata[]): string {
  const texts = codecs.map(({ name, configuration = {} }) => {
    const inner = configuration["codecs"];
    const { endian, order } = configuration as Record<string, unknown>;
    const nested = Array.isArray(inner) ? codecsText(inner as readonly CodecMetadata[]) : "";
    return `${name} ${endian} ${order} ${nested}`;
  });
  return `[${texts}]`;
}

/** Number of the last deletion of this process. */
let lastDeletion = 0;
/** Numbers of the last deletion at each path of a store. */
const deletionsIn = cachedFor((_store: object): Map<string, number> => new Map());
const deletionsOf = (store: Store) => deletionsIn(storeIdentity(innermostStore(store)));

/** Notes that this process has deleted the node at a path, with everything below it. */
export function noteDeleted(store: Store, path: string): void {
  deletionsOf(store).set(path, ++lastDeletion);
}

/** Notes that this process has made an array shorter: other handles may have the longer shape. */
export function noteShortened(store: Store, path: string): void {
  handleOf(innermostStore(store)).shortenedArrays.add(path);
}

/**
 * Notes that an array has just been written as the handle has it.
 * @param origin stamp of its document, if it has replaced another one: other programs may do the same now, and the first
 *   write checks that.
 */
export function noteCreated(array: ZarrArray, origin: string | undefined): void {
  const known = knownOf(array);
  known.deletion = origin === undefined ? lastDeletion : -1;
  if (origin !== undefined) known.origin = origin;
}

/**
 * Checks the stored array if this process has deleted it, or a group around it, since the last check.
 * @throws NotFound if it no longer exists or was replaced by another one.
 */
export async function requireCurrent(array: ZarrArray, signal: AbortSignal | undefined): Promise<void> {
  const { store, path } = array;
  const deletions = deletionsOf(store);
  const last = Math.max(...[...ancestorsOf(path), path].map((node) => deletions.get(node) ?? 0));
  const known = knownOf(array);
  if (last <= known.deletion) return;
  const { shape } = await sameShape(array, signal);
  if (isShorter(shape, array.shape)) noteShortened(store, path);
  known.deletion = last;
}

/**
 * Reads the stored shape, and checks the stored array if its document has changed since the last check.
 * @returns undefined if no document was ever read: the array may be known only from consolidated metadata, or the store
 * does not return written objects.
 * @throws NotFound as {@link requireCurrent}.
 */
export async function currentShape(
  array: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  const known = knownOf(array);
  const stored = await storedShape(array, signal).catch((error) => {
    const wasRead = known.etag !== undefined || known.origin !== undefined;
    if (isZarrError(error, "NotFound") && !wasRead) return undefined;
    throw error;
  });
  if (!stored) return undefined;
  const { etag } = stored.version;
  if (etag !== known.etag) {
    known.etag = "another";
    await checkStored(array, stored, signal);
  }
  known.etag = etag;
  return stored.shape;
}

/** Whether a shape is shorter than another one along an axis. */
export const isShorter = (shape: readonly number[], than: readonly number[]): boolean =>
  than.some((length, axis) => length > shape[axis]!);
