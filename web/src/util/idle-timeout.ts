/** Aborts requests to servers that stop responding. */

import { invalidArgument } from "./errors.js";

/** Default time without a byte after which a request is aborted, in milliseconds. */
export const defaultTimeout = 60_000;

/**
 * The timeout is counted in beats. A thread that was busy or suspended misses beats instead of catching up on
 * them, so that bytes which arrived in the meantime are seen before the request times out.
 */
const beats = 4;

/** @throws InvalidArgument for an invalid timeout. */
export function checkTimeout(timeout: number): number {
  if (!(timeout > 0)) throw invalidArgument(`timeout must be a positive number, not ${timeout}`);
  return timeout;
}

/**
 * Watches by beat period. They share a timer, since one timer each would cost a small request as much as its
 * response.
 */
const beating = new Map<number, Beats>();

interface Beats {
  readonly watches: Set<Watch>;
  readonly timer: ReturnType<typeof setInterval> | undefined;
}

function startBeats(period: number): Beats {
  const watches = new Set<Watch>();
  // Longer periods overflow JavaScript timers, which would then fire at once.
  const timer = period < 2 ** 31 ? setInterval(missBeat, period, watches) : undefined;
  const started = { watches, timer };
  beating.set(period, started);
  return started;
}

function missBeat(watches: Set<Watch>): void {
  for (const watch of watches) watch.missBeat();
}

/** Aborts one request when its caller aborts or when no data arrives within the timeout. */
export class Watch {
  readonly #controller = new AbortController();
  /** Aborted when the request ends for either reason. */
  readonly signal = this.#controller.signal;
  /** Whether the request timed out. */
  isSilent = false;
  /** Stops watching, because the request is over. */
  readonly stop: () => void;
  #missed = 0;

  constructor(caller: AbortSignal, timeout: number) {
    const forward = () => this.#controller.abort(caller.reason);
    if (caller.aborted) forward();
    else caller.addEventListener("abort", forward, { once: true });
    const period = timeout / beats;
    const { watches, timer } = beating.get(period) ?? startBeats(period);
    watches.add(this);
    this.stop = () => {
      // Stop the timer with the last watch, so that it does not keep the process alive.
      if (watches.delete(this) && watches.size === 0) {
        clearInterval(timer);
        beating.delete(period);
      }
      caller.removeEventListener("abort", forward);
    };
  }

  /** Restarts the timeout, because data arrived. */
  hear(): void {
    this.#missed = 0;
  }

  /** Counts one beat; the first one may be shorter than the others. */
  missBeat(): void {
    if (++this.#missed <= beats) return;
    this.isSilent = true;
    this.stop();
    this.#controller.abort();
  }
}

/** Settles like `work` unless the signal is aborted first; a later result is passed to `drop`. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  drop: (late: T) => void,
): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      reject(signal.reason);
      Promise.resolve(work).then(drop, () => {});
    };
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
