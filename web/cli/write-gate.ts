/** Decides when a destination may be written to: not after a signal, and not without the lock of the destination. */
import { atTheEnd } from "./at-the-end.js";

export class WriteGate {
  /** Throws if the lock is lost; undefined before the destination is locked. */
  lockCheck: (() => Promise<void>) | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #isEnding = false;
  /** Stops waiting for signals. */
  readonly release = atTheEnd(() => this.end());

  /** @throws an Error if the lock is lost. */
  readonly checkLock = async (): Promise<void> => this.lockCheck?.();

  /** Runs a write, for which {@link end} waits. @throws an Error if the lock is lost. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    await this.checkLock();
    if (this.#isEnding) await new Promise<never>(() => {});
    const running = write();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      await this.checkLock(); // the place may be gone because the lock is
      throw error;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for the writes that are under way. Others never begin. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#running);
  }
}
