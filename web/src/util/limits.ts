/**
 * Limits on what metadata and chunks may ask for, so that a hostile store can neither exhaust memory
 * nor time. Each can be raised through `open(…, { limits })`.
 */
import { invalidArgument } from "./errors.js";

export interface Limits {
  /** Most bytes of one decoded chunk. At most 2³¹ − 1, what one WebAssembly memory can serve. */
  chunkBytes: number;
  /** Most bytes of one encoded chunk that is accepted from a store. */
  encodedBytes: number;
  /** Most bytes of one metadata document. */
  metadataBytes: number;
  /** Deepest nesting of a metadata document. */
  metadataDepth: number;
  /** Most dimensions of an array. Never above 64, the core's own limit. */
  rank: number;
  /** Most codecs in one chain. Never above 64, the core's own limit. */
  chainLength: number;
  /** Most inner chunks of one shard. */
  shardEntries: number;
  /** Deepest nesting of shards in shards. */
  shardDepth: number;
  /** Most bytes of one result of `get`. */
  resultBytes: number;
  /** Most chunks that one `get` may touch. */
  readChunks: number;
}

/** The defaults. */
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
};

/** The defaults with the caller's own values over them. Throws InvalidArgument for a value that is no positive integer. */
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
