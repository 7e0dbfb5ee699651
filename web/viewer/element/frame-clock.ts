/** Schedules frames: immediately for user actions, throttled for new data. */

/**
 * Milliseconds between two frames that only show new data: three quarters of the time go to reading it. The
 * first data are shown immediately, and the next soon after, however long a frame takes.
 */
const restBetweenArrivals = { least: 50, most: 250, frames: 4 };

export class FrameClock {
  #request = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = 0;
  /** Duration of the last frame in milliseconds, with the browser's compositing. */
  #frameTime = 0;
  /** Frames that only showed new data. */
  #arrivals = 0;

  constructor(private readonly draw: () => void) {}

  /** Draws in the next frame. */
  drawNow(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.draw();
    });
  }

  /** Draws new data, at a limited rate. */
  drawSoon(): void {
    if (this.#request !== 0 || this.#soon !== undefined) return;
    const { least, most, frames } = restBetweenArrivals;
    const longest = Math.min(most, least * this.#arrivals++);
    const rest = Math.min(Math.max(least, frames * this.#frameTime), longest);
    const wait = Math.max(0, rest - (performance.now() - this.#drawnAt));
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.drawNow();
    }, wait);
  }

  /** Called when a frame begins. */
  begin(): void {
    const drawnAt = performance.now();
    this.#drawnAt = drawnAt;
    requestAnimationFrame(() => {
      this.#frameTime = performance.now() - drawnAt;
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    clearTimeout(this.#soon);
  }
}
