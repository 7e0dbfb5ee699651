/** What a copy has done. */
import type { ProgressLine } from "../progress.js";

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

  constructor(private readonly line: ProgressLine) {}

  /** Says that there is more to do. */
  expect(bytes: number, chunks: number): void {
    this.totalBytes += bytes;
    this.totalChunks += chunks;
    this.line.total(this.totalBytes);
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
    return {
      ...{ arrays, groups, chunks: { ...chunks }, bytes, bytesRead, bytesWritten },
      seconds: round(seconds),
      megabytesPerSecond: round(bytes / 1e6 / seconds),
    };
  }

  get chunksDone(): number {
    const { asStored, reencoded, skipped, missing } = this.chunks;
    return asStored + reencoded + skipped + missing;
  }
}
