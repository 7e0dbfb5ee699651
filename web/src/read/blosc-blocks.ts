/**
 * Single blocks of a Blosc-1 frame.
 *
 * A frame starts with a header of 16 bytes and a table of where each block starts; blocks are compressed
 * independently. A selection of blocks, with a header and a table of its own, is a frame again: the core
 * decodes and checks it like any other. Layout: docs/codecs/blosc.md.
 */
import { corruptChunk } from "../util/errors.js";
import { settledValues } from "../util/settle-all.js";
import type { ByteSpan } from "./stored-range.js";

const headerBytes = 16;
const frameVersion = 2;
const memcpyed = 0x02;
/** Flags that no frame of Blosc-1 has: one of its own, and both shuffles at once. */
const reserved = 0x08;
const bothShuffles = 0x05;
/** Frames of more blocks are read whole. */
const maxBlocks = 2 ** 16;
/** Blocks are read together where no more than this lies between them, and in no more requests than that. */
const maxGap = 2 ** 14;
const maxRequests = 8;
/** The first read: the header, and the table of a frame of up to some 250 blocks. */
const firstRead = 1024;

export interface BloscTable {
  readonly header: Uint8Array;
  readonly decodedBytes: number;
  readonly blockBytes: number;
  readonly frameBytes: number;
  /** Where each block lies in the frame. */
  readonly extents: readonly ByteSpan[];
}

/** A frame whose bytes are stored as they are, from an offset on. */
export interface StoredFrame {
  readonly storedAt: number;
}

type ReadBytes = (offset: number, length: number) => Promise<Uint8Array | undefined>;

/**
 * Reads a frame's header and table.
 * @returns undefined where the chunk is missing; "whole" for a frame of one block, and for anything that looks
 *   odd: reading it whole finds out what is wrong.
 */
export async function readBloscTable(
  readBytes: ReadBytes,
  decodedBytes: number,
): Promise<BloscTable | StoredFrame | "whole" | undefined> {
  const first = await readBytes(0, firstRead);
  if (!first) return undefined;
  if (first.byteLength < headerBytes) return "whole";
  const view = new DataView(first.buffer, first.byteOffset, first.byteLength);
  const field = (at: number) => view.getInt32(at, true);
  const [nbytes, blockBytes, frameBytes] = [field(4), field(8), field(12)];
  const flags = first[2]!;
  const isOdd =
    first[0] !== frameVersion ||
    first[3] === 0 ||
    flags & reserved ||
    (flags & bothShuffles) === bothShuffles;
  if (isOdd || nbytes !== decodedBytes || blockBytes <= 0 || blockBytes > nbytes) return "whole";
  if (flags & memcpyed) return frameBytes === headerBytes + nbytes ? { storedAt: headerBytes } : "whole";
  const count = Math.ceil(nbytes / blockBytes);
  const tableEnd = headerBytes + 4 * count;
  if (count < 2 || count > maxBlocks || frameBytes < tableEnd + 4 * count) return "whole";
  const head = tableEnd <= first.byteLength ? first : await readBytes(0, tableEnd);
  if (!head || head.byteLength < tableEnd) return "whole";
  const words = new DataView(head.buffer, head.byteOffset, tableEnd);
  const starts = Array.from({ length: count }, (_, i) => words.getInt32(headerBytes + 4 * i, true));
  if (!starts.every((start) => start >= tableEnd && start < frameBytes)) return "whole";
  const extents = extentsOf(starts, frameBytes);
  return { header: head.slice(0, headerBytes), decodedBytes, blockBytes, frameBytes, extents };
}

/** Each block reaches from its start to the next larger one: writers may store blocks in any order. */
function extentsOf(starts: readonly number[], frameBytes: number): ByteSpan[] {
  const ends = new Map<number, number>();
  let end = frameBytes;
  for (const start of [...new Set(starts)].sort((a, b) => b - a)) {
    ends.set(start, end);
    end = start;
  }
  return starts.map((offset) => ({ offset, length: ends.get(offset)! - offset }));
}

/** Blocks chosen from a frame. */
export class ChosenBlocks {
  readonly #blocks: readonly number[];
  readonly #merged: readonly ByteSpan[];
  readonly decodedBytes: number;

