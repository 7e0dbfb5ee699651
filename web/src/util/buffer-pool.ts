/**
 * Memory that has been used and may be used again: fresh memory, which is filled with zeros and mapped page by page,
 * costs as much as what is done with it.
 */
export class BufferPool {
  readonly #buffers: ArrayBuffer[] = [];

  /** A buffer of at least `bytes` bytes and at most `most`; where there is none, one that did not fit goes. */
  take(bytes: number, most = bytes): ArrayBuffer | undefined {
    const at = this.#buffers.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= most);
    if (at >= 0) return this.#buffers.splice(at, 1)[0];
    this.#buffers.shift(); // of another read, perhaps
    return undefined;
  }

  /** @param most buffers that are kept */
  give(buffer: ArrayBuffer, most: number): void {
    if (this.#buffers.length < most) this.#buffers.push(buffer);
  }

  clear(): void {
    this.#buffers.length = 0;
  }
}
