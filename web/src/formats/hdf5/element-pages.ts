/** Elements of the arrays that index chunks: in blocks with a checksum, and in pages of large blocks. */

import type { Cursor } from "../file/cursor.js";
import { NodeCache } from "../file/node-cache.js";
import { checkedStructure } from "./checksum.js";
import type { HdfFile } from "./file.js";

/** An array of entries of equal length, which is read in parts. */
export interface EntryArray {
  /** Returns the bytes of an entry; undefined if it has not been written. */
  entry(index: number): Promise<Uint8Array | undefined>;
}

/** A part of a file with a checksum at its end. */
export interface Block {
  readonly address: number;
  readonly length: number;
  readonly what: string;
  /** Undefined for pages. */
  readonly signature?: string;
}

/** Reads blocks and keeps some of them. */
export class BlockReader {
  readonly #blocks = new NodeCache<Cursor>();

  constructor(readonly file: HdfFile) {}

  read(block: Block): Promise<Cursor> {
    return this.#blocks.get(block.address, () => checkedStructure(this.file, block));
  }

  /** Returns an entry of a block. @param at offset of the entry in the block. */
  async entry(block: Block, at: number, bytes: number): Promise<Uint8Array> {
    const cursor = await this.read(block);
    cursor.at = at;
    return cursor.take(bytes);
  }

  /** Returns the address at an offset of a block; undefined if it is not set. */
  async address(block: Block, at: number): Promise<number | undefined> {
    const cursor = await this.read(block);
    cursor.at = at;
    return this.file.address(cursor);
  }
}

/** Whether a bit of a bitmap is set; the highest bit of a byte is the first. */
export const hasBit = (bitmap: Uint8Array, bit: number): boolean =>
  (bitmap[Math.floor(bit / 8)]! & (0x80 >> (bit % 8))) !== 0;
