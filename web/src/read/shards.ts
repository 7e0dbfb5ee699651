/**
 * Locates inner chunks in shards. Indexes are read once and cached with a size limit; every entry is checked.
 * Spec: Zarr v3 "sharding_indexed" codec.
 */

import type { ShardIndexLayout, ShardLevel } from "../chain/layout.js";
import { isStored, parseEntries, shorterThanIndex } from "../chain/shards.js";
import { decodeBytes } from "../engine/bytes.js";
import { withDecoder } from "../engine/engine.js";
import type { ChunkList, ChunkTask } from "../plan/projections.js";
import type { ObjectVersion } from "../store/store.js";
import { SingleFlight, settleAll } from "../util/async.js";
import { withDetails } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { stridesOf } from "../util/shapes.js";
import type { ObjectReader, StoredRange } from "./object-reader.js";
import { readWithin, wholeObject } from "./stored-range.js";

interface ShardIndex {
  /** Offset and size of every inner chunk, in C order of the index axes; -1 for missing ones. */
  readonly entries: Float64Array;
  /** Version of the object that the index was read from: its chunks must come from the same version. */
  readonly version: ObjectVersion;
}

/** Maximum size of cached indexes per array; the least recently used are dropped first. */
const maxKeptBytes = 32 * 2 ** 20;

/** An inner chunk to locate. */
export interface WantedChunk {
  /**
   * Position relative to the first chunk of the shard, in inner chunks of the innermost level, along the axes
   * of the array.
   */
  readonly position: readonly number[];
}

/** Chunks of one shard to locate. */
export interface WantedChunks {
  readonly chunks: ChunkList<ChunkTask>;
  /** Coordinates of the first chunk of the shard. */
  readonly first: readonly number[];
}

/** Locations of chunks by their numbers. Missing chunks have the offset -1. */
export interface LocatedChunks {
  /** In the object, or in the bytes of the chunk's group. */
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  readonly groups: LocatedGroup[];
}

/** Chunks of one shard or inner shard. */
interface LocatedGroup {
  readonly numbers: Uint32Array;
  /** The object, or a decoded shard in memory. */
  readonly part: StoredRange;
}

/** A search for chunks. */
interface Search {
  readonly levels: readonly ShardLevel[];
  readonly wanted: WantedChunks;
  readonly found: LocatedChunks;
  readonly bytes: ObjectReader;
  readonly signal: AbortSignal | undefined;
}

export class ShardLocator {
  readonly #kept = new Map<string, ShardIndex>();
  #keptBytes = 0;
  readonly #reads = new SingleFlight<ShardIndex | undefined>();
  /** Number of calls of `forget`: a read that was in flight during one may have returned outdated data. */
  #forgotten = 0;

  constructor(private readonly limits: Limits) {}

  /**
   * Locates inner chunks of one shard.
   * @throws CorruptChunk for an index that is truncated, fails its checksum or points outside the shard;
   *   errors of the store.
   */
  async locate(
    levels: readonly ShardLevel[],
    object: StoredRange,
    wanted: WantedChunks,
    bytes: ObjectReader,
    signal: AbortSignal | undefined,
  ): Promise<LocatedChunks> {
    const { count } = wanted.chunks;
    const found = { offsets: new Float64Array(count).fill(-1), lengths: new Float64Array(count), groups: [] };
    await this.#locateIn({ levels, wanted, found, bytes, signal }, 0, object, numbersTo(count));
    return found;
  }

  /** Whether the index of a shard is cached. */
  isKept(levels: readonly ShardLevel[], key: string): boolean {
    return this.#kept.has(indexId(key, 0, levels.length - 1));
  }

  /**
   * Drops the cached indexes of an object that has changed, or of all objects below a path that ends with
   * "/".
   */
  forget(key: string): void {
    const start = key.endsWith("/") ? key : `${key}\n`;
    this.#forgotten++;
    this.#reads.leave(start);
    for (const [id, index] of this.#kept) {
      if (!id.startsWith(start)) continue;
      this.#kept.delete(id);
      this.#keptBytes -= index.entries.byteLength;
    }
  }

