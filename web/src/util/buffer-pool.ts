/**
 * Keeps used buffers for reuse. Fresh memory is zeroed and mapped page by page, which costs as much as the
 * work done in it.
 */
export class BufferPool {
  readonly #buffers: ArrayBuffer[] = [];

  /** Returns a buffer of at least `bytes` and at most `most` bytes. If none fits, drops the oldest one. */
  take(bytes: number, most = bytes): ArrayBuffer | undefined {
    const at = this.#buffers.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= most);
    if (at >= 0) return this.#buffers.splice(at, 1)[0];
    this.#buffers.shift(); // probably left by another read
    return undefined;
  }

  /** @param most maximum number of buffers to keep */
  give(buffer: ArrayBuffer, most: number): void {
    if (this.#buffers.length < most) this.#buffers.push(buffer);
  }

  clear(): void {
    this.#buffers.length = 0;
  }
}
