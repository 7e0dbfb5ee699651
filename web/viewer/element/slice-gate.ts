/**
 * Lets a slice be read before the next one is shown. While a slider is dragged, its indices change faster than
 * slices are read: each would be dropped for the next, and none shown.
 */

/** Maximum time for which the next slice waits, in milliseconds: over slow connections the latest one matters. */
const maxWait = 600;

export class SliceGate {
  #isOpen = true;
  #closedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Shows the latest slice; earlier ones are skipped. */
  #next: (() => void) | undefined;

  /** Whether the last slice has been read. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether a slice waits to be shown. */
  get isWaiting(): boolean {
    return this.#next !== undefined;
  }

  /** Shows something now; if it is the next slice of the same plane, when the one before has been read. */
  pass(isSlice: boolean, show: () => void): void {
    this.#next = show;
    const rest = this.#closedAt + maxWait - performance.now();
    if (!isSlice || this.#isOpen || rest <= 0) this.#show(isSlice);
    else this.#timer ??= setTimeout(() => this.#show(true), rest);
  }

  /** The slice has been read. */
  open(): void {
    this.#isOpen = true;
    if (this.#next) this.#show(true);
  }

  /** Forgets the slice that waits. */
  clear(): void {
    this.#isOpen = true;
    this.#next = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #show(isSlice: boolean): void {
    const show = this.#next!;
    this.clear();
    this.#isOpen = !isSlice;
    this.#closedAt = performance.now();
    show();
  }
}
