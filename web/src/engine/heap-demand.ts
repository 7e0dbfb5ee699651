/**
 * When an instance has more memory than its work needs. The memory of WebAssembly cannot be given back, so the
 * instance is replaced then; the module stays compiled.
 */

/** An instance keeps this much, whatever it is used for. */
const keptBytes = 64 * 2 ** 20;
/** Beyond that, so many times what its work needs: buffers of all stages, and holes between them. */
const spread = 4;
/** By what the memory of large work fades with each smaller piece. */
const fading = 0.75;

/** What the work of a module has needed lately; handed on from one instance to the next. */
export class HeapDemand {
  #peak = 0;
  #usual = 0;

  /** Notes the bytes that a piece of work holds: its input, its output, open slabs. */
  note(bytes: number): void {
    if (bytes > this.#peak) this.#peak = bytes;
  }

  /**
   * Called when nothing is held any more. True where there is far more memory than the work before this piece
   * needed: after an outsized chunk at once, after many large ones when some smaller ones have followed.
   */
  settle(memoryBytes: number): boolean {
    if (this.#peak === 0) return false;
    const isTooMuch = memoryBytes > Math.max(keptBytes, spread * this.#usual);
    this.#usual = Math.max(this.#peak, fading * this.#usual);
    this.#peak = 0;
    return isTooMuch;
  }
}
