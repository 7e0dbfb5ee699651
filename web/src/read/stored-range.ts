/** Parts of stored objects: where encoded chunks lie, and reading them in few requests. */

import { changedError, type ObjectVersion, type RangeQuery } from "../store/store.js";
import { corruptChunk } from "../util/errors.js";

/** Consecutive bytes of something longer. */
export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
}

/** A part of an object, which may have been read already. */
export interface StoredRange {
  /** Store key of the object. */
  readonly key: string;
  /** Offset in the object, or in `bytes`. */
  readonly offset: number;
  /** undefined for "to the object's end". */
  readonly length: number | undefined;
  /** What `offset` counts in, where it is in memory. */
  readonly bytes?: Uint8Array | undefined;
  /** Ties the reads of one object together: see the store's options. */
  readonly version?: ObjectVersion | undefined;
}

/** What reads a range of a stored object, or all of it. */
export interface RangeReader {
  /** @returns undefined where the object is missing; less than the range at the object's end. */
  read(
    key: string,
    range: RangeQuery | undefined,
    version: ObjectVersion | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array | undefined>;
}

/**
 * Reads bytes at an offset within a part: exactly `length`, or fewer where the object or the part ends.
 * @returns undefined where the object is missing
 * @throws Network ("changed") where it is missing although its index, which says where the part lies, was there:
 *   what an index lists is not to be taken for a chunk that was never stored.
 */
export async function readWithin(
  reader: RangeReader,
  part: StoredRange,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const available = Math.max(0, Math.min(length, (part.length ?? Number.MAX_SAFE_INTEGER) - offset));
  const start = part.offset + offset;
  if (part.bytes) return part.bytes.subarray(start, start + available);
  const bytes = await reader.read(part.key, { offset: start, length: available }, part.version, signal);
  if (!bytes && part.length !== undefined) throw changedError(part.key);
  return bytes;
}

/** Reads the last bytes of a part, or fewer where it is shorter. */
export async function readEndOf(
  reader: RangeReader,
  part: StoredRange,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (part.length === undefined) return reader.read(part.key, { suffixLength: length }, part.version, signal);
  const available = Math.min(length, part.length);
  return readWithin(reader, part, part.length - available, available, signal);
}

/** Reads all of a part. */
export async function wholeObject(
  reader: RangeReader,
  part: StoredRange,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (part.length === undefined) return reader.read(part.key, undefined, part.version, signal);
  return exactly(await readWithin(reader, part, 0, part.length, signal), part.length);
}

/** Checks that a read gave all that was asked for. */
export function exactly(bytes: Uint8Array | undefined, length: number): Uint8Array | undefined {
  if (bytes && bytes.byteLength !== length) {
    throw corruptChunk(
      `the object ends after ${bytes.byteLength} of the ${length} bytes that the chunk should have`,
      {
        code: "truncated",
      },
    );
  }
  return bytes;
}

/** How far apart parts may lie, and how long one request may be, for parts to be read together. */
export interface Coalescing {
  readonly maxGap: number;
  readonly maxBytes: number;
  /** Decoded bytes of the chunks of a shard, if all are wanted, up to which the shard is read as a whole. Default 0. */
  readonly wholeBytes?: number;
}

/** How far apart parts may lie, and how long one request may be, for parts to be read together. */
export interface Coalescing {
  readonly maxGap: number;
  readonly maxBytes: number;
}
