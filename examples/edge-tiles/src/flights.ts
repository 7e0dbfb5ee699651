/**
 * Work that several requests wait for.
 *
 * In a Worker, what a request has begun ends with it, and a promise of it may then stay open for ever. Hence three rules:
 * the request that begins some work keeps it going (`waitUntil`) while others wait for it, though its client may have
 * gone; no request waits longer than it may take; and work that no request waits for any more is aborted. What has not
 * ended in time is forgotten, and begun afresh by the next request.
 */
import { tooSlow } from "./failures.js";
import type { Scope } from "./scope.js";

interface Flight<T> {
  readonly work: Promise<T>;
  /** Requests that wait for it. */
  waiting: number;
  isOver: boolean;
  /** Aborts the work. */
  abandon(): void;
}

export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /**
   * @param start begins the work; its signal is aborted when no request waits any more.
   * @throws what the work throws; the reason of the scope's signal; Refusal (504) after `timeout` milliseconds.
   */
  async run(
    key: string,
    timeout: number,
    scope: Scope,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { signal } = scope;
    signal.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#start(key, scope, start);
    flight.waiting++;
    let stop = () => {};
    const ended = new Promise<never>((_, reject) => {
      const abort = () => reject(signal.reason);
      const timer = setTimeout(() => {
        this.#forget(key, flight);
        reject(tooSlow());
      }, timeout);
      signal.addEventListener("abort", abort);
      stop = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
    });
    try {
      return await Promise.race([flight.work, ended]);
    } finally {
      stop();
      if (--flight.waiting === 0 && !flight.isOver) {
        this.#forget(key, flight);
        flight.abandon();
      }
    }
  }

  #start(key: string, { keepGoing }: Scope, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    let abandon = () => {};
    // The last request to leave may be another one, whose context must not touch the I/O of this one.
    new Promise<void>((resolve) => {
      abandon = resolve;
    }).then(() => controller.abort());
    const work = start(controller.signal);
    const flight: Flight<T> = { work, waiting: 0, isOver: false, abandon };
    this.#flights.set(key, flight);
    const end = () => {
      flight.isOver = true;
      this.#forget(key, flight);
    };
    keepGoing(work.then(end, end));
    return flight;
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
