/**
 * Reads single blocks of a Blosc-1 frame.
 *
 * A frame starts with a header of 16 bytes and a table of the blocks' offsets; blocks are compressed
 * independently. A selection of blocks with a new header and table is again a frame, which the core decodes
 * and checks like any other. Layout: docs/codecs/blosc.md.
 */

import { settledValues } from "../util/async.js";
import { corruptChunk } from "../util/errors.js";
import type { ByteSpan } from "./object-reader.js";

const headerBytes = 16;
const frameVersion = 2;
const memcpyed = 0x02;
/** Flags that no Blosc-1 frame has: a reserved one, and both shuffles at once. */
const reserved = 0x08;
const bothShuffles = 0x05;
/** Frames with more blocks are read whole. */
const maxBlocks = 2 ** 16;
/** Maximum gap between blocks that are read together, and maximum number of requests. */
const maxGap = 2 ** 14;
const maxRequests = 8;
/** Size of the first read: the header, and the table of a frame with up to some 250 blocks. */
const firstRead = 1024;

export interface BloscTable {
  readonly header: Uint8Array;
  readonly decodedBytes: number;
  readonly blockBytes: number;
  readonly frameBytes: number;
  /** Offset and length of each block in the frame. */
  readonly extents: readonly ByteSpan[];
}

/** A frame that stores its bytes uncompressed, starting at an offset. */
export interface StoredFrame {
  readonly storedAt: number;
}

type ReadBytes = (offset: number, length: number) => Promise<Uint8Array | undefined>;

/**
 * Reads a frame's header and table.
 * @returns undefined if the chunk is missing; "whole" for a frame of one block, and for anything unusual,
 *   because decoding the whole frame reports errors properly.
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

/** Each block extends from its start to the next larger one: writers may store blocks in any order. */
function extentsOf(starts: readonly number[], frameBytes: number): ByteSpan[] {
  const ends = new Map<number, number>();
  let end = frameBytes;
  for (const start of [...new Set(starts)].sort((a, b) => b - a)) {
    ends.set(start, end);
    end = start;
  }
  return starts.map((offset) => ({ offset, length: ends.get(offset)! - offset }));
}

/** Blocks selected from a frame. */
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
    // A shorter last block has another layout, which a frame implies only if a full block precedes it.
    const isShort = decodedBytes % blockBytes !== 0;
    if (isShort && blocks.size === 1 && blocks.has(extents.length - 1)) blocks.add(extents.length - 2);
    this.#blocks = [...blocks].sort((a, b) => a - b);
    this.#merged = mergeSpans(this.#blocks.map((block) => extents[block]!));
    this.decodedBytes = this.#blocks.reduce(
      (sum, block) => sum + Math.min(blockBytes, decodedBytes - block * blockBytes),
      0,
    );
  }

  /** Total encoded size of the blocks. */
  get encodedBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + this.table.extents[block]!.length, 0);
  }

  /** Number of bytes to read for them, including gaps. */
  get readBytes(): number {
    return this.#merged.reduce((sum, { length }) => sum + length, 0);
  }

  /** Number of requests to read them. */
  get requests(): number {
    return this.#merged.length;
  }

  /** Reads the blocks as a new frame; undefined if the chunk no longer exists. */
  async readFrame(readBytes: ReadBytes): Promise<Uint8Array | undefined> {
    const merged = this.#merged;
    const parts = await settledValues(merged.map(({ offset, length }) => readBytes(offset, length)));
    const blocks: Uint8Array[] = [];
    for (const block of this.#blocks) {
      const { offset, length } = this.table.extents[block]!;
      const from = merged.findIndex((span) => offset >= span.offset && offset < span.offset + span.length);
      const bytes = parts[from];
      if (!bytes) return undefined;
      const at = offset - merged[from]!.offset;
      // Checked before the frame is allocated: the header may state any size.
      if (at + length > bytes.byteLength) {
        throw corruptChunk("codec blosc: the chunk is shorter than its header states", {
          code: "truncated",
          codec: "blosc",
        });
      }
      blocks.push(bytes.subarray(at, at + length));
    }
    return this.#joinFrame(blocks);
  }

  #joinFrame(blocks: readonly Uint8Array[]): Uint8Array {
    const tableEnd = headerBytes + 4 * blocks.length;
    const frame = new Uint8Array(tableEnd + this.encodedBytes);
    const view = new DataView(frame.buffer);
    frame.set(this.table.header);
    view.setInt32(4, this.decodedBytes, true);
    view.setInt32(12, frame.byteLength, true);
    let out = tableEnd;
    for (const [i, block] of blocks.entries()) {
      view.setInt32(headerBytes + 4 * i, out, true);
      frame.set(block, out);
      out += block.byteLength;
    }
    return frame;
  }

  /** Returns the requested spans with their bytes. Adjacent blocks decode to adjacent bytes. */
  spansOf(decoded: Uint8Array): (readonly [ByteSpan, Uint8Array])[] {
    const { blockBytes } = this.table;
    return this.spans.map((span) => {
      const first = Math.floor(span.offset / blockBytes);
      const start = this.#blocks.indexOf(first) * blockBytes + (span.offset - first * blockBytes);
      return [span, decoded.subarray(start, start + span.length)] as const;
    });
  }
}

/** Merges spans that are close together. */
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

/** Selects the blocks that hold some spans; undefined if reading the whole frame costs about the same. */
export function selectBlocks(table: BloscTable, spans: readonly ByteSpan[]): ChosenBlocks | undefined {
  const chosen = new ChosenBlocks(table, spans);
  const most = table.frameBytes / 2;
  const saves = chosen.encodedBytes <= most && chosen.readBytes <= most && chosen.requests <= maxRequests;
  return saves ? chosen : undefined;
}
