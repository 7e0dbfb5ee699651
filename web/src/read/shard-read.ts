/** Reads selected chunks of a shard, neighbours with one request. */

import type { ShardLevel } from "../chain/layout.js";
import type { ChunkTask } from "../plan/projections.js";
import { onWritten } from "../store/handle.js";
import type { Store } from "../store/store.js";
import { settleAll } from "../util/async.js";
import { isZarrError } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { type MergedParts, mergeParts } from "./merged-parts.js";
import { exactly, isChange, readWithin, type StoredRange } from "./object-bytes.js";
import type { ObjectRead } from "./object-read.js";
import { ShardLocator } from "./shards.js";

/** A chunk with its position in its shard, in inner chunks. */
interface Located<T> {
  readonly task: T;
  readonly position: readonly number[];
}

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

  async read<T extends ChunkTask>(work: ObjectRead<T>, shard: WantedShard<T>): Promise<void> {
    const isKept = this.#locator.isKept(shard.levels, shard.key);
    try {
      await this.#readShard(work, shard);
    } catch (error) {
      // In a store without versions, chunks that fail to decode reveal an outdated index.
      const isCorrupt = isZarrError(error, "CorruptChunk");
      if (isChange(error) || isCorrupt) this.#locator.forget(shard.key);
      if (isCorrupt && isKept) this.#outdated.add(error);
      // The index may be outdated: a changed shard is read again, once.
      if (!isChange(error) || work.hasVisited) throw error;
      await this.#readShard(work, shard);
    }
  }

  /** Reads chunks of a shard, each whole or in part, and neighbours together. */
  async #readShard<T extends ChunkTask>(work: ObjectRead<T>, shard: WantedShard<T>): Promise<void> {
    const { levels, key, wanted, hasRanges } = shard;
    const { limiter, signal } = work.options;
    const found = await limiter.run(async () => {
      const whole = this.#isReadWhole(work, shard) ? await wholeShard(work, key) : undefined;
      const part = whole ?? (await shardPart(work, key, hasRanges));
      return part && part !== "missing"
        ? this.#locator.locate(levels, part, wanted, work.bytes, signal)
        : new Map<Located<T>, StoredRange>();
    }, signal);
    const whole: (readonly [T, StoredRange])[] = [];
    const loaded: (readonly [T, StoredRange])[] = [];
    const absent: T[] = [];
    const visits: Promise<void>[] = [];
    for (const located of byRank(wanted, ({ task }) => task.rank)) {
      const { task } = located;
      const at = found.get(located);
      const partial = at && !at.bytes ? work.partial(task) : undefined;
      if (!at) absent.push(task);
      else if (at.bytes) loaded.push([task, at]);
      else if (partial) visits.push(limiter.run(() => work.visitPart(task, partial, at), signal));
      else whole.push([task, at]);
    }
    // Entries end within the shard, as readEntry has checked.
    visits.push(
      work.visitAll(loaded, ({ bytes, offset, length }) => bytes!.subarray(offset, offset + length!)),
    );
    const { maxBytes } = work.options.coalescing;
    const coalescing = { ...work.options.coalescing, maxBytes: Math.min(maxBytes, this.limits.encodedBytes) };
    for (const merged of byRank(mergeParts(whole, coalescing), firstRank)) {
      visits.push(limiter.run(() => readMerged(work, merged), signal));
    }
    await settleAll(visits, (error) => isChange(error) || work.options.onFailure?.(error));
    // Last, because an outdated index does not show which chunks are missing.
    for (const task of absent) await work.visit(task, undefined);
  }

  /** Whether to read the shard with one request instead of its index first. */
  #isReadWhole<T extends ChunkTask>(
    { options, leaf }: ObjectRead<T>,
    { levels, key, wanted, isAll, hasRanges }: WantedShard<T>,
  ): boolean {
    const { wholeBytes = 0 } = options.coalescing;
    const chunkBytes = leaf.type === "core" ? leaf.plan.decodedBytes : Number.POSITIVE_INFINITY;
    const isSmall = wanted.length * chunkBytes <= wholeBytes;
    return isAll && hasRanges && isSmall && !this.#locator.isKept(levels, key);
  }
}

/** Reads a whole shard; undefined if it is larger than allowed. */
async function wholeShard<T extends ChunkTask>(
  work: ObjectRead<T>,
  key: string,
): Promise<StoredRange | "missing" | undefined> {
  const { signal, coalescing } = work.options;
  try {
    const bytes = await work.bytes.read(key, undefined, undefined, signal, 2 * coalescing.wholeBytes!);
    return bytes ? { key, bytes, offset: 0, length: bytes.byteLength } : "missing";
  } catch (error) {
    if (isZarrError(error, "LimitExceeded")) return undefined;
    throw error;
  }
}

/** Returns a shard, which is read at once if the store does not support range reads. */
async function shardPart<T extends ChunkTask>(
  work: ObjectRead<T>,
  key: string,
  hasRanges: boolean,
): Promise<StoredRange | undefined> {
  if (hasRanges) return { key, offset: 0, length: undefined };
  const bytes = await work.bytes.read(key, undefined, undefined, work.options.signal);
  return bytes && { key, bytes, offset: 0, length: bytes.byteLength };
}

/** Reads adjacent parts with one request and passes on each. */
async function readMerged<T extends ChunkTask>(
  work: ObjectRead<T>,
  { offset, length, members }: MergedParts<T>,
): Promise<void> {
  const { key, version } = members[0]![1];
  const whole = { key, offset, length, version };
  const bytes = await readWithin(work.bytes, whole, 0, length, work.options.signal);
  await work.visitAll(members, (part) => {
    const start = part.offset - offset;
    return bytes && exactly(bytes.subarray(start, start + part.length!), part.length!);
  });
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
