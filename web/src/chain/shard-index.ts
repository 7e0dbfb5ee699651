/** Shard indexes: pairs of offset and size, as numbers. Spec: Zarr v3 "sharding_indexed" codec. */
import { corruptChunk, limitExceeded } from "../util/errors.js";
import type { Limits } from "../util/limits.js";

/** Both 32-bit halves of both numbers of a missing inner chunk: 2^64 - 1. */
const missing = 0xffffffff;
const twoTo32 = 2 ** 32;
/** Parsed value of missing entries. */
const notStored = -1;

/** Position of an inner chunk in its shard. */
export interface ShardEntry {
  readonly offset: number;
  readonly length: number;
}

/** Parses a decoded index (uint64, little-endian): offset and size of every inner chunk; -1 for missing ones. */
export function parseEntries(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = new Float64Array(bytes.byteLength / 8);
  for (let at = 0; at < entries.length; at++) {
    const [low, high] = [view.getUint32(8 * at, true), view.getUint32(8 * at + 4, true)];
    entries[at] = low === missing && high === missing ? notStored : high * twoTo32 + low;
  }
  return entries;
}

/** Returns the bytes of an index, before its codecs. Undefined entries are missing chunks. */
export function indexBytes(entries: readonly (ShardEntry | undefined)[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16 * entries.length).fill(255);
  const view = new DataView(bytes.buffer);
  entries.forEach((entry, i) => {
    if (!entry) return;
    view.setBigUint64(16 * i, BigInt(entry.offset), true);
    view.setBigUint64(16 * i + 8, BigInt(entry.length), true);
  });
  return bytes;
}

/**
 * Returns an entry of an index; undefined for a missing chunk.
 * @param size bytes of the shard, if known.
 * @throws CorruptChunk for an entry outside the shard, or with only one number marked missing; LimitExceeded.
 */
export function entryOf(
  entries: Float64Array,
  entry: number,
  size: number | undefined,
  { encodedBytes }: Limits,
): ShardEntry | undefined {
  const [offset, length] = [entries[2 * entry]!, entries[2 * entry + 1]!];
  if (offset === notStored && length === notStored) return undefined;
  const isInside = offset >= 0 && length >= 0 && offset + length <= (size ?? Number.MAX_SAFE_INTEGER);
  if (isInside && length > encodedBytes) {
    throw limitExceeded(`the chunk has ${length} bytes, more than the limit of ${encodedBytes}`);
  }
  if (!isInside) {
    throw corruptChunk(`entry ${entry} of the shard's index, ${length} bytes at ${offset}, is not possible`, {
      code: "bad-header",
      codec: "sharding_indexed",
    });
  }
  return { offset, length };
}

/** Returns the error for a shard that is shorter than its index. */
export function shorterThanIndex(bytes: number, size: number) {
  return corruptChunk(`the shard has ${bytes} bytes, fewer than its index of ${size} bytes`, {
    code: "truncated",
    codec: "sharding_indexed",
  });
}
