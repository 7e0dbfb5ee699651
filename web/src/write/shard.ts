/** Replaces inner chunks of shards. Spec: Zarr v3 "sharding_indexed" codec. */

import type { ShardLevel } from "../chain/layout.js";
import { indexBytes, parseEntries, readEntry, type ShardEntry, shorterThanIndex } from "../chain/shards.js";
import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import type { CodecSession, Copy } from "../engine/session.js";
import { type EntryGroup, groupByEntry, type WantedChunk } from "../read/shards.js";
import type { MaybePromise } from "../store/store.js";
import { corruptChunk, withDetails } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { uninitialised } from "../util/platform.js";
import { countOf } from "../util/shapes.js";

/**
 * Returns the new inner chunk, given the stored one; undefined for a missing chunk.
 * @param copy may receive the encoded bytes before they are returned, to copy them to their final position;
 *   call it at most once.
 */
export type Replace<T> = (
  task: T,
  stored: Uint8Array | undefined,
  copy: Copy | undefined,
) => MaybePromise<Uint8Array | undefined>;

/** Context of changing shards. */
export interface ShardWork<T> {
  readonly session: CodecSession;
  readonly limits: Limits;
  readonly replace: Replace<T>;
  /** Maximum number of inner chunks that are being encoded, or are encoded and wait for preceding ones. */
  readonly concurrency: number;
  /** Allocates memory for a shard. Default: new memory. */
  readonly allocate?: (bytes: number) => Uint8Array<ArrayBuffer>;
  /** Sizes of the last shards of each level: the next ones are likely to need as much memory. */
  readonly sizes: Map<ShardLevel, number>;
}

/**
 * Returns a shard with some inner chunks replaced. The others are copied byte for byte, without decoding.
 * Inner chunks are stored in the order of their entries, without gaps, regardless of the order in which they
 * are encoded.
 * @param levels of the shard and of the shards inside it.
 * @param stored the stored shard; undefined if there is none.
 * @param tasks the chunks to replace; `at` are their positions relative to the shard's first chunk.
 * @returns undefined if no inner chunk is left.
 * @throws CorruptChunk for a damaged shard; the errors of `replace`, once nothing is in flight.
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
  const shard = new ShardBuilder(work.session, level, expected, work.allocate);
  const make = (entry: number, isNext: boolean) => {
    const [group, before] = [groups.get(entry), parts?.[entry]];
    if (!group) return before;
    return inner.length === 0
      ? work.replace(group.wanted[0]!, before, isNext ? shard.copyBehind : undefined)
      : changeShard({ ...work, allocate: uninitialised }, inner, before, group.wanted, group.at);
  };
  // Inner shards one by one, because each encodes several chunks at a time.
  const concurrency = inner.length === 0 ? work.concurrency : 1;
  await inOrder(countOf(level.counts), concurrency, make, (part) => shard.append(part));
  if (shard.isEmpty) return undefined;
  const bytes = shard.finish();
  work.sizes.set(level, bytes.byteLength);
  return bytes;
}

/**
 * Makes `count` parts, several in parallel, and passes them on in order. Synchronous parts are not awaited.
 * @param make gets whether its part will be passed on next, without waiting for others.
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
      // Several parts are begun together: workers gather neighbours in one step.
      if (waiting.length >= concurrency)
        while (waiting.length > concurrency / 2) take(await waiting.shift()!);
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

/** Returns the inner chunks of a shard as stored, by entry. */
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
      const found = readEntry(entries, entry, shard.byteLength, limits);
      if (!found) return undefined;
      // Every part is copied, so entries that share bytes could multiply the shard's size.
      together += found.length;
      if (together > shard.byteLength) throw overlapping(shard.byteLength);
      return shard.subarray(found.offset, found.offset + found.length);
    });
  } catch (error) {
    throw withDetails(error, { codec: "sharding_indexed" }, "the shard's index: ");
  }
}

function overlapping(bytes: number): Error {
  return corruptChunk(`inner chunks overlap: their total size exceeds the shard's ${bytes} bytes`, {
    code: "bad-header",
  });
}

/** Returns a shard without inner chunks. */
export function emptyShard(session: CodecSession, level: ShardLevel): Uint8Array {
  const shard = new ShardBuilder(session, level, 0);
  for (let entry = 0; entry < countOf(level.counts); entry++) shard.append(undefined);
  return shard.finish();
}

/**
 * Assembles a shard as its inner chunks arrive, in a buffer of the last shard's size, so that usually nothing
 * is copied twice. Parts that do not fit are joined at the end; a growing buffer would be reallocated and
 * copied several times.
 */
class ShardBuilder {
  readonly #entries: (ShardEntry | undefined)[] = [];
  readonly #memory: Uint8Array<ArrayBuffer>;
  /** Parts that did not fit. */
  readonly #parts: Uint8Array[] = [];
  #end = 0;
  isEmpty = true;

  /** @param expected expected size in bytes; 0 if unknown. */
  constructor(
    private readonly session: CodecSession,
    private readonly level: ShardLevel,
    expected: number,
    allocate = uninitialised,
  ) {
    const { bytes, location } = level.index;
    this.#memory = allocate(expected > 0 ? expected + (expected >> 3) : 0);
    if (location === "start") this.#put(new Uint8Array(bytes));
  }

  /** Copies the part to be appended next, to its final position if it fits. */
  readonly copyBehind = (part: Uint8Array): Uint8Array<ArrayBuffer> => {
    if (!this.#fits(part)) return new Uint8Array(part);
    this.#memory.set(part, this.#end);
    return this.#memory.subarray(this.#end, this.#end + part.byteLength);
  };

  /** Appends the inner chunk of the next entry; undefined for a missing one. */
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
    // A little unused memory costs less than a copy.
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
