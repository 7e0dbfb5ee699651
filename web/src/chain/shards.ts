/** Shards: their index, and encoding and decoding them whole. */

import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import { largerModule, type ModuleName } from "../engine/compile.js";
import { moduleFor, Plan } from "../engine/plan.js";
import type { CodecSession } from "../engine/session.js";
import { copySubarray, type MemoryArray, repeated } from "../util/buffers.js";
import { joinBytes } from "../util/bytes.js";
import { corruptChunk, limitExceeded, withDetails } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { countOf, indices } from "../util/shapes.js";
import type { ChunkCodec, Content } from "./chunk-codec.js";
import type { ChunkLayout, LayoutArray, ShardLevel } from "./layout.js";

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
 * Checks an entry of an index; false for a missing chunk.
 * @param size bytes of the shard, if known.
 * @throws CorruptChunk for an entry outside the shard, or with only one number marked missing; LimitExceeded.
 */
export function isStored(
  entries: Float64Array,
  entry: number,
  size: number | undefined,
  { encodedBytes }: Limits,
): boolean {
  const offset = entries[2 * entry]!;
  const length = entries[2 * entry + 1]!;
  if (offset === notStored && length === notStored) return false;
  const isInside = offset >= 0 && length >= 0 && offset + length <= (size ?? Number.MAX_SAFE_INTEGER);
  if (isInside && length > encodedBytes) {
    throw limitExceeded(`the chunk has ${length} bytes, more than the limit of ${encodedBytes}`);
  }
  if (!isInside) {
    throw corruptChunk(
      `entry ${entry} of the shard's index is invalid: ${length} bytes at offset ${offset}`,
      { code: "bad-header", codec: "sharding_indexed" },
    );
  }
  return true;
}

/** Returns an entry of an index; undefined for a missing chunk. Throws like {@link isStored}. */
export function readEntry(
  entries: Float64Array,
  entry: number,
  size: number | undefined,
  limits: Limits,
): ShardEntry | undefined {
  if (!isStored(entries, entry, size, limits)) return undefined;
  return { offset: entries[2 * entry]!, length: entries[2 * entry + 1]! };
}

/** Returns the error for a shard that is shorter than its index. */
export function shorterThanIndex(bytes: number, size: number) {
  return corruptChunk(`the shard has ${bytes} bytes, fewer than its index of ${size} bytes`, {
    code: "truncated",
    codec: "sharding_indexed",
  });
}

/**
 * Codec of one level of shards, with an inner codec for the level's entries, which are chunks or shards.
 * Inner chunks that contain only fill value are not stored, as in zarr-python.
 */
export class ShardCodec implements ChunkCodec {
  readonly usesCore = true;
  readonly #level: ShardLevel;

  constructor(
    level: ShardLevel,
    private readonly inner: ChunkCodec,
    private readonly array: LayoutArray,
    private readonly limits: Limits,
  ) {
    this.#level = level;
  }

  get shape(): readonly number[] {
    return this.#level.shape;
  }
  get decodeModule(): ModuleName {
    const { index, after } = this.#level;
    const own = largerModule(index.plan.decodeModule, moduleFor(after, "decode"));
    return largerModule(own, this.inner.decodeModule);
  }
  get encodeModule(): ModuleName {
    const { index, after } = this.#level;
    const own = largerModule(index.plan.encodeModule, moduleFor(after, "encode"));
    return largerModule(own, this.inner.encodeModule);
  }
  requireFullModule(): void {
    this.inner.requireFullModule();
  }

  prepare(session: CodecSession): void {
    const { index, after } = this.#level;
    session.prepare(index.plan);
    if (after.length > 0) session.prepare(Plan.bytesOnly(after, 1));
    this.inner.prepare(session);
  }

