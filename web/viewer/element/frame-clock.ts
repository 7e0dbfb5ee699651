/** When frames are drawn: at once for what the reader does, now and then for what has come. */

/**
 * Milliseconds between two frames that only show what has come: three quarters of the time are for what comes. What
 * comes first is shown at once, and what comes next soon, however long a frame takes.
 */
const restBetweenArrivals = { least: 50, most: 250, frames: 4 };

export class FrameClock {
  #request = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = 0;
  /** Milliseconds that the last frame took, with what the browser does to show it. */
  #frameTime = 0;
  /** Frames that only showed what had come. */
  #arrivals = 0;

  constructor(private readonly draw: () => void) {}

  /** Draws at the next frame. */
  drawNow(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.draw();
    });
  }

  /** Draws what has come: not more often than is seen. */
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

  /** A frame begins. */
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
