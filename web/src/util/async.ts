/** Aborting, bounding and sharing asynchronous work. */

import { invalidArgument } from "./errors.js";
import { allowListeners } from "./platform.js";

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it is aborted, even if the work ignores
 * the signal. A later result or failure of the work is dropped.
 */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return Promise.resolve(work);
  allowListeners(signal);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const settle = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error) => {
        settle();
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