  decode(session: CodecSession, encoded: Uint8Array): Content {
    const { after, innerShape } = this.#level;
    const { limits } = this;
    const shard = decodeBytesIn(session, after, encoded, limits.chunkBytes);
    const entries = this.#readIndex(session, shard);
    const whole = this.#filled(this.#level.shape);
    for (const { entry, origin } of this.#cells()) {
      const found = readEntry(entries, entry, shard.byteLength, limits);
      if (!found) continue;
      const bytes = shard.subarray(found.offset, found.offset + found.length);
      const content = this.inner.decode(session, bytes) as MemoryArray["content"];
      const cell = { content, shape: innerShape };
      copySubarray(cell, this.#zero, whole, origin, innerShape, this.#width);
    }
    return whole.content;
  }

  decodeInto(session: CodecSession, encoded: Uint8Array, out: Uint8Array | unknown[]): void {
    const content = this.decode(session, encoded);
    if (out instanceof Uint8Array) out.set(content as Uint8Array);
    else for (let i = 0; i < content.length; i++) out[i] = content[i];
  }

  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const { index, after, innerShape, shape } = this.#level;
    const isAtStart = index.location === "start";
    const missing = this.#filled(innerShape).content;
    const whole = { content: content as MemoryArray["content"], shape };
    const entries: (ShardEntry | undefined)[] = [];
    const parts: Uint8Array[] = [];
    let offset = isAtStart ? index.bytes : 0;
    for (const { entry, origin } of this.#cells()) {
      const cell = this.#filled(innerShape);
      copySubarray(whole, origin, cell, this.#zero, innerShape, this.#width);
      entries[entry] = undefined;
      if (isSame(cell.content, missing)) continue;
      const bytes = this.inner.encode(session, cell.content);
      entries[entry] = { offset, length: bytes.byteLength };
      parts.push(bytes);
      offset += bytes.byteLength;
    }
    const table = session.encode(index.plan, indexBytes(entries));
    return encodeBytesIn(session, after, joinBytes(isAtStart ? [table, ...parts] : [...parts, table]));
  }

  #readIndex(session: CodecSession, shard: Uint8Array): Float64Array {
    const { plan, bytes, location } = this.#level.index;
    if (shard.byteLength < bytes) throw shorterThanIndex(shard.byteLength, bytes);
    const at = location === "start" ? 0 : shard.byteLength - bytes;
    try {
      return parseEntries(session.decode(plan, shard.subarray(at, at + bytes)));
    } catch (error) {
      throw withDetails(error, { codec: "sharding_indexed" }, "the shard's index: ");
    }
  }

  /** Yields the entries in order, with the origin of their chunks in the array's axes. */
  *#cells(): Generator<{ entry: number; origin: readonly number[] }> {
    const { counts, axes, innerShape } = this.#level;
    let entry = 0;
    for (const at of indices(counts)) {
      const origin = innerShape.map((length, axis) => at[axes.indexOf(axis)]! * length);
      yield { entry: entry++, origin };
    }
  }

  /** The origin of the shard. */
  get #zero(): number[] {
    return this.#level.shape.map(() => 0);
  }

  get #width(): number {
    const { dtype } = this.array;
    return dtype.isVariable ? 1 : dtype.itemBytes;
  }

  /** Returns an array filled with the fill value. */
  #filled(shape: readonly number[]): MemoryArray {
    const count = countOf(shape);
    const { dtype, fillItem, missing } = this.array;
    const content = dtype.isVariable
      ? new Array<unknown>(count).fill(missing)
      : repeated(fillItem, count * this.#width);
    return { content, shape };
  }
}

/** Returns the codec of whole stored chunks of a layout: shards, if any, over the chunks that hold elements. */
export function wholeCodec({ levels, leaf }: ChunkLayout, array: LayoutArray, limits: Limits): ChunkCodec {
  return levels.reduceRight<ChunkCodec>((inner, level) => new ShardCodec(level, inner, array, limits), leaf);
}

function isSame(a: MemoryArray["content"], b: MemoryArray["content"]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
