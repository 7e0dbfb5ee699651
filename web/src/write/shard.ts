/** Shards with some of their inner chunks replaced. Spec: Zarr v3 "sharding_indexed" codec. */

import type { ShardLevel } from "../chain/layout.js";
import {
  entryOf,
  indexBytes,
  parseEntries,
  type ShardEntry,
  shorterThanIndex,
} from "../chain/shard-index.js";
import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import type { CodecSession, Copy } from "../engine/session.js";
import { type EntryGroup, groupByEntry, type WantedChunk } from "../read/shards.js";
import type { MaybePromise } from "../store/store.js";
import { corruptChunk, withDetails } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { uninitialised } from "../util/platform.js";
import { countOf } from "../util/strides.js";

/**
 * What makes an inner chunk of what is stored of it; undefined for one that is not (to be) stored.
 * @param copy what may take the encoded bytes before it returns them, to where they belong; once.
 */
export type Replace<T> = (
  task: T,
  stored: Uint8Array | undefined,
  copy: Copy | undefined,
) => MaybePromise<Uint8Array | undefined>;

/** How shards are changed. */
export interface ShardWork<T> {
  readonly session: CodecSession;
  readonly limits: Limits;
  readonly replace: Replace<T>;
  /** Most inner chunks that are being made, or have been and wait for those before them. */
  readonly concurrency: number;
  /** Sizes of the last shards of each level: the next ones are likely to need as much memory. */
  readonly sizes: Map<ShardLevel, number>;
}

/**
 * A shard with some inner chunks replaced. The others are copied as they are stored: never decoded, byte for byte the
 * same. Inner chunks lie in the order of their entries, without gaps, in whatever order they are made.
 * @param levels of the shard and of shards inside of it.
 * @param stored the shard as it is; undefined for none.
 * @param tasks the chunks to replace, and `at` their positions from the shard's first one.
 * @returns undefined where no inner chunk is left.
 * @throws CorruptChunk for a shard that is not whole; what `replace` throws, when nothing is being made any more.
 */
export async function changeShard<T>(
  work: ShardWork<T>,
  levels: readonly ShardLevel[],
  stored: Uint8Array | undefined,
  tasks: readonly T[],
  at: readonly WantedChunk[],
): Promise<Uint8Array | undefined> {
  const [level, ...inner] = levels as [ShardLevel, ...ShardLevel[]];
  const parts = storedParts(work, level, stored);
  const groups = new Map<number, EntryGroup<T>>();
  for (const group of groupByEntry(level, inner, tasks, at)) groups.set(group.entry, group);
  const expected = Math.max(stored?.byteLength ?? 0, work.sizes.get(level) ?? 0);
  const shard = new ShardBuilder(work.session, level, expected);
  const make = (entry: number, isNext: boolean) => {
    const [group, before] = [groups.get(entry), parts?.[entry]];
    if (!group) return before;
    return inner.length === 0
      ? work.replace(group.wanted[0]!, before, isNext ? shard.copyBehind : undefined)
      : changeShard(work, inner, before, group.wanted, group.at);
  };
  // Inner shards one by one, for each makes several chunks at a time.
  const concurrency = inner.length === 0 ? work.concurrency : 1;
  await inOrder(countOf(level.counts), concurrency, make, (part) => shard.append(part));
  if (shard.isEmpty) return undefined;
  const bytes = shard.finish();
  work.sizes.set(level, bytes.byteLength);
  return bytes;
}

/**
 * Makes `count` parts, some at a time, and hands them over in order. What is there at once is not waited for.
 * @param make is told whether the part will be the next that is handed over, with nothing before.
 */
async function inOrder<T>(
  count: number,
  concurrency: number,
  make: (i: number, isNext: boolean) => MaybePromise<T>,
  take: (part: T) => void,
): Promise<void> {
  const waiting: MaybePromise<T>[] = [];
  try {
    for (let i = 0; i < count; i++) {
      if (waiting.length >= concurrency) take(await waiting.shift()!);
      const part = make(i, waiting.length === 0);
      if (waiting.length === 0 && !(part instanceof Promise)) take(part);
      else waiting.push(part);
    }
    while (waiting.length > 0) take(await waiting.shift()!);
  } catch (error) {
    await Promise.allSettled(waiting);
    throw error;
  }
}

