/**
 * Work shared by several requests.
 *
 * In a Worker, all work of a request ends with the request, and its promises may then never settle. Hence three rules:
 * the request that starts the work keeps it alive (`waitUntil`) while others wait for it, even if its client has
 * disconnected; no request waits longer than its timeout; and work without a waiting request is aborted. Work that has
 * not finished in time is dropped, and started afresh by the next request.
 */
import { tooSlow } from "./failures.js";
import type { Scope } from "./scope.js";

interface Flight<T> {
  readonly work: Promise<T>;
  /** Number of waiting requests. */
  waiting: number;
  isOver: boolean;
  /** Aborts the work. */
  abandon(): void;
}

export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /**
   * @param start starts the work; its signal is aborted when no request waits any more.
   * @throws errors of the work; the reason of the scope's signal; Refusal (504) after `timeout` milliseconds.
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
    // The last request to finish may be a different one, whose context must not touch the I/O of this one.
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
