/** Measures how long a value has not changed, without comparing the clocks of different computers. */

/**
 * Measures how long an observer has seen the same value. The time between two observations counts as at most
 * `longestStep`: while this process was suspended or the store did not respond, nothing is known about the
 * writer.
 */
export class UnchangedTimer {
  #value: string | undefined;
  #observed = 0;
  #elapsed = 0;

  /** @param longestStep maximum time counted per observation, in milliseconds. */
  constructor(private readonly longestStep: number) {}

  /** Returns for how many milliseconds the value has been the same. */
  observe(value: string): number {
    const now = performance.now();
    this.#elapsed =
      value === this.#value ? this.#elapsed + Math.min(now - this.#observed, this.longestStep) : 0;
    this.#value = value;
    this.#observed = now;
    return this.#elapsed;
  }
}
