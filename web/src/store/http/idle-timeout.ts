/** Giving up on servers that fall silent. */
import { invalidArgument } from "../../base/errors.js";

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
const beating = new Map<
  number,
  { readonly watches: Set<Watch>; readonly timer: ReturnType<typeof setInterval> }
>();

function startBeats(watch: Watch, period: number): void {
  let others = beating.get(period);
  if (!others) {
    const watches = new Set<Watch>();
    const timer = setInterval(() => {
      for (const one of watches) one.beat();
    }, period);
    others = { watches, timer };
    beating.set(period, others);
  }
  others.watches.add(watch);
}

/** With the last one the timer goes: nothing is left that would keep a process alive. */
function stopBeats(watch: Watch, period: number): void {
  const others = beating.get(period);
  if (!others?.watches.delete(watch) || others.watches.size > 0) return;
  clearInterval(others.timer);
  beating.delete(period);
}

/** Ends one request when its caller gives up, or when nothing comes for too long. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #period: number;
  readonly #forward = () => this.#controller.abort(this.#caller.reason);
  #missed = 0;
  #isSilent = false;

  constructor(caller: AbortSignal, timeout: number) {
    this.#caller = caller;
    if (caller.aborted) this.#forward();
    else caller.addEventListener("abort", this.#forward, { once: true });
    this.#period = timeout / beats;
    // Longer ones do not fit the timers of JavaScript, which would go off at once.
    if (this.#period < 2 ** 31) startBeats(this, this.#period);
  }

  /** Aborted at the end, whichever it is. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was the server's silence that ended the request. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Something has come. */
  hear(): void {
    this.#missed = 0;
  }

  /** The request is over. */
  stop(): void {
    stopBeats(this, this.#period);
    this.#caller.removeEventListener("abort", this.#forward);
  }

  /** A part of the time has gone by; the first one may be shorter than the others. */
  beat(): void {
    if (++this.#missed <= beats) return;
    this.#isSilent = true;
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
