/** Decides how long something has not changed without comparing clocks of different computers. */

/**
 * Measures how long an observer has seen the same value. Two observations count as `longestStep` at most: the time during
 * which this process was suspended, or the store did not respond, tells nothing about the writer of the value.
 */
export class UnchangedTimer {
  #value: string | undefined;
  #observed = 0;
  #elapsed = 0;

  /** @param longestStep milliseconds. */
  constructor(private readonly longestStep: number) {}

  /** Returns the milliseconds for which the value has been the same. */
  observe(value: string): number {
    const now = performance.now();
    this.#elapsed =
      value === this.#value ? this.#elapsed + Math.min(now - this.#observed, this.longestStep) : 0;
    this.#value = value;
    this.#observed = now;
    return this.#elapsed;
  }
}
