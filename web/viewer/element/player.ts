/** Plays the slices along an axis, no faster than they can be read. */

export interface PlayerCallbacks {
  /** Slices per second. */
  rate(): number;
  /** Whether the current slice has been read. */
  isReady(): boolean;
  /** Shows the next slice. */
  step(axis: number): void;
}

/** Maximum wait for a slice in milliseconds. The next one is shown then, since the slice may be damaged. */
const longestWait = 4000;
/** Interval between two checks whether it has been read, in milliseconds. */
const patience = 15;

export class Player {
  #axis: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shownAt = 0;

  constructor(private readonly callbacks: PlayerCallbacks) {}

  /** The axis being played. */
  get axis(): number | undefined {
    return this.#axis;
  }

  play(axis: number): void {
    this.stop();
    this.#axis = axis;
    this.#shownAt = performance.now();
    this.#wait(0);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#axis = undefined;
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#look(), milliseconds);
  }

  #look(): void {
    const [axis, now] = [this.#axis, performance.now()];
    if (axis === undefined) return;
    const early = this.#shownAt + 1000 / this.callbacks.rate() - now;
    const isLate = now - this.#shownAt >= longestWait;
    if (early > 1 || (!this.callbacks.isReady() && !isLate)) {
      this.#wait(Math.max(early, patience));
      return;
    }
    this.#shownAt = now;
    this.callbacks.step(axis);
    this.#wait(patience);
  }
}
