/** The block cache: reads the metadata of a file in few requests, and no byte twice. */

import type { ByteReader } from "../../store/source/byte-reader.js";
import {
  changedError,
  type MaybePromise,
  type ObjectVersion,
  type StoreGetOptions,
} from "../../store/store.js";
import { SingleFlight } from "../../util/async.js";
import { invalidMetadata, limitExceeded, networkError, notFound } from "../../util/errors.js";
import { defaultLimits } from "../../util/limits.js";
import { type Kept, LruCache } from "../../util/lru.js";

/** Sizes of blocks. */
export const minBlock = 2 ** 16;
const maxBlock = 2 ** 23;
/** Gap between blocks up to which reading ahead costs less than another request. */
const nearGap = 2 ** 19;
/** Bytes of blocks that are kept. */
const defaultBudget = 2 ** 26;
/** Minimum that a block counts in the budget. */
const minCost = 2 ** 12;

const caches = new WeakMap<ByteReader, BlockCache>();

/** Returns the cache of a file: one for all that read it. */
export function blocksOf(file: ByteReader, maxRead?: number): BlockCache {
  const known = caches.get(file) ?? new BlockCache(file, maxRead);
  caches.set(file, known);
  return known;
}

/** A range of the file that has been requested. */
interface Block extends Kept {
  readonly start: number;
  /** End (exclusive); less than requested at the end of the file. */
  end: number;
  /** Size that the policy chose: the block may be shorter, between others. */
  readonly size: number;
  /** Undefined while it is read. */
  data: Uint8Array | undefined;
  /** Part of the budget that it takes. */
  bytes: number;
}

/**
 * Blocks of a file, which do not overlap. A block close to an earlier one is twice as long as that one, up to 8 MiB, and
 * lies in the direction of the reads: metadata stands together, and nodes of large indexes are read in order. So the bytes
 * read are in proportion to the span that is used. Blocks far from others have 64 KiB. The least recently used blocks are
 * dropped.
 */
export class BlockCache {
  /** In order of their start. */
  readonly #blocks: Block[] = [];
  /** The blocks that have been read. */
  readonly #kept: LruCache<Block>;
  readonly #flights = new SingleFlight<void>();
  readonly #version: ObjectVersion = {};
  /** Offset that is not before the end of the file. */
  #limit = Number.POSITIVE_INFINITY;
  #size: number | undefined;
  #alignment = minBlock;

  /**
   * @param maxRead maximum size of one read, in bytes. Default: `indexBytes` of the default limits.
   * @param budget bytes to keep.
   */
  constructor(
    readonly file: ByteReader,
    private readonly maxRead = defaultLimits.indexBytes,
    budget = defaultBudget,
  ) {
    this.#kept = new LruCache(budget, (block) => this.#remove(block));
  }

  /** Size of the file in bytes; undefined if the source has not told it. */
  get fileSize(): number | undefined {
    return this.#version.size ?? this.#size;
  }

  /** Lets all reads of the file see one version. */
  get version(): ObjectVersion {
    return this.#version;
  }

  /** Aligns blocks to pages of the file, such as those of HDF5: metadata fills whole pages. Pages above 8 MiB are ignored. */
  set pageSize(bytes: number) {
    if (!(bytes > 0 && bytes <= maxBlock)) return;
    this.#alignment = bytes * Math.max(1, Math.floor(minBlock / bytes));
  }

  /**
   * Returns bytes of the file, which the caller must not change.
   * @throws InvalidMetadata ("bad-file") if they lie beyond the end of the file; LimitExceeded; NotFound; errors of the
   *   source.
   */
  read(offset: number, length: number, signal: AbortSignal | undefined): MaybePromise<Uint8Array> {
    return this.cached(offset, length) ?? this.#load(offset, length, signal);
  }