  constructor(
    private readonly table: BloscTable,
    private readonly spans: readonly ByteSpan[],
  ) {
    const { blockBytes, decodedBytes, extents } = table;
    const blocks = new Set<number>();
    for (const { offset, length } of spans) {
      const last = Math.floor((offset + length - 1) / blockBytes);
      for (let block = Math.floor(offset / blockBytes); block <= last; block++) blocks.add(block);
    }
    // A last block that is shorter is laid out otherwise: a frame needs a block before it to tell.
    const isShort = decodedBytes % blockBytes !== 0;
    if (isShort && blocks.size === 1 && blocks.has(extents.length - 1)) blocks.add(extents.length - 2);
    this.#blocks = [...blocks].sort((a, b) => a - b);
    this.#merged = mergeSpans(this.#blocks.map((block) => extents[block]!));
    this.decodedBytes = this.#blocks.reduce(
      (sum, block) => sum + Math.min(blockBytes, decodedBytes - block * blockBytes),
      0,
    );
  }

  /** Bytes of the frame that the blocks take. */
  get encodedBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + this.table.extents[block]!.length, 0);
  }

  /** Bytes that are read for them. */
  get readBytes(): number {
    return this.#merged.reduce((sum, { length }) => sum + length, 0);
  }

  /** Requests that this takes. */
  get requests(): number {
    return this.#merged.length;
  }

  /** Reads the blocks and makes a frame of them; undefined where the chunk has gone. */
  async readFrame(readBytes: ReadBytes): Promise<Uint8Array | undefined> {
    const merged = this.#merged;
    const parts = await settledValues(merged.map(({ offset, length }) => readBytes(offset, length)));
    const tableEnd = headerBytes + 4 * this.#blocks.length;
    const frame = new Uint8Array(tableEnd + this.encodedBytes);
    const view = new DataView(frame.buffer);
    frame.set(this.table.header);
    view.setInt32(4, this.decodedBytes, true);
    view.setInt32(12, frame.byteLength, true);
    let out = tableEnd;
    for (const [i, block] of this.#blocks.entries()) {
      const { offset, length } = this.table.extents[block]!;
      const from = merged.findIndex((span) => offset >= span.offset && offset < span.offset + span.length);
      const bytes = parts[from];
      if (!bytes) return undefined;
      const at = offset - merged[from]!.offset;
      if (at + length > bytes.byteLength) {
        throw corruptChunk("codec blosc: the chunk ends before the end that its header names", {
          code: "truncated",
          codec: "blosc",
        });
      }
      view.setInt32(headerBytes + 4 * i, out, true);
      frame.set(bytes.subarray(at, at + length), out);
      out += length;
    }
    return frame;
  }

  /** The spans that were asked for, with their bytes. Blocks next to each other decode to bytes next to each other. */
  spansOf(decoded: Uint8Array): (readonly [ByteSpan, Uint8Array])[] {
    const { blockBytes } = this.table;
    return this.spans.map((span) => {
      const first = Math.floor(span.offset / blockBytes);
      const start = this.#blocks.indexOf(first) * blockBytes + (span.offset - first * blockBytes);
      return [span, decoded.subarray(start, start + span.length)] as const;
    });
  }
}

/** Gathers spans that lie close together. */
function mergeSpans(spans: readonly ByteSpan[]): ByteSpan[] {
  const merged: { offset: number; length: number }[] = [];
  for (const { offset, length } of [...spans].sort((a, b) => a.offset - b.offset)) {
    const last = merged.at(-1);
    if (last && offset - (last.offset + last.length) <= maxGap)
      last.length = Math.max(last.length, offset + length - last.offset);
    else merged.push({ offset, length });
  }
  return merged;
}

/** The blocks that hold some spans; undefined where reading the whole frame is as good. */
export function selectBlocks(table: BloscTable, spans: readonly ByteSpan[]): ChosenBlocks | undefined {
  const chosen = new ChosenBlocks(table, spans);
  const most = table.frameBytes / 2;
  const saves = chosen.encodedBytes <= most && chosen.readBytes <= most && chosen.requests <= maxRequests;
  return saves ? chosen : undefined;
}
