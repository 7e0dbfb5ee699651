/** Limits concurrency. */
import { invalidArgument } from "./errors.js";

/** Runs at most `limit` tasks at a time; the others wait in order. */
export class Limiter {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** @throws InvalidArgument unless the limit is a positive integer. */
  constructor(readonly limit: number) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw invalidArgument(`concurrency must be a positive integer, not ${limit}`);
    }
  }

  /**
   * Runs a task when a slot is free. If it is aborted while waiting, throws the signal's reason and takes no
   * slot.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.limit) this.#running++;
    else await this.#room(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Passes the slot directly to the next task, so that no later one can overtake it. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  #room(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.delete(go);
        reject(signal?.reason);
      };
      this.#waiting.add(go);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
}
