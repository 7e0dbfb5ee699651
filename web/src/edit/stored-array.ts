/** Reads the stored document of an array, and detects handles of arrays that were deleted, replaced or made shorter. */

import type { CodecMetadata } from "../chain/chain.js";
import type { ZarrVersion } from "../codecs/definition.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { readLengths, v1AttrsKey, v1MetaKey, v2ArrayKey, v3Key } from "../metadata/document.js";
import { type ArrayMetadata, withShape } from "../metadata/model.js";
import type { ArraySpec } from "../metadata/spec.js";
import { innermostStore } from "../store/handle.js";
import { joinKey, type Store } from "../store/store.js";
import { notFound } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { cachedFor } from "../util/platform.js";
import { creationStamp, readDocument, type Stamps } from "./documents.js";
import { storeIdentity } from "./overlap.js";
import { ancestorsOf } from "./target.js";

/** Keys of the documents with the shape. */
export const mainKeys: Readonly<Record<ZarrVersion, string>> = { 1: v1MetaKey, 2: v2ArrayKey, 3: v3Key };

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

/** Facts about the stored array of a handle. */
interface Known {
  /** Number of the last change that the handle knows; -1 for an array that has replaced another one. */
  change: number;
  /** Stamp of its creation. */
  origin?: string;
  /** ETag of the last document that described the array; "" if the last document did not. */
  etag?: string | undefined;
}

const knownOf = cachedFor((_array: ZarrArray): Known => ({ change: 0 }));

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

/** Number of the last change of this process. */
let lastChange = 0;
/** Numbers of the last changes by path in each store: deletions of nodes, and smaller shapes of arrays. */
const changesIn = cachedFor((_store: object): Map<string, number> => new Map());
const changesOf = (store: Store) => changesIn(storeIdentity(innermostStore(store)));

/** Notes that this process has deleted the node at a path with everything below it, or made an array shorter. */
export function noteChanged(store: Store, path: string): void {
  changesOf(store).set(path, ++lastChange);
}

/**
 * Notes that an array has just been written as the handle has it.
 * @param origin stamp of its document, if it has replaced another one: other programs may do the same now, and the first
 *   write checks that.
 */
export function noteCreated(array: ZarrArray, origin: string | undefined): void {
  const known = knownOf(array);
  known.change = origin === undefined ? lastChange : -1;
  if (origin !== undefined) known.origin = origin;
}

/**
 * Checks the stored array if this process has deleted or shortened it, or deleted a group around it, since the
 * last check. A shorter shape is adopted.
 * @throws NotFound if it no longer exists or was replaced by another one.
 */
export async function requireCurrent(array: ZarrArray, signal: AbortSignal | undefined): Promise<void> {
  const { store, path } = array;
  const changes = changesOf(store);
  const last = Math.max(...[...ancestorsOf(path), path].map((node) => changes.get(node) ?? 0));
  const known = knownOf(array);
  if (last <= known.change) return;
  await refresh(array, true, signal);
  known.change = last;
}

/**
 * Checks after a write whether other programs have replaced the array or made it shorter. Needs conditional
 * writes: other stores must have one writer.
 * @param shape of the array as it was written.
 * @returns whether the array has become shorter.
 * @throws NotFound as {@link requireCurrent}.
 */
export async function isShortened(
  array: ZarrArray,
  shape: readonly number[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (array.store.conditional !== true) return false;
  await refresh(array, false, signal);
  return isShorter(array.shape, shape);
}

/**
 * Reads the document, bypassing caches. If it has changed since the last check, checks that it describes the
 * array of the handle, and adopts a shorter shape.
 * @param isKnown false if the document may be missing: the array may be known only from consolidated metadata, or
 *   the store does not return written objects.
 */
async function refresh(array: ZarrArray, isKnown: boolean, signal: AbortSignal | undefined): Promise<void> {
  const { store, path, zarrFormat, limits, spec } = array;
  const key = mainKeys[zarrFormat];
  innermostStore(store).invalidate?.(joinKey(path, key));
  const read = await readDocument(store, path, key, signal, limits);
  const known = knownOf(array);
  if (!read) {
    if (!isKnown && known.etag === undefined && known.origin === undefined) return;
    throw gone(path);
  }
  const { etag } = read.version;
  if (etag !== undefined && etag === known.etag) return;
  known.etag = "";
  const shape = shapeIn(read.object, path);
  const now = (await (await reshaper(array, read.object, signal))(shape)).spec;
  checkSame(array, now, read.stamps);
  known.etag = etag;
  // A concurrent `append` through this handle may have adopted a longer shape.
  const isCurrent = array.spec.axes === spec.axes;
  if (isCurrent && isShorter(shape, spec.shape)) array.adopt({ ...array.spec, shape, axes: now.axes });
}

/** Whether a shape is shorter than another one along an axis. */
export const isShorter = (shape: readonly number[], than: readonly number[]): boolean =>
  than.some((length, axis) => length > shape[axis]!);

/** Turn key of the elements: writers share it, calls that make an array shorter hold it exclusively. */
export const elementsOf = (path: string): string => `${path} elements`;
