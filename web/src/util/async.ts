/** Aborting, timing out, bounding and sharing asynchronous work. */

import { invalidArgument } from "./errors.js";
import { allowListeners } from "./platform.js";

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it is aborted, even if the work ignores the signal.
 * @param drop receives a result that comes after the abort. Later failures are ignored.
 */
export function untilAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal | undefined,
  drop?: (late: T) => void,
): Promise<T> {
  if (!signal) return Promise.resolve(work);
  allowListeners(signal);
  return new Promise((resolve, reject) => {
    let isAborted = false;
    const abort = () => {
      isAborted = true;
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(
      (value) => {
        signal.removeEventListener("abort", abort);
        if (isAborted) drop?.(value);
        else resolve(value);
      },
      (error) => {
        signal.removeEventListener("abort", abort);
        reject(error);
      },
    );
  });
}

/**
 * Waits for all promises, even after a failure, so that nothing is still running when the caller learns of
 * it.
 * @param onFailure called at the first failure, to cancel the others.
 */
export async function settleAll(
  work: readonly Promise<void>[],
  onFailure?: ((error: unknown) => void) | undefined,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  const guarded = work.map((promise) =>
    promise.catch((error) => {
      failure ??= { error };
      onFailure?.(error);
    }),
  );
  await Promise.all(guarded);
  if (failure) throw failure.error;
}

/** Returns the values of all promises; waits like {@link settleAll}. */
export async function settledValues<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = new Array<T>(work.length);
  const kept = work.map(async (promise, i) => {
    results[i] = await promise;
  });
  await settleAll(kept);
  return results;
}

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

interface Flight<T> {
  promise: Promise<T>;
  controller: AbortController;
  callers: number;
  /** Total number of callers, including those that have left. */
  joined: number;
}

/**
 * Shares one task among callers that request the same thing at the same time. Each can abort independently:
 * the task continues while at least one caller waits and is aborted when the last one leaves.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /**
   * Joins the task in flight for `id`, or starts it.
   * @param start receives a signal that is aborted when no caller waits any more.
   * @throws errors of the task; the reason of this caller's own signal.
   */
  async run(
    id: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return (await this.join(id, signal, start)).result;
  }

  /** Like {@link run}, and also returns whether other callers shared the result. */
  async join(
    id: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ result: T; isShared: boolean }> {
    signal?.throwIfAborted();
    const flight = this.#flights.get(id) ?? this.#start(id, start);
    flight.callers++;
    flight.joined++;
    try {
      const result = await untilAborted(flight.promise, signal);
      return { result, isShared: flight.joined > 1 };
    } finally {
      if (--flight.callers === 0) this.#end(id, flight, signal);
    }
  }

  /** Makes later callers of ids with a prefix start new tasks. Callers that already wait keep theirs. */
  leave(prefix: string): void {
    for (const id of this.#flights.keys()) if (id.startsWith(prefix)) this.#flights.delete(id);
  }

  #start(id: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight = { promise: start(controller.signal), controller, callers: 0, joined: 0 };
    // If all callers have left, the failure has no handler.
    const forget = () => this.#forget(id, flight);
    flight.promise.then(forget, forget);
    this.#flights.set(id, flight);
    return flight;
  }

  /** Aborts a task that no caller waits for, so that the next caller starts a new one. */
  #end(id: string, flight: Flight<T>, signal: AbortSignal | undefined): void {
    if (this.#flights.get(id) !== flight) return;
    this.#forget(id, flight);
    flight.controller.abort(signal?.reason);
  }

  #forget(id: string, flight: Flight<T>): void {
    if (this.#flights.get(id) === flight) this.#flights.delete(id);
  }
}

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
  readonly watches: Set<IdleTimeout>;
  readonly timer: ReturnType<typeof setInterval> | undefined;
}

function startBeats(period: number): Beats {
  const watches = new Set<IdleTimeout>();
  // Longer periods overflow JavaScript timers, which would then fire at once.
  const timer = period < 2 ** 31 ? setInterval(missBeat, period, watches) : undefined;
  const started = { watches, timer };
  beating.set(period, started);
  return started;
}

function missBeat(watches: Set<IdleTimeout>): void {
  for (const watch of watches) watch.missBeat();
}

/** Aborts one request when its caller aborts or when no data arrives within the timeout. */
export class IdleTimeout {
  readonly #controller = new AbortController();
  /** Aborted when the request ends for either reason. */
  readonly signal = this.#controller.signal;
  /** Whether the request timed out. */
  isExpired = false;
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
  restart(): void {
    this.#missed = 0;
  }

  /** Counts one beat; the first one may be shorter than the others. */
  missBeat(): void {
    if (++this.#missed <= beats) return;
    this.isExpired = true;
    this.stop();
    this.#controller.abort();
  }
}