  /** Locates chunks of a shard at a depth of levels. */
  async #locateIn(search: Search, depth: number, part: StoredRange, numbers: Uint32Array): Promise<void> {
    const { levels, wanted, found } = search;
    const level = levels[depth]!;
    const shard = await this.#opened(level, part, search);
    const index = shard && (await this.#index(level, shard, levels.length - depth - 1, search));
    if (!index) return;
    const own = { ...shard, version: index.version };
    const entryOf = entriesAt(levels, depth, wanted);
    if (depth === levels.length - 1) {
      this.#note(own, index.entries, entryOf, numbers, found);
      return;
    }
    const children: Promise<void>[] = [];
    const groups = [...groupBy(numbers, (n) => entryOf[n]!)].map(([entry, list]) => {
      const isThere = isStored(index.entries, entry, shard.length, this.limits);
      return { list, child: isThere ? childOf(own, index.entries, entry) : undefined };
    });
    for (const { list, child } of groups)
      if (child) children.push(this.#locateIn(search, depth + 1, child, Uint32Array.from(list)));
    await settleAll(children);
  }

  /** Notes the locations of the chunks of a shard. */
  #note(
    part: StoredRange,
    entries: Float64Array,
    entryOf: Float64Array,
    numbers: Uint32Array,
    { offsets, lengths, groups }: LocatedChunks,
  ): void {
    for (const n of numbers) {
      const entry = entryOf[n]!;
      if (!isStored(entries, entry, part.length, this.limits)) continue;
      offsets[n] = part.offset + entries[2 * entry]!;
      lengths[n] = entries[2 * entry + 1]!;
    }
    groups.push({ numbers, part });
  }

  /** Returns the shard, decoded in memory if codecs follow the sharding codec. */
  async #opened(
    level: ShardLevel,
    part: StoredRange,
    { bytes, signal }: Search,
  ): Promise<StoredRange | undefined> {
    if (level.after.length === 0) return part;
    const encoded = await wholeObject(bytes, part, signal);
    if (!encoded) return undefined;
    const decoded = await decodeBytes(level.after, encoded, this.limits.chunkBytes);
    return { key: part.key, bytes: decoded, offset: 0, length: decoded.byteLength };
  }

  async #index(
    level: ShardLevel,
    part: StoredRange,
    depth: number,
    { bytes, signal }: Search,
  ): Promise<ShardIndex | undefined> {
    // An inner shard may start at the same offset as its outer shard.
    const id = indexId(part.key, part.offset, depth);
    // Indexes of shards in memory are not cached: their offsets do not identify the object.
    if (part.bytes) return readIndex(bytes, level.index, part, signal);
    const kept = this.#kept.get(id);
    // The indexes of an inner shard and its outer shard must be of the same version of the object.
    if (kept && (part.version === undefined || part.version === kept.version)) {
      this.#kept.delete(id); // moved to the end, as the most recently used
      this.#kept.set(id, kept);
      return kept;
    }
    const forgotten = this.#forgotten;
    const index = await this.#reads.run(id, signal, (joint) => readIndex(bytes, level.index, part, joint));
    if (index && forgotten === this.#forgotten) this.#keep(id, index);
    return index;
  }

  #keep(id: string, index: ShardIndex): void {
    const before = this.#kept.get(id);
    if (before === index) return;
    this.#kept.delete(id);
    this.#kept.set(id, index);
    this.#keptBytes += index.entries.byteLength - (before?.entries.byteLength ?? 0);
    for (const [old, { entries }] of this.#kept) {
      if (this.#keptBytes <= maxKeptBytes || old === id) break;
      this.#kept.delete(old);
      this.#keptBytes -= entries.byteLength;
    }
  }
}

/** Returns the numbers from 0 to `count` - 1. */
export const numbersTo = (count: number): Uint32Array => new Uint32Array(count).map((_, n) => n);

/** @param depth number of shard levels inside the shard of the index. */
const indexId = (key: string, offset: number, depth: number): string => `${key}\n${offset}\n${depth}`;

/** Reads and checks an index; undefined if the object is missing. */
async function readIndex(
  bytes: ObjectReader,
  layout: ShardIndexLayout,
  part: StoredRange,
  signal: AbortSignal | undefined,
): Promise<ShardIndex | undefined> {
  const { plan, bytes: size, location } = layout;
  const version = part.version ?? {};
  const versioned = { ...part, version };
  const encoded =
    location === "end"
      ? await readEndOf(bytes, versioned, size, signal)
      : await readWithin(bytes, versioned, 0, size, signal);
  if (!encoded) return undefined;
  if (encoded.byteLength !== size) throw shorterThanIndex(encoded.byteLength, size);
  try {
    const decoded = await withDecoder(plan, (session) => session.decode(plan, encoded));
    return { entries: parseEntries(decoded), version };
  } catch (error) {
    throw withDetails(error, { codec: "sharding_indexed" }, "the shard's index: ");
  }
}

