/** Whole shards in memory. Spec: Zarr v3 "sharding_indexed" codec. */
import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import type { ModuleName } from "../engine/module.js";
import { moduleFor } from "../engine/plan.js";
import type { CodecSession } from "../engine/session.js";
import { withDetails } from "../errors.js";
import { countOf, stridesOf } from "../region/strides.js";
import { type ChunkCoder, type CoderOptions, type Content, largerModule } from "./coder.js";
import type { ChunkLayout, ShardLevel } from "./layout.js";
import { entryOf, indexBytes, parseEntries, type ShardEntry, shorterThanIndex } from "./shard-index.js";

/** The elements of a box, C order, of `width` entries each; also what they are when missing. */
interface Canvas {
  readonly content: Uint8Array | unknown[];
  readonly shape: readonly number[];
  readonly width: number;
}

/**
 * Codes shards level by level: an inner coder for what the level's entries hold, chunks or shards again.
 * An inner chunk that is all fill value is not stored, as zarr-python does.
 */
export class ShardCoder implements ChunkCoder {
  readonly #level: ShardLevel;

  constructor(
    level: ShardLevel,
    private readonly inner: ChunkCoder,
    private readonly fillItem: Uint8Array,
    private readonly options: CoderOptions,
  ) {
    this.#level = level;
  }

  module(direction: "decode" | "encode"): ModuleName {
    const { index, after } = this.#level;
    const own = direction === "decode" ? index.plan.decodeModule : index.plan.encodeModule;
    return largerModule(largerModule(own, moduleFor(after, direction)), this.inner.module(direction));
  }

  prepare(session: CodecSession): void {
    session.prepare(this.#level.index.plan);
    this.inner.prepare(session);
  }

  decode(session: CodecSession, encoded: Uint8Array): Content {
    const { after, innerShape } = this.#level;
    const { limits } = this.options;
    const shard = decodeBytesIn(session, after, encoded, limits.chunkBytes);
    const entries = this.#readIndex(session, shard);
    const canvas = this.#canvas(this.#level.shape);
    for (const { entry, origin } of this.#cells()) {
      const found = entryOf(entries, entry, shard.byteLength, limits);
      if (!found) continue;
      const bytes = shard.subarray(found.offset, found.offset + found.length);
      const content = this.inner.decode(session, bytes);
      copyBox(
        { content: content as Canvas["content"], shape: innerShape, width: canvas.width },
        canvas,
        origin,
        "in",
      );
    }
    return canvas.content;
  }

  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const { index, after, innerShape, shape } = this.#level;
    const isAtStart = index.location === "start";
    const missing = this.#canvas(innerShape).content;
    const whole: Canvas = { content: content as Canvas["content"], shape, width: this.#width };
    const entries: (ShardEntry | undefined)[] = [];
    const parts: Uint8Array[] = [];
    let offset = isAtStart ? index.bytes : 0;
    for (const { entry, origin } of this.#cells()) {
      const cell = this.#canvas(innerShape);
      copyBox(cell, whole, origin, "out");
      entries[entry] = undefined;
      if (isSame(cell.content, missing)) continue;
      const bytes = this.inner.encode(session, cell.content);
      entries[entry] = { offset, length: bytes.byteLength };
      parts.push(bytes);
      offset += bytes.byteLength;
    }
    const table = session.encode(index.plan, indexBytes(entries));
    return encodeBytesIn(session, after, joined(isAtStart ? [table, ...parts] : [...parts, table]));
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

  /** The entries in order, with where their chunks start, in the array's axes. */
  *#cells(): Generator<{ entry: number; origin: readonly number[] }> {
    const { counts, axes, innerShape } = this.#level;
    const total = countOf(counts);
    const at = counts.map(() => 0);
    for (let entry = 0; entry < total; entry++) {
      const origin = innerShape.map((length, axis) => at[axes.indexOf(axis)]! * length);
      yield { entry, origin };
      for (let i = counts.length - 1; i >= 0 && ++at[i]! === counts[i]; i--) at[i] = 0;
    }
  }

  get #width(): number {
    return this.options.dtype.isVariable ? 1 : this.options.dtype.itemBytes;
  }

  /** A box of fill value. */
  #canvas(shape: readonly number[]): Canvas {
    const count = countOf(shape);
    const width = this.#width;
    if (this.options.dtype.isVariable)
      return { content: new Array<unknown>(count).fill(this.options.fill), shape, width };
    const content = new Uint8Array(count * width);
    if (this.fillItem.some((byte) => byte !== 0)) {
      for (let at = 0; at < content.byteLength; at += width) content.set(this.fillItem, at);
    }
    return { content, shape, width };
  }
}

/** The coder of a chunk of this layout: shards, if any, over what `leaf` codes. */
export function shardCoder(
  { levels }: ChunkLayout,
  leaf: ChunkCoder,
  fillItem: Uint8Array,
  options: CoderOptions,
): ChunkCoder {
  return levels.reduceRight<ChunkCoder>(
    (inner, level) => new ShardCoder(level, inner, fillItem, options),
    leaf,
  );
}

/** Copies a box into a larger canvas at `origin`, or out of it, row by row. */
function copyBox(box: Canvas, canvas: Canvas, origin: readonly number[], direction: "in" | "out"): void {
  const { width } = canvas;
  const strides = stridesOf(canvas.shape, width);
  const rank = box.shape.length;
  const run = (box.shape[rank - 1] ?? 1) * width;
  const outer = box.shape.slice(0, -1);
  const index = outer.map(() => 0);
  const first = origin.reduce((sum, at, axis) => sum + at * strides[axis]!, 0);
  for (let at = 0; at < box.content.length; at += run) {
    const offset = index.reduce((sum, i, axis) => sum + i * strides[axis]!, first);
    if (direction === "in") copyRun(box.content, at, canvas.content, offset, run);
    else copyRun(canvas.content, offset, box.content, at, run);
    for (let axis = outer.length - 1; axis >= 0 && ++index[axis]! === outer[axis]; axis--) index[axis] = 0;
  }
}

function copyRun(
  from: Canvas["content"],
  fromAt: number,
  to: Canvas["content"],
  toAt: number,
  count: number,
): void {
  if (from instanceof Uint8Array && to instanceof Uint8Array)
    to.set(from.subarray(fromAt, fromAt + count), toAt);
  else for (let i = 0; i < count; i++) to[toAt + i] = from[fromAt + i] as number;
}

function isSame(a: Canvas["content"], b: Canvas["content"]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}
