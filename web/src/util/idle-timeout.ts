/** Giving up on servers that fall silent. */
import { invalidArgument } from "./errors.js";

/** Milliseconds without a byte after which a request is given up. */
export const defaultTimeout = 60_000;

/**
 * The time is counted in beats. A thread that was busy or asleep misses beats instead of catching up on them, so
 * that bytes which have arrived meanwhile are seen before the server counts as silent.
 */
const beats = 4;

/** Throws InvalidArgument for an invalid time. */
export function checkTimeout(timeout: number): number {
  if (!(timeout > 0)) throw invalidArgument(`timeout must be a positive number, not ${timeout}`);
  return timeout;
}

/** Watches by the time between two of their beats: a timer for each would cost a small request as much as its answer. */
const beating = new Map<number, Beats>();

interface Beats {
  readonly watches: Set<Watch>;
  readonly timer: ReturnType<typeof setInterval> | undefined;
}

function startBeats(period: number): Beats {
  const watches = new Set<Watch>();
  // Longer ones do not fit the timers of JavaScript, which would go off at once.
  const timer = period < 2 ** 31 ? setInterval(missBeat, period, watches) : undefined;
  const started = { watches, timer };
  beating.set(period, started);
  return started;
}

function missBeat(watches: Set<Watch>): void {
  for (const watch of watches) watch.missBeat();
}

/** Ends one request when its caller gives up, or when nothing comes for too long. */
export class Watch {
  readonly #controller = new AbortController();
  /** Aborted at the end, whichever it is. */
  readonly signal = this.#controller.signal;
  /** Whether it was the server's silence that ended the request. */
  isSilent = false;
  /** The request is over. */
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
      // With the last one the timer goes: nothing is left that would keep a process alive.
      if (watches.delete(this) && watches.size === 0) {
        clearInterval(timer);
        beating.delete(period);
      }
      caller.removeEventListener("abort", forward);
    };
  }

  /** Something has come. */
  hear(): void {
    this.#missed = 0;
  }

  /** A part of the time has gone by; the first one may be shorter than the others. */
  missBeat(): void {
    if (++this.#missed <= beats) return;
    this.isSilent = true;
    this.stop();
    this.#controller.abort();
  }
}

/** What work gives, unless the signal is first; what comes after that is handed to `drop`. */
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
