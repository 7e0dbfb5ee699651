/** The block cache: reads the metadata of a file in few requests, and no byte twice. */

import type { ByteReader } from "../../store/source/byte-reader.js";
import type { MaybePromise, ObjectVersion } from "../../store/store.js";
import { invalidMetadata, networkError, notFound } from "../../util/errors.js";

/** Size of the first block. */
export const minBlock = 2 ** 16;
export const maxBlock = 2 ** 23;

/** A range of the file that has been requested. */
interface Block {
  readonly start: number;
  /** End (exclusive); less than requested at the end of the file. */
  end: number;
  /** Undefined while it is read. */
  bytes: Uint8Array | undefined;
  readonly loaded: Promise<unknown>;
}

/**
 * Blocks of a file, apart from one another. A block that follows another one, or is close to it, is twice as long as the
 * one before, up to 8 MiB: metadata stands together. Blocks far from others have 64 KiB.
 */
export class BlockCache {
  /** In order of their start. */
  readonly #blocks: Block[] = [];
  readonly #version: ObjectVersion = {};
  #size = minBlock;

  constructor(readonly file: ByteReader) {}

  /** Size of the file in bytes; undefined if the source has not told it. */
  get fileSize(): number | undefined {
    return this.#version.size;
  }

  /** Lets all reads of the file see one version. */
  get version(): ObjectVersion {
    return this.#version;
  }

  /**
   * Returns bytes of the file, which the caller must not change.
   * @throws InvalidMetadata ("bad-file") if they lie beyond the end of the file; NotFound; errors of the source.
   */
  read(offset: number, length: number, signal: AbortSignal | undefined): MaybePromise<Uint8Array> {
    return this.cached(offset, length) ?? this.#load(offset, length, signal);
  }

  /** Returns the first bytes of the file; fewer if it is shorter. */
  async head(length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (this.#blocks.length === 0) await this.#request(0, length, 0).loaded;
    signal?.throwIfAborted();
    const [first] = this.#blocks;
    return first?.bytes?.subarray(0, length) ?? new Uint8Array(0);
  }

  /** Returns bytes that lie in one block; undefined for others. */
  cached(offset: number, length: number): Uint8Array | undefined {
    const block = this.#blocks[this.#after(offset) - 1];
    if (!block?.bytes || offset + length > block.end) return undefined;
    return block.bytes.subarray(offset - block.start, offset - block.start + length);
  }

  /** Index of the first block that starts after an offset. */
  #after(offset: number): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.start <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async #load(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (
      !(Number.isSafeInteger(offset) && Number.isSafeInteger(offset + length) && offset >= 0 && length >= 0)
    )
      throw this.#beyond(offset, length);
    const end = offset + length;
    const needed: Block[] = [];
    for (let at = offset; at < end; ) {
      signal?.throwIfAborted();
      const next = this.#after(at);
      const before = this.#blocks[next - 1];
      const block = before && before.end > at ? before : this.#request(at, end - at, next);
      needed.push(block);
      at = block.end;
    }
    await Promise.all(needed.map((block) => block.loaded));
    signal?.throwIfAborted();
    return this.cached(offset, length) ?? this.#join(needed, offset, length);
  }

  /** Requests a block before the one at an index. */
  #request(start: number, length: number, next: number): Block {
    const [before, after] = [this.#blocks[next - 1], this.#blocks[next]];
    const isNear = before !== undefined && start - before.end < this.#size;
    this.#size = isNear || !before ? Math.min(before ? 2 * this.#size : this.#size, maxBlock) : minBlock;
    const limit = Math.min(
      after?.start ?? Number.POSITIVE_INFINITY,
      this.fileSize ?? Number.POSITIVE_INFINITY,
    );
    const end = Math.min(start + Math.max(length, this.#size), Math.max(limit, start + 1));
    const read = async () => {
      const bytes = await this.file.read({ offset: start, length: end - start }, { version: this.#version });
      if (!bytes) throw notFound(`${this.file.name} does not exist`);
      block.bytes = bytes;
      block.end = start + bytes.byteLength;
    };
    const loaded = read().catch((error) => {
      this.#blocks.splice(this.#blocks.indexOf(block), 1);
      throw error;
    });
    const block: Block = { start, end, bytes: undefined, loaded };
    this.#blocks.splice(next, 0, block);
    return block;
  }

  #join(blocks: readonly Block[], offset: number, length: number): Uint8Array {
    const joined = new Uint8Array(length);
    let filled = 0;
    for (const { start, end, bytes } of blocks) {
      if (!bytes) throw networkError(`${this.file.name} could not be read`, { code: "file-failed" });
      const part = bytes.subarray(offset + filled - start, Math.min(end, offset + length) - start);
      joined.set(part, filled);
      filled += part.byteLength;
    }
    if (filled < length) throw this.#beyond(offset, length);
    return joined;
  }

  #beyond(offset: number, length: number) {
    const size = this.fileSize === undefined ? "" : ` of ${this.fileSize} bytes`;
    return invalidMetadata(`${this.file.name}${size} ends before ${length} bytes at ${offset}`, {
      code: "bad-file",
    });
  }
}
