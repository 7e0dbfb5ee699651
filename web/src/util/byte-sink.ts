/** Collects bytes of unknown total length. */
import { limitExceeded } from "./errors.js";
import { uninitialised } from "./platform.js";

/** Maximum initial allocation, whatever size a header announces. Beyond it, the buffer grows as bytes arrive. */
const trustedBytes = 2 ** 20;
/** Maximum growth of the buffer in one step, in bytes. */
const maxGrowth = 2 ** 28;
/** Maximum factor by which the buffer grows towards the announced length. */
const growthFactor = 32;

/** Collects bytes in one buffer and never exposes unwritten memory. */
export class ByteSink {
  #buffer: Uint8Array<ArrayBuffer>;
  /** Whether the buffer is reused memory. Its unused tail is kept: trimming it is not worth a copy. */
  #isSpare: boolean;
  readonly #expected: number;
  length = 0;

  /** @param expectedBytes likely total number of bytes; only a hint. */
  constructor(expectedBytes: number, spare?: ArrayBuffer) {
    this.#isSpare = spare !== undefined;
    this.#expected = expectedBytes;
    this.#buffer = spare ? new Uint8Array(spare) : uninitialised(Math.min(expectedBytes, trustedBytes));
  }

  add(bytes: Uint8Array): void {
    const needed = this.length + bytes.byteLength;
    if (needed > this.#buffer.byteLength) this.#grow(needed);
    this.#buffer.set(bytes, this.length);
    this.length = needed;
  }

  /** Drops all but the last `bytes` bytes. */
  keepLast(bytes: number): void {
    if (bytes >= this.length) return;
    this.#buffer.copyWithin(0, this.length - bytes, this.length);
    this.length = bytes;
  }

  #grow(needed: number): void {
    const size = this.#buffer.byteLength;
    // First grow to at most the announced length, so that nothing is left unused; beyond that, double.
    const next = size < this.#expected ? Math.min(growthFactor * size, this.#expected) : 2 * size;
    let grown: Uint8Array<ArrayBuffer>;
    try {
      grown = uninitialised(Math.max(needed, Math.min(next, needed + maxGrowth)));
    } catch (cause) {
      throw limitExceeded(`there is no memory for ${needed} bytes`, { code: "out-of-memory", cause });
    }
    grown.set(this.#buffer.subarray(0, this.length));
    this.#buffer = grown;
    this.#isSpare = false;
  }

  /** Returns the collected bytes, in a buffer of exactly that size or in a spare one. */
  bytes(): Uint8Array<ArrayBuffer> {
    if (this.length === this.#buffer.byteLength) return this.#buffer;
    return this.#isSpare ? this.#buffer.subarray(0, this.length) : this.#buffer.slice(0, this.length);
  }
}
