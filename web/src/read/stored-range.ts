/** Reads byte ranges of objects, and parts of chunks in them. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { ChunkTask, Fetched, FetchedChunk } from "../plan/projections.js";
import { changedError } from "../store/store.js";
import { corruptChunk, isZarrError } from "../util/errors.js";
import type { ObjectReader, StoredRange } from "./object-reader.js";

/** Whether an error means that an object has changed since other parts of it were read. */
export const isChange = (error: unknown): boolean =>
  isZarrError(error, "Network") && error.code === "changed";

export interface PartialReader {
  /**
   * Reads the subarray; undefined if the chunk is missing, "whole" if the whole chunk should be read instead.
   */
  read(
    object: ObjectReader,
    part: StoredRange,
    signal: AbortSignal | undefined,
  ): Promise<Fetched<CoreChunkCodec> | "whole" | undefined>;
}

/** Reads the selected part of a chunk, or all of it if the reader prefers that. */
export async function readPart<T extends ChunkTask>(
  object: ObjectReader,
  task: T,
  partial: PartialReader,
  at: StoredRange,
): Promise<FetchedChunk<T>> {
  const fetched = await partial.read(object, at, object.options.signal).catch((error) => {
    // A chunk that changes between two reads of its parts is read whole.
    if (at.length === undefined && isChange(error)) return "whole" as const;
    throw error;
  });
  if (fetched !== "whole") return fetched ? { ...fetched, task } : object.chunk(task, undefined);
  // Omits the version of the parts read so far, because the object may have changed since.
  const isChunk = at.length === undefined;
  return object.chunk(
    task,
    await (isChunk ? object.readChunk(at.key) : wholeObject(object, at, object.options.signal)),
  );
}

/**
 * Reads `length` bytes at an offset within a part, or fewer if the object or the part ends before.
 * @returns undefined if the object is missing.
 * @throws Network ("changed") if the object is missing although the index that located the part existed:
 *   chunks listed in an index must not be read as never stored.
 */
export async function readWithin(
  object: ObjectReader,
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

/** Reads all of a part. */
export async function wholeObject(
  object: ObjectReader,
  part: StoredRange,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (part.length === undefined) return object.read(part.key, undefined, part.version, signal);
  return exactly(await readWithin(object, part, 0, part.length, signal), part.length);
}

/** Checks that a read returned all requested bytes. @throws CorruptChunk ("truncated") */
export function exactly(bytes: Uint8Array | undefined, length: number): Uint8Array | undefined {
  if (bytes && bytes.byteLength !== length) throw tooShort(bytes.byteLength, length);
  return bytes;
}

/** Returns the error for an object that ends within a chunk. */
export function tooShort(bytes: number, length: number): Error {
  return corruptChunk(`the object ends after ${bytes} of the chunk's ${length} bytes`, { code: "truncated" });
}
