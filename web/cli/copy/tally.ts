/** What a copy has done. */
import type { ProgressLine } from "../progress.js";
import { exactNumber } from "../summary.js";

export class Tally {
  readonly #start = performance.now();
  arrays = 0;
  groups = 0;
  /** Chunks that are decoded one at a time: of shards those inside. */
  readonly chunks = { asStored: 0, reencoded: 0, skipped: 0, missing: 0 };
  /** Of elements that are done, decoded. */
  bytes = 0;
  totalBytes = 0;
  totalChunks = 0;
  bytesRead = 0;
  bytesWritten = 0;
  /** Chunks that are not stored and were not visited, with the bytes of their elements. */
  #left = { chunks: 0n, bytes: 0n };

  constructor(private readonly line: ProgressLine) {}

  /** Says that there is more to do. */
  expect({ bytes, chunks }: { readonly bytes: bigint; readonly chunks: bigint }): void {
    this.totalBytes += Number(bytes);
    this.totalChunks += Number(chunks);
    this.line.total(this.totalBytes);
  }

  /** Says what need not be done, as it is not stored. It counts as missing, and has no part in progress and rate. */
  leave({ chunks, bytes }: { readonly chunks: bigint; readonly bytes: bigint }): void {
    this.#left = { chunks: this.#left.chunks + chunks, bytes: this.#left.bytes + bytes };
  }

  /** Says that elements of so many bytes are done. */
  advance(bytes: number): void {
    this.bytes += bytes;
    this.line.add(bytes);
  }

  /** Says that elements of so many bytes were there already. */
  skip(bytes: number, chunks: number): void {
    this.bytes += bytes;
    this.chunks.skipped += chunks;
    this.line.skip(bytes);
  }

  get seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }

  get facts() {
    const { arrays, groups, chunks, bytes, bytesRead, bytesWritten, seconds } = this;
    const round = (value: number) => Number(value.toPrecision(6));
    const missing = exactNumber(BigInt(chunks.missing) + this.#left.chunks);
    const all = exactNumber(BigInt(bytes) + this.#left.bytes);
    return {
      ...{ arrays, groups, chunks: { ...chunks, missing }, bytes: all, bytesRead, bytesWritten },
      seconds: round(seconds),
      megabytesPerSecond: round(bytes / 1e6 / seconds),
    };
  }

  get chunksDone(): number {
    const { asStored, reencoded, skipped, missing } = this.chunks;
    return asStored + reencoded + skipped + missing;
  }
}
