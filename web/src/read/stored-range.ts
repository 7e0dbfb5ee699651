/** Byte ranges of stored objects that hold encoded chunks; adjacent ranges are merged into one request. */

import { changedError, type ObjectVersion } from "../store/store.js";
import { corruptChunk } from "../util/errors.js";
import type { Coalescing, ObjectBytes } from "./object-bytes.js";

/** Consecutive bytes of a larger sequence. */
export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
}

/** A byte range of an object. */
export interface StoredRange {
  /** Store key of the object. */
  readonly key: string;
  /** Offset in the object, or in `bytes` if given. */
  readonly offset: number;
  /** Undefined for a range to the end of the object. */
  readonly length: number | undefined;
  /** The object or a decoded shard in memory, which `offset` refers to. */
  readonly bytes?: Uint8Array | undefined;
  /** Ensures that all reads are of one version of the object; see `GetOptions.version`. */
  readonly version?: ObjectVersion | undefined;
}

/**
 * Reads `length` bytes at an offset within a part, or fewer if the object or the part ends before.
 * @returns undefined if the object is missing.
 * @throws Network ("changed") if the object is missing although the index that located the part existed:
 *   chunks listed in an index must not be read as never stored.
 */
export async function readWithin(
  object: ObjectBytes,
  part: StoredRange,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const available = Math.max(0, Math.min(length, (part.length ?? Number.MAX_SAFE_INTEGER) - offset));
  const start = part.offset + offset;
  if (part.bytes) return part.bytes.subarray(start, start + available);
  const bytes = await object.read(part.key, { offset: start, length: available }, part.version, signal);
  if (!bytes && part.length !== undefined) throw changedError(part.key);
  return bytes;
}

/** Reads the last `length` bytes of a part, or all of a shorter one. */
export async function readEndOf(
  object: ObjectBytes,
  part: StoredRange,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (part.length === undefined) return object.read(part.key, { suffixLength: length }, part.version, signal);
  const available = Math.min(length, part.length);
  return readWithin(object, part, part.length - available, available, signal);
}

/** Reads all of a part. */
export async function wholeObject(
  object: ObjectBytes,
  part: StoredRange,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (part.length === undefined) return object.read(part.key, undefined, part.version, signal);
  return exactly(await readWithin(object, part, 0, part.length, signal), part.length);
}

/** Checks that a read returned all requested bytes. @throws CorruptChunk ("truncated") */
export function exactly(bytes: Uint8Array | undefined, length: number): Uint8Array | undefined {
  if (bytes && bytes.byteLength !== length) {
    throw corruptChunk(`the object ends after ${bytes.byteLength} of the chunk's ${length} bytes`, {
      code: "truncated",
    });
  }
  return bytes;
}

/** Parts of one object that are read with one request. */
export interface MergedParts<T> {
  readonly offset: number;
  readonly length: number;
  readonly members: readonly (readonly [T, StoredRange])[];
}

/** Merges parts of one object, in any order and possibly overlapping, into few reads. */
export function mergeParts<T>(
  parts: Iterable<readonly [T, StoredRange]>,
  { maxGap, maxBytes }: Coalescing,
): MergedParts<T>[] {
  const sorted = [...parts].sort(([, a], [, b]) => a.offset - b.offset);
  const merged: { offset: number; length: number; members: (readonly [T, StoredRange])[] }[] = [];
  for (const member of sorted) {
    const { offset, length } = member[1] as { offset: number; length: number };
    const last = merged.at(-1);
    const end = Math.max(offset + length, last ? last.offset + last.length : 0);
    const joins =
      last !== undefined && offset - (last.offset + last.length) <= maxGap && end - last.offset <= maxBytes;
    if (joins) {
      last.length = end - last.offset;
      last.members.push(member);
    } else {
      merged.push({ offset, length, members: [member] });
    }
  }
  return merged;
}
