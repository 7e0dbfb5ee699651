/** Reads selected chunks of a shard; adjacent ones with one request. */

import type { ShardLevel } from "../chain/layout.js";
import { type ChunkList, type ChunkTask, combinations } from "../plan/projections.js";
import { ranked } from "../plan/slabs.js";
import { onWritten } from "../store/handle.js";
import type { Store } from "../store/store.js";
import { settleAll } from "../util/async.js";
import { isZarrError } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { type MergedParts, mergeParts } from "./merged-parts.js";
import { type ObjectReader, type Put, putAll, type StoredRange } from "./object-reader.js";
import { batchLength, type EncodedChunks, type PutBatch, ShardBatch } from "./shard-batch.js";
import { type LocatedChunks, numbersTo, ShardLocator, type WantedChunks } from "./shards.js";
import { isChange, readWithin, tooShort } from "./stored-range.js";

/** A shard and its selected chunks. */
interface WantedShard<T extends ChunkTask> extends WantedChunks {
  readonly levels: readonly ShardLevel[];
  /** Store key of the shard. */
  readonly key: string;
  readonly chunks: ChunkList<T>;
  /** Whether these are all chunks of the shard that lie in the array. */
  readonly isAll: boolean;
  /** Whether the store supports range reads. */
  readonly hasRanges: boolean;
}

/** Receives chunks: in batches if it has `putBatch`, otherwise one by one. */
interface Receiver<T extends ChunkTask> {
  readonly put: Put<T>;
  readonly putBatch?: PutBatch<T> | undefined;
}

/** Adjacent chunks to read with one request, or a single chunk to read in part. */
interface Read {
  /** Lowest rank of the chunks. */
  readonly rank: number;
  run(): Promise<void>;
}

/** Reads the shards of one array and caches their indexes. */
export class ShardReader {
  readonly #locator: ShardLocator;
  /** Errors of chunks that were located by a cached index. */
  readonly #outdated = new WeakSet<object>();

  constructor(
    private readonly limits: Limits,
    store: Store,
  ) {
    this.#locator = new ShardLocator(limits);
    onWritten(store, this.forget);
  }

  /** Drops the cached indexes of a shard, or of all shards below a path that ends with "/". */
  readonly forget = (key: string): void => this.#locator.forget(key);

  /** Whether an error may be due to a cached index, which has been dropped. */
  readonly wasOutdated = (error: unknown): boolean => this.#outdated.has(error as object);

