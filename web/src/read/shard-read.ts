/** Reads selected chunks of a shard, neighbours with one request. */

import type { ShardLevel } from "../chain/layout.js";
import type { ChunkTask, FetchedChunk } from "../plan/projections.js";
import { onWritten } from "../store/handle.js";
import type { Store } from "../store/store.js";
import { settleAll } from "../util/async.js";
import { isZarrError } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { type MergedParts, mergeParts } from "./merged-parts.js";
import {
  exactly,
  isChange,
  type ObjectReader,
  type Put,
  putAll,
  readWithin,
  type StoredRange,
} from "./object-reader.js";
import { ShardLocator } from "./shards.js";

/** A chunk with its position in its shard, in inner chunks. */
interface Located<T> {
  readonly task: T;
  readonly position: readonly number[];
}

/** Reads chunks with one request, or one in part. */
type Read<T extends ChunkTask> = () => Promise<Iterable<FetchedChunk<T>>>;

/** A shard and its selected chunks. */
interface WantedShard<T> {
  readonly levels: readonly ShardLevel[];
  /** Store key of the shard. */
  readonly key: string;
  readonly wanted: readonly Located<T>[];
  /** Whether these are all chunks of the shard that lie in the array. */
  readonly isAll: boolean;
  /** Whether the store supports range reads. */
  readonly hasRanges: boolean;
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

  /** Reads chunks of a shard and passes each to `put`. */
  async read<T extends ChunkTask>(source: ObjectReader, shard: WantedShard<T>, put: Put<T>): Promise<void> {
    const isKept = this.#locator.isKept(shard.levels, shard.key);
    let hasPut = false;
    const noted: Put<T> = (chunk) => {
      hasPut = true;
      return put(chunk);
    };
    try {
      await this.#read(source, shard, noted);
    } catch (error) {
      // In a store without versions, chunks that fail to decode reveal an outdated index.
      const isCorrupt = isZarrError(error, "CorruptChunk");
      if (isChange(error) || isCorrupt) this.#locator.forget(shard.key);
      if (isCorrupt && isKept) this.#outdated.add(error);
      // The index may be outdated: a changed shard is read again, once.
      if (!isChange(error) || hasPut) throw error;
      await this.#read(source, shard, noted);
    }
  }

  async #read<T extends ChunkTask>(source: ObjectReader, shard: WantedShard<T>, put: Put<T>): Promise<void> {
    const { limiter, signal, onFailure } = source.options;
    const found = await limiter.run(() => this.#locate(source, shard), signal);
    const { loaded, reads, absent } = this.#divide(source, shard, found);
    const fail = (error: unknown) => isChange(error) || onFailure?.(error);
    const work = reads.map((read) => limiter.run(async () => putAll(await read(), put, fail), signal));
    await settleAll([putAll(loaded, put, fail), ...work], fail);
    // Last, because an outdated index does not show which chunks are missing.
    for (const chunk of absent) await put(chunk);
  }

  async #locate<T extends ChunkTask>(
    source: ObjectReader,
    shard: WantedShard<T>,
  ): Promise<Map<Located<T>, StoredRange>> {
    const { levels, key, wanted, hasRanges } = shard;
    const whole = this.#isReadWhole(source, shard) ? await wholeShard(source, key) : undefined;
    const part = whole ?? (await shardPart(source, key, hasRanges));
    if (!part || part === "missing") return new Map();
    return this.#locator.locate(levels, part, wanted, source, source.options.signal);
  }

  /** Divides the chunks of a shard into those in memory, those to read (in part, or neighbours together), and missing ones. */
  #divide<T extends ChunkTask>(
    source: ObjectReader,
    { wanted }: WantedShard<T>,
    found: ReadonlyMap<Located<T>, StoredRange>,
  ) {
    const loaded: FetchedChunk<T>[] = [];
    const reads: Read<T>[] = [];
    const absent: FetchedChunk<T>[] = [];
    const whole: (readonly [T, StoredRange])[] = [];
    for (const located of byRank(wanted, ({ task }) => task.rank)) {
      const { task } = located;
      const at = found.get(located);
      const partial = at && !at.bytes ? source.partial(task) : undefined;
      if (!at) absent.push(source.chunk(task, undefined));
      // Entries end within the shard, as readEntry has checked.
      else if (at.bytes)
        loaded.push(source.chunk(task, at.bytes.subarray(at.offset, at.offset + at.length!)));
      else if (partial) reads.push(async () => [await source.readPart(task, partial, at)]);
      else whole.push([task, at]);
    }
    const { coalescing } = source.options;
    const maxBytes = Math.min(coalescing.maxBytes, this.limits.encodedBytes);
    for (const merged of byRank(mergeParts(whole, { ...coalescing, maxBytes }), firstRank))
      reads.push(() => readMerged(source, merged));
    return { loaded, reads, absent };
  }

  /** Whether to read the shard with one request instead of its index first. */
  #isReadWhole<T extends ChunkTask>(
    { options, leaf }: ObjectReader,
    { levels, key, wanted, isAll, hasRanges }: WantedShard<T>,
  ): boolean {
    const { wholeBytes = 0 } = options.coalescing;
    const chunkBytes = leaf.type === "core" ? leaf.plan.decodedBytes : Number.POSITIVE_INFINITY;
    const isSmall = wanted.length * chunkBytes <= wholeBytes;
    return isAll && hasRanges && isSmall && !this.#locator.isKept(levels, key);
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

/** Reads adjacent chunks with one request. The chunks before a truncated one are complete. */
async function readMerged<T extends ChunkTask>(
  source: ObjectReader,
  { offset, length, members }: MergedParts<T>,
): Promise<Iterable<FetchedChunk<T>>> {
  const { key, version } = members[0]![1];
  const whole = { key, offset, length, version };
  const bytes = await readWithin(source, whole, 0, length, source.options.signal);
  return (function* () {
    for (const [task, part] of members) {
      const start = part.offset - offset;
      const encoded = bytes && exactly(bytes.subarray(start, start + part.length!), part.length!);
      yield source.chunk(task, encoded);
    }
  })();
}

/** Returns the lowest rank of the parts read with one request. */
function firstRank<T extends ChunkTask>({ members }: MergedParts<T>): number | undefined {
  if (members[0]![0].rank === undefined) return undefined;
  return members.reduce((least, [{ rank }]) => Math.min(least, rank!), Number.POSITIVE_INFINITY);
}

/** Sorts by rank, if there are ranks. */
function byRank<T>(items: readonly T[], rankOf: (item: T) => number | undefined): readonly T[] {
  if (items.length < 2 || rankOf(items[0]!) === undefined) return items;
  return [...items].sort((a, b) => rankOf(a)! - rankOf(b)!);
}