/** The inner chunks of a shard as they are stored, entry by entry. */
export function storedParts(
  { session, limits }: Pick<ShardWork<unknown>, "session" | "limits">,
  { after, counts, index }: ShardLevel,
  stored: Uint8Array | undefined,
): (Uint8Array | undefined)[] | undefined {
  if (!stored) return undefined;
  const shard = after.length === 0 ? stored : decodeBytesIn(session, after, stored, limits.chunkBytes);
  const { plan, bytes, location } = index;
  if (shard.byteLength < bytes) throw shorterThanIndex(shard.byteLength, bytes);
  const start = location === "start" ? 0 : shard.byteLength - bytes;
  try {
    const entries = parseEntries(session.decode(plan, shard.subarray(start, start + bytes)));
    let together = 0;
    return Array.from({ length: countOf(counts) }, (_, entry) => {
      const found = entryOf(entries, entry, shard.byteLength, limits);
      if (!found) return undefined;
      // Each is copied: entries that name the same bytes would make far more of them.
      together += found.length;
      if (together > shard.byteLength) throw overlapping(shard.byteLength);
      return shard.subarray(found.offset, found.offset + found.length);
    });
  } catch (error) {
    throw withDetails(error, { codec: "sharding_indexed" }, "the shard's index: ");
  }
}

function overlapping(bytes: number): Error {
  return corruptChunk(`inner chunks overlap: together they have more than the shard's ${bytes} bytes`, {
    code: "bad-header",
  });
}

/** A shard without inner chunks. */
export function emptyShard(session: CodecSession, level: ShardLevel): Uint8Array {
  const shard = new ShardBuilder(session, level, 0);
  for (let entry = 0; entry < countOf(level.counts); entry++) shard.append(undefined);
  return shard.finish();
}

/**
 * Puts a shard together as its inner chunks come: in memory for as much as the last shard had, so that it is there once
 * and nothing is copied twice. What does not fit there is joined at the end; memory that grows would be copied, and be
 * made anew, several times.
 */
class ShardBuilder {
  readonly #entries: (ShardEntry | undefined)[] = [];
  readonly #memory: Uint8Array<ArrayBuffer>;
  /** What has not fitted. */
  readonly #parts: Uint8Array[] = [];
  #end = 0;
  isEmpty = true;

  /** @param expected bytes that it may have; 0 where nobody knows. */
  constructor(
    private readonly session: CodecSession,
    private readonly level: ShardLevel,
    expected: number,
  ) {
    const { bytes, location } = level.index;
    this.#memory = uninitialised(expected > 0 ? expected + (expected >> 3) : 0);
    if (location === "start") this.#put(new Uint8Array(bytes));
  }

  /** Copies what will be appended next, to where it belongs if it fits there. */
  readonly copyBehind = (part: Uint8Array): Uint8Array<ArrayBuffer> => {
    if (!this.#fits(part)) return new Uint8Array(part);
    this.#memory.set(part, this.#end);
    return this.#memory.subarray(this.#end, this.#end + part.byteLength);
  };

  /** The inner chunk of the next entry; undefined for one that is not stored. */
  append(part: Uint8Array | undefined): void {
    this.#entries.push(part && { offset: this.#end, length: part.byteLength });
    if (!part) return;
    this.isEmpty = false;
    this.#put(part);
  }

  finish(): Uint8Array {
    const { index, after } = this.level;
    const table = this.session.encode(index.plan, indexBytes(this.#entries));
    if (index.location === "end") this.#put(table);
    const bytes = this.#joined();
    if (index.location === "start") bytes.set(table);
    return encodeBytesIn(this.session, after, bytes);
  }

  #fits(part: Uint8Array): boolean {
    return this.#parts.length === 0 && this.#end + part.byteLength <= this.#memory.byteLength;
  }

  #put(part: Uint8Array): void {
    const isThere = part.buffer === this.#memory.buffer && part.byteOffset === this.#end;
    if (!this.#fits(part)) this.#parts.push(part);
    else if (!isThere) this.#memory.set(part, this.#end);
    this.#end += part.byteLength;
  }

  #joined(): Uint8Array<ArrayBuffer> {
    const inMemory = this.#end - this.#parts.reduce((sum, part) => sum + part.byteLength, 0);
    const whole = this.#memory.subarray(0, inMemory);
    // A little memory behind it costs less than a copy.
    if (inMemory === this.#end && this.#memory.byteLength - inMemory <= inMemory >> 2) return whole;
    const bytes = uninitialised(this.#end);
    let at = 0;
    for (const part of [whole, ...this.#parts]) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    return bytes;
  }
}
