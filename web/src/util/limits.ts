/**
 * Limits on the resources that metadata and chunks may demand, so that a hostile store cannot exhaust memory
 * or time. Each can be changed through `open(…, { limits })`.
 */
import { invalidArgument } from "./errors.js";

export interface Limits {
  /** Maximum size of a decoded chunk, in bytes. At most 2³¹ − 1, the maximum for one WebAssembly memory. */
  chunkBytes: number;
  /** Maximum size of an encoded chunk that is accepted from a store, in bytes. */
  encodedBytes: number;
  /** Maximum size of a metadata document, in bytes. */
  metadataBytes: number;
  /** Maximum nesting depth of a metadata document. */
  metadataDepth: number;
  /** Maximum number of dimensions of an array. Never above 64, the core's own limit. */
  rank: number;
  /** Maximum number of codecs in one chain. Never above 64, the core's own limit. */
  chainLength: number;
  /** Maximum number of inner chunks of one shard. */
  shardEntries: number;
  /** Maximum depth of shards nested in shards. */
  shardDepth: number;
  /** Maximum size of one result of `get`, in bytes. */
  resultBytes: number;
  /** Maximum number of chunks that one `get` may touch. */
  readChunks: number;
  /**
   * Maximum size of an index of many objects, decompressed, in bytes: the directory of a zip archive, a kerchunk
   * document, a Parquet file of references, a snapshot or manifest of Icechunk (default there: 1 GiB).
   */
  indexBytes: number;
  /** Maximum number of references in a kerchunk document; in each Parquet file (default there: 2²¹). */
  references: number;
}

export const defaultLimits: Readonly<Limits> = {
  chunkBytes: 2 ** 30,
  encodedBytes: 2 ** 31 - 2 ** 20,
  metadataBytes: 64 * 2 ** 20,
  metadataDepth: 64,
  rank: 64,
  chainLength: 64,
  shardEntries: 2 ** 24,
  shardDepth: 8,
  resultBytes: 2 ** 36,
  readChunks: 2 ** 22,
  indexBytes: 2 ** 28,
  references: 10_000_000,
};

/**
 * Merges the caller's limits with the defaults. @throws InvalidArgument for unknown limits and values that
 * are not positive integers.
 */
export function resolveLimits(own: Partial<Limits> | undefined): Limits {
  const limits = { ...defaultLimits };
  for (const [name, value] of Object.entries(own ?? {}) as [keyof Limits, number | undefined][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaultLimits, name)) throw invalidArgument(`unknown limit "${name}"`);
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw invalidArgument(
        `limits.${name} must be a positive integer, not ${typeof value === "number" ? value : typeof value}`,
      );
    }
    limits[name] = value;
  }
  limits.chunkBytes = Math.min(limits.chunkBytes, 2 ** 31 - 1);
  limits.rank = Math.min(limits.rank, 64);
  limits.chainLength = Math.min(limits.chainLength, 64);
  return limits;
}