/** Returns the location of an inner shard. */
function childOf(shard: StoredRange, entries: Float64Array, entry: number): StoredRange {
  const offset = shard.offset + entries[2 * entry]!;
  return { ...shard, offset, length: entries[2 * entry + 1]! };
}

/** Returns the entry of each chunk in the index of its shard at a depth of levels. */
function entriesAt(
  levels: readonly ShardLevel[],
  depth: number,
  { chunks, first }: WantedChunks,
): Float64Array {
  const { axes, counts, innerShape } = levels[depth]!;
  const { innerShape: leaf } = levels.at(-1)!;
  const outer = levels[depth - 1]?.innerShape;
  const strides = stridesOf(counts);
  return sumsOf(chunks, (coordinate, axis) => {
    const at = coordinate - first[axis]!;
    const position = outer ? at % (outer[axis]! / leaf[axis]!) : at;
    return Math.floor(position / (innerShape[axis]! / leaf[axis]!)) * strides[axes.indexOf(axis)]!;
  });
}

/** Returns, for each chunk, the sum over the axes of a value of its coordinate. */
function sumsOf(
  { count, projections, task }: ChunkList<ChunkTask>,
  value: (coordinate: number, axis: number) => number,
): Float64Array {
  if (!projections) {
    const sum = (n: number) => task(n).coordinates.reduce((all, at, axis) => all + value(at, axis), 0);
    return new Float64Array(count).map((_, n) => sum(n));
  }
  let sums = Float64Array.of(0);
  for (const [axis, list] of projections.entries()) {
    const values = list.map(({ chunk }) => value(chunk, axis));
    const longer = new Float64Array(sums.length * values.length);
    let at = 0;
    for (const sum of sums) for (const own of values) longer[at++] = sum + own;
    sums = longer;
  }
  return sums;
}

function groupBy(numbers: Uint32Array, entryOf: (n: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const n of numbers) {
    const entry = entryOf(n);
    const group = groups.get(entry);
    if (group) group.push(n);
    else groups.set(entry, [n]);
  }
  return groups;
}

/** Returns the number of the entry at a position along the axes of the array, in entries. */
function entryAt({ axes, counts }: ShardLevel, position: readonly number[]): number {
  let entry = 0;
  for (let k = 0; k < axes.length; k++) entry = entry * counts[k]! + position[axes[k]!]!;
  return entry;
}

/** Chunks to locate that belong to one entry. */
export interface EntryGroup<T> {
  readonly entry: number;
  readonly wanted: T[];
  readonly at: WantedChunk[];
}

/** Groups chunks by the entry of this level's index that contains them. */
export function groupByEntry<T>(
  level: ShardLevel,
  inner: readonly ShardLevel[],
  wanted: readonly T[],
  at: readonly WantedChunk[],
): Iterable<EntryGroup<T>> {
  const leafShape = inner.at(-1)?.innerShape ?? level.innerShape;
  const per = level.innerShape.map((length, axis) => length / leafShape[axis]!);
  const groups = new Map<number, EntryGroup<T>>();
  wanted.forEach((chunk, i) => {
    const { position } = at[i]!;
    const cell = position.map((p, axis) => Math.floor(p / per[axis]!));
    const entry = entryAt(level, cell);
    const group = groups.get(entry) ?? { entry, wanted: [], at: [] };
    group.wanted.push(chunk);
    group.at.push({ position: position.map((p, axis) => p - cell[axis]! * per[axis]!) });
    groups.set(entry, group);
  });
  return groups.values();
}

/** Reads the last `length` bytes of a part, or all of a shorter one. */
async function readEndOf(
  object: ObjectReader,
  part: StoredRange,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (part.length === undefined) return object.read(part.key, { suffixLength: length }, part.version, signal);
  const available = Math.min(length, part.length);
  return readWithin(object, part, part.length - available, available, signal);
}