  /**
   * Returns bytes of a chunk, which the caller must not change; they are not kept.
   * @param what names the bytes in messages. Default: the file.
   * @throws as `read`; Network ("bad-target") for fewer bytes.
   */
  async readChunk(
    offset: number,
    length: number,
    { signal, maxBytes }: StoreGetOptions,
    what = this.file.name,
  ): Promise<Uint8Array> {
    const known = this.cached(offset, length);
    if (known) return known;
    this.check(offset, length);
    const bytes = await this.file.read({ offset, length }, { signal, maxBytes, version: this.#version });
    this.check(offset, length); // the first read may have told the size
    if (bytes?.byteLength === length) return bytes;
    const problem = bytes ? `is ${length - bytes.byteLength} bytes too short` : "is missing";
    throw networkError(`${what} ${problem}`, { code: "bad-target" });
  }

  /** Returns the first bytes of the file; fewer if it is shorter. */
  async head(length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const blocks = this.#blocksOf(0, Math.min(length, this.#end));
    await this.#wait(blocks, signal);
    return this.#join(blocks, 0, Math.min(length, this.#end));
  }

  /** Returns bytes that lie in one block; undefined for others. */
  cached(offset: number, length: number): Uint8Array | undefined {
    const block = this.#blocks[this.#after(offset) - 1];
    const isRange = Number.isInteger(offset) && length >= 0;
    if (!block?.data || !isRange || !(offset + length <= block.end)) return undefined;
    this.#kept.get(block.key);
    return block.data.subarray(offset - block.start, offset - block.start + length);
  }

  /** @throws InvalidMetadata ("bad-file") for a range that lies beyond the end of the file, as far as that is known. */
  check(offset: number, length: number): void {
    const isRange =
      Number.isSafeInteger(offset) && Number.isSafeInteger(offset + length) && offset >= 0 && length >= 0;
    if (!isRange || offset + length > this.#end) throw this.#beyond(offset, length);
  }

  /** End of the file, as far as known. */
  get #end(): number {
    return Math.min(this.fileSize ?? Number.POSITIVE_INFINITY, this.#limit);
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
    this.check(offset, length);
    if (length > this.maxRead)
      throw limitExceeded(
        `${this.file.name}: reading ${length} bytes of metadata, more than the limit of ${this.maxRead}`,
      );
    const blocks = this.#blocksOf(offset, offset + length);
    await this.#wait(blocks, signal);
    this.check(offset, length);
    return this.#join(blocks, offset, length);
  }

  /** Returns the blocks of a range; new ones for the parts that have not been requested. */
  #blocksOf(offset: number, end: number): Block[] {
    const blocks: Block[] = [];
    for (let at = offset; at < end; ) {
      const next = this.#after(at);
      const before = this.#blocks[next - 1];
      const block = before && before.end > at ? before : this.#place(at, end, next);
      this.#kept.get(block.key);
      blocks.push(block);
      at = block.end;
    }
    return blocks;
  }

  /** Adds a block before the one at an index, for the first bytes of a range that are in none. */
  #place(from: number, to: number, next: number): Block {
    const [before, after] = [this.#blocks[next - 1], this.#blocks[next]];
    const [low, high] = [before?.end ?? 0, Math.min(after?.start ?? Number.POSITIVE_INFINITY, this.#end)];
    const last = Math.min(to, high);
    const gapBefore = before ? from - low : Number.POSITIVE_INFINITY;
    const gapAfter = after ? after.start - last : Number.POSITIVE_INFINITY;
    const neighbour = gapBefore <= gapAfter ? before : after;
    const isNear = neighbour !== undefined && Math.min(gapBefore, gapAfter) < nearGap;
    const unit = this.#alignment;
    const size = isNear ? Math.min(2 * neighbour.size, Math.max(maxBlock, unit)) : unit;
    const isBackward = isNear && neighbour === after;
    const start = isBackward ? Math.min(from, last - size) : from;
    const first = Math.max(low, start - (Math.max(start, 0) % unit));
    const wanted = Math.max(last, isBackward ? 0 : first + size);
    const end = wanted + ((unit - (wanted % unit)) % unit);
    // A remainder before the next block that is shorter than a block would need a separate request.
    const block: Block = {
      key: String(first),
      start: first,
      end: high - end < minBlock ? high : end,
      size,
      data: undefined,
      bytes: 0,
    };
    this.#blocks.splice(next, 0, block);
    return block;
  }

  /** Waits until blocks are read. Their requests are shared, and end if no caller waits any more. */
  async #wait(blocks: readonly Block[], signal: AbortSignal | undefined): Promise<void> {
    await Promise.all(
      blocks
        .filter(({ data }) => !data)
        .map((block) => this.#flights.run(block.key, signal, (shared) => this.#fetch(block, shared))),
    );
    signal?.throwIfAborted();
  }

  async #fetch(block: Block, signal: AbortSignal): Promise<void> {
    const drop = () => this.#remove(block);
    signal.addEventListener("abort", drop, { once: true });
    const { start } = block;
    const length = block.end - start;
    try {
      const options = { signal, version: this.#version, maxBytes: length };
      const bytes = await this.file.read({ offset: start, length }, options);
      signal.throwIfAborted();
      if (!bytes) throw notFound(`${this.file.name} does not exist`);
      this.#accept(block, bytes, length);
    } catch (error) {
      drop();
      throw error;
    } finally {
      signal.removeEventListener("abort", drop);
    }
  }

  #accept(block: Block, bytes: Uint8Array, wanted: number): void {
    const { name } = this.file;
    const length = bytes.byteLength;
    const end = block.start + length;
    if (length > wanted)
      throw networkError(`${name}: the source returned ${length} bytes for a range of ${wanted}`, {
        code: "bad-range",
      });
    if (length < wanted) {
      if (end < this.#end && this.fileSize !== undefined)
        throw networkError(`${name}: the source returned ${length} bytes for a range of ${wanted}`, {
          code: "truncated-answer",
        });
      if (this.#blocks.some((other) => other.data && other.end > end)) throw changedError(name);
      this.#limit = Math.min(this.#limit, end);
      if (length > 0 || end === 0) this.#size = end;
    }
    block.end = end;
    block.data = bytes;
    block.bytes = Math.max(length, minCost);
    if (length === 0) this.#remove(block);
    else this.#kept.set(block);
  }

  #remove(block: Block): void {
    const index = this.#blocks.indexOf(block);
    if (index >= 0) this.#blocks.splice(index, 1);
  }

  /** Returns bytes of blocks, which may have been dropped meanwhile. */
  #join(blocks: readonly Block[], offset: number, length: number): Uint8Array {
    const [first] = blocks;
    if (!first || length === 0) return new Uint8Array(0);
    if (offset + length <= first.end)
      return first.data!.subarray(offset - first.start, offset - first.start + length);
    const joined = new Uint8Array(length);
    for (const { start, end, data } of blocks) {
      const from = Math.max(start, offset);
      joined.set(data!.subarray(from - start, Math.min(end, offset + length) - start), from - offset);
    }
    return joined;
  }

  #beyond(offset: number, length: number) {
    const end = this.#end;
    const size = Number.isFinite(end) ? ` of ${end} bytes` : "";
    return invalidMetadata(`${this.file.name}${size} ends before ${length} bytes at ${offset}`, {
      code: "bad-file",
    });
  }
}