  /** Reads chunks of a shard and passes them on. */
  async read<T extends ChunkTask>(
    source: ObjectReader,
    shard: WantedShard<T>,
    { put, putBatch }: Receiver<T>,
  ): Promise<void> {
    const isKept = this.#locator.isKept(shard.levels, shard.key);
    let hasPut = false;
    const noted: Receiver<T> = {
      put: (chunk) => {
        hasPut = true;
        return put(chunk);
      },
      putBatch:
        putBatch &&
        ((batch) => {
          hasPut = true;
          return putBatch(batch);
        }),
    };
    try {
      await new ShardRead(source, shard, noted, this.limits, this.#locator).run();
    } catch (error) {
      // In a store without versions, chunks that fail to decode reveal an outdated index.
      const isCorrupt = isZarrError(error, "CorruptChunk");
      if (isChange(error) || isCorrupt) this.#locator.forget(shard.key);
      if (isCorrupt && isKept) this.#outdated.add(error);
      // The index may be outdated: a changed shard is read again, once.
      if (!isChange(error) || hasPut) throw error;
      await new ShardRead(source, shard, noted, this.limits, this.#locator).run();
    }
  }
}

/** One read of chunks of a shard. */
class ShardRead<T extends ChunkTask> {
  readonly #fail: (error: unknown) => void;
  readonly #ranks: Float64Array | undefined;

  constructor(
    private readonly source: ObjectReader,
    private readonly shard: WantedShard<T>,
    private readonly receiver: Receiver<T>,
    private readonly limits: Limits,
    private readonly locator: ShardLocator,
  ) {
    const { onFailure } = source.options;
    this.#fail = (error) => isChange(error) || onFailure?.(error);
    const { projections, rank } = shard.chunks;
    if (projections && rank) this.#ranks = Float64Array.from(combinations(projections), rank);
  }

  async run(): Promise<void> {
    const { limiter, signal } = this.source.options;
    const found = await limiter.run(() => this.#locate(), signal);
    const { loaded, reads, absent } = this.#divide(found);
    const work = reads.map((read) => limiter.run(() => read.run(), signal));
    await settleAll([this.#putLoaded(loaded), ...work], this.#fail);
    // Last, because an outdated index does not show which chunks are missing.
    await this.#put(absent, undefined);
  }

  async #locate(): Promise<LocatedChunks> {
    const { source, shard } = this;
    const { levels, key, hasRanges } = shard;
    const whole = this.#isReadWhole ? await wholeShard(source, key) : undefined;
    const part = whole ?? (await shardPart(source, key, hasRanges));
    if (!part || part === "missing")
      return { offsets: new Float64Array(), lengths: new Float64Array(), groups: [] };
    return this.locator.locate(levels, part, shard, source, source.options.signal);
  }

  /** Divides the chunks into those in memory, those to read (in part, or neighbours together), and missing ones. */
  #divide(found: LocatedChunks) {
    const { chunks } = this.shard;
    const loaded: { numbers: Uint32Array; encoded: EncodedChunks }[] = [];
    /** Chunks that are not in memory: of all groups, since they are in one object. */
    const toRead = new Uint8Array(chunks.count);
    let object: StoredRange | undefined;
    for (const { numbers, part } of found.groups) {
      const { bytes } = part;
      if (bytes) {
        const stored = this.#byRank(numbers.filter((n) => found.offsets[n]! >= 0));
        loaded.push({ numbers: stored, encoded: { ...found, bytes, start: 0 } });
      } else {
        object = part;
        for (const n of numbers) if (found.offsets[n]! >= 0) toRead[n] = 1;
      }
    }
    const all = this.#byRank(numbersTo(chunks.count));
    const reads = object
      ? this.#readsOf(
          all.filter((n) => toRead[n] === 1),
          object,
          found,
        )
      : [];
    if (this.#ranks) reads.sort((a, b) => a.rank - b.rank);
    return { loaded, reads, absent: all.filter((n) => !(found.offsets[n]! >= 0)) };
  }

  /** Returns the reads of stored chunks of an object. */
  #readsOf(stored: Uint32Array, { key, version }: StoredRange, found: LocatedChunks): Read[] {
    const { source, shard } = this;
    const { chunks } = shard;
    const rankOf = (n: number) => this.#ranks?.[n] ?? 0;
    const reads: Read[] = [];
    const whole = stored.filter((n) => {
      const task = source.readsParts ? chunks.task(n) : undefined;
      const partial = task && source.partial(task);
      if (!partial) return true;
      const at = { key, version, offset: found.offsets[n]!, length: found.lengths[n]! };
      const run = async () => putAll([await partial(source, task, at)], this.receiver.put, this.#fail);
      reads.push({ rank: rankOf(n), run });
      return false;
    });
    const { coalescing } = source.options;
    const maxBytes = Math.min(coalescing.maxBytes, this.limits.encodedBytes);
    for (const merged of mergeParts(whole, found, { ...coalescing, maxBytes })) {
      const rank = this.#ranks
        ? merged.members.reduce((least, n) => Math.min(least, rankOf(n)), Infinity)
        : 0;
      reads.push({ rank, run: () => this.#readMerged(merged, { key, version }, found) });
    }
    return reads;
  }

  /** Reads adjacent chunks with one request. The chunks before a truncated one are complete. */
  async #readMerged(
    { offset, length, members }: MergedParts,
    { key, version }: Pick<StoredRange, "key" | "version">,
    found: LocatedChunks,
  ): Promise<void> {
    const { source } = this;
    const whole = { key, offset, length, version };
    const bytes = (await readWithin(source, whole, 0, length, source.options.signal))!;
    const end = offset + bytes.byteLength;
    const cut = members.findIndex((n) => found.offsets[n]! + found.lengths[n]! > end);
    const complete = cut < 0 ? members : members.subarray(0, cut);
    await this.#put(complete, { ...found, bytes, start: offset });
    if (cut < 0) return;
    const n = members[cut]!;
    throw tooShort(Math.max(0, end - found.offsets[n]!), found.lengths[n]!);
  }

  async #putLoaded(loaded: readonly { numbers: Uint32Array; encoded: EncodedChunks }[]): Promise<void> {
    for (const { numbers, encoded } of loaded) await this.#put(numbers, encoded);
  }

  /** Passes chunks on. @param encoded undefined for missing chunks. */
  async #put(numbers: Uint32Array, encoded: EncodedChunks | undefined): Promise<void> {
    const { leaf } = this.source;
    const { put, putBatch } = this.receiver;
    const isBatched = putBatch && leaf.type === "core";
    const length = isBatched ? batchLength(leaf) : numbers.length;
    for (let at = 0; at < numbers.length; at += length) {
      const batch = new ShardBatch(this.shard.chunks, leaf, numbers.subarray(at, at + length), encoded);
      if (isBatched) await this.#putBatch(batch, putBatch);
      else if (encoded) await putAll(batch, put, this.#fail);
      else for (const chunk of batch) await put(chunk);
    }
  }

  /** Passes on a batch. */
  async #putBatch(batch: ShardBatch<T>, put: PutBatch<T>): Promise<void> {
    const { onMissing, onPlaced, signal } = this.source.options;
    signal?.throwIfAborted();
    if (!batch.encoded && onMissing)
      for (const n of batch.numbers) onMissing(batch.chunks.task(n).coordinates);
    await put(batch);
    for (let left = batch.numbers.length; left > 0; left--) {
      signal?.throwIfAborted();
      onPlaced?.();
    }
  }

  /** Sorts chunks by rank, if there are ranks. */
  #byRank(numbers: Uint32Array): Uint32Array {
    const ranks = this.#ranks;
    if (!ranks) return numbers;
    const own = Float64Array.from(numbers, (n) => ranks[n]!);
    return ranked(own).map((at) => numbers[at]!);
  }

  /** Whether to read the shard with one request instead of its index first. */
  get #isReadWhole(): boolean {
    const { levels, key, chunks, isAll, hasRanges } = this.shard;
    const { options, leaf } = this.source;
    const { wholeBytes = 0 } = options.coalescing;
    const chunkBytes = leaf.type === "core" ? leaf.plan.decodedBytes : Number.POSITIVE_INFINITY;
    const isSmall = chunks.count * chunkBytes <= wholeBytes;
    return isAll && hasRanges && isSmall && !this.locator.isKept(levels, key);
  }
}

/** Reads a whole shard; undefined if it is larger than allowed. */
async function wholeShard(source: ObjectReader, key: string): Promise<StoredRange | "missing" | undefined> {
  const { signal, coalescing } = source.options;
  try {
    const bytes = await source.read(key, undefined, undefined, signal, 2 * coalescing.wholeBytes!);
    return bytes ? { key, bytes, offset: 0, length: bytes.byteLength } : "missing";
  } catch (error) {
    if (isZarrError(error, "LimitExceeded")) return undefined;
    throw error;
  }
}

/** Returns a shard, which is read at once if the store does not support range reads. */
async function shardPart(
  source: ObjectReader,
  key: string,
  hasRanges: boolean,
): Promise<StoredRange | undefined> {
  if (hasRanges) return { key, offset: 0, length: undefined };
  const bytes = await source.read(key, undefined, undefined, source.options.signal);
  return bytes && { key, bytes, offset: 0, length: bytes.byteLength };
}
