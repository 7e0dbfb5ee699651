/** Reading chunks inside shards: those that are wanted of one shard, neighbours with one request. */

import type { ShardLevel } from "../chain/layout.js";
import type { ChunkTask } from "../plan/task.js";
import type { Store } from "../store/store.js";
import { onWritten } from "../store/write-events.js";
import { isZarrError } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { settleAll } from "../util/settle-all.js";
import { isChange } from "./object-bytes.js";
import type { ObjectRead } from "./object-read.js";
import { ShardLocator } from "./shards.js";
import { exactly, type MergedParts, mergeParts, readWithin, type StoredRange } from "./stored-range.js";

/** A chunk with its position in its shard, in inner chunks. */
interface Located<T> {
  readonly task: T;
  readonly position: readonly number[];
}

/** A shard, and the chunks of it that are wanted. */
interface WantedShard<T> {
  readonly levels: readonly ShardLevel[];
  /** Store key of the shard. */
  readonly key: string;
  readonly wanted: readonly Located<T>[];
  /** Whether these are all that the array has of it. */
  readonly isAll: boolean;
  /** Whether its store can read parts of it. */
  readonly hasRanges: boolean;
}

/** Reads the shards of one array, whose indexes it keeps. */
export class ShardReader {
  readonly #locator: ShardLocator;
  /** Errors of chunks that were looked for where an index from an earlier read had them. */
  readonly #outdated = new WeakSet<object>();

  constructor(
    private readonly limits: Limits,
    store: Store,
  ) {
    this.#locator = new ShardLocator(limits);
    onWritten(store, this.forget);
  }

  /** Forgets what is known of a shard; of all below a path with a "/" at its end. */
  readonly forget = (key: string): void => this.#locator.forget(key);

  /** Whether an error may come of an index that was kept from an earlier read: it is forgotten by now. */
  readonly wasOutdated = (error: unknown): boolean => this.#outdated.has(error as object);

  async read<T extends ChunkTask>(work: ObjectRead<T>, shard: WantedShard<T>): Promise<void> {
    const isKept = this.#locator.isKept(shard.levels, shard.key);
    try {
      await this.#readShard(work, shard);
    } catch (error) {
      // Where a store tells no versions, an index that has become outdated shows in chunks that do not decode.
      const isCorrupt = isZarrError(error, "CorruptChunk");
      if (isChange(error) || isCorrupt) this.#locator.forget(shard.key);
      if (isCorrupt && isKept) this.#outdated.add(error);
      // The index may have been kept from long ago: what has changed since is read afresh, once.
      if (!isChange(error) || work.hasVisited) throw error;
      await this.#readShard(work, shard);
    }
  }

  /** Chunks of a shard: each whole or in part, neighbours together. */
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
    const absent: T[] = [];
    const visits: Promise<void>[] = [];
    for (const located of byRank(wanted, ({ task }) => task.rank)) {
      const { task } = located;
      const at = found.get(located);
      const partial = at && !at.bytes ? work.partial(task) : undefined;
      if (!at) absent.push(task);
      else if (at.bytes) visits.push(work.visitLoaded(task, at));
      else if (partial) visits.push(limiter.run(() => work.visitPart(task, partial, at), signal));
      else whole.push([task, at]);
    }
    const { maxBytes } = work.options.coalescing;
    const coalescing = { ...work.options.coalescing, maxBytes: Math.min(maxBytes, this.limits.encodedBytes) };
    for (const merged of byRank(mergeParts(whole, coalescing), firstRank)) {
      visits.push(limiter.run(() => readMerged(work, merged), signal));
    }
    await settleAll(visits, (error) => isChange(error) || work.options.onFailure?.(error));
    // Last, for an index that turns out to be outdated says nothing of them.
    for (const task of absent) await work.visit(task, undefined);
  }

  /** Whether one request for a whole shard is better than one for its index, and then others. */
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

/** A shard with the bytes of all of it; undefined where these are more than they should be. */
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

/** A shard; read at once from stores that serve no ranges. */
async function shardPart<T extends ChunkTask>(
  work: ObjectRead<T>,
  key: string,
  hasRanges: boolean,
): Promise<StoredRange | undefined> {
  if (hasRanges) return { key, offset: 0, length: undefined };
  const bytes = await work.bytes.read(key, undefined, undefined, work.options.signal);
  return bytes && { key, bytes, offset: 0, length: bytes.byteLength };
}

/** Reads parts that lie close together, and hands out each. */
async function readMerged<T extends ChunkTask>(
  work: ObjectRead<T>,
  { offset, length, members }: MergedParts<T>,
): Promise<void> {
  const { options } = work;
  const { key, version } = members[0]![1];
  const whole = { key, offset, length, version };
  const bytes = await readWithin(work.bytes, whole, 0, length, options.signal);
  // Not one after another: whoever decodes them in other threads is to have all of them.
  const visits = members.map(async ([task, part]) => {
    const start = part.offset - offset;
    await work.visit(task, bytes && exactly(bytes.subarray(start, start + part.length!), part.length!));
  });
  await settleAll(visits, (error) => isChange(error) || options.onFailure?.(error));
}

/** The first of what is read with one request. */
function firstRank<T extends ChunkTask>({ members }: MergedParts<T>): number | undefined {
  if (members[0]![0].rank === undefined) return undefined;
  return members.reduce((least, [{ rank }]) => Math.min(least, rank!), Number.POSITIVE_INFINITY);
}

/** Sorted by rank where there are ranks. */
function byRank<T>(items: readonly T[], rankOf: (item: T) => number | undefined): readonly T[] {
  if (items.length < 2 || rankOf(items[0]!) === undefined) return items;
  return [...items].sort((a, b) => rankOf(a)! - rankOf(b)!);
}
