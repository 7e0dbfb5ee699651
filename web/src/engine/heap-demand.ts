/**
 * Decides when an instance has far more memory than its work needs. WebAssembly memory cannot shrink, so the
 * instance is replaced; the module stays compiled.
 */

/** An instance may always keep this much memory. */
const keptBytes = 64 * 2 ** 20;
/** Above that, the allowed ratio of memory to demand: buffers of all stages, and fragmentation. */
const spread = 4;
/** Factor by which the recorded demand decays with each smaller piece of work. */
const fading = 0.75;

/** The recent memory demand of a module; passed from one instance to the next. */
export class HeapDemand {
  #peak = 0;
  #usual = 0;

  /** Records the bytes held by a piece of work: its input, its output, open slabs. */
  note(bytes: number): void {
    if (bytes > this.#peak) this.#peak = bytes;
  }

  /**
   * Called when nothing is held any more. Returns whether there is far more memory than the work before this
   * piece needed: at once after a single outsized chunk; after many large ones, when some smaller ones have
   * followed.
   */
  settle(memoryBytes: number): boolean {
    if (this.#peak === 0) return false;
    const isTooMuch = memoryBytes > Math.max(keptBytes, spread * this.#usual);
    this.#usual = Math.max(this.#peak, fading * this.#usual);
    this.#peak = 0;
    return isTooMuch;
  }
}
