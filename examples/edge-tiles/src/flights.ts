/**
 * Work that several requests wait for.
 *
 * In a Worker, what a request has begun ends with it, and a promise of it may then stay open for ever. Hence two rules:
 * the request that begins some work keeps it going to its end (`waitUntil`), though its client may have gone; and nobody
 * waits longer than a request may take. What has not ended by then is forgotten, and begun afresh by the next who asks.
 */
import { tooSlow } from "./failures.js";

/** What a request can do for work that outlives it. */
export type KeepGoing = (work: Promise<unknown>) => void;

export class Flights<T> {
  readonly #flights = new Map<string, Promise<T>>();

  /** @throws what the work throws; Refusal (504) where it takes longer than `timeout` milliseconds. */
  async run(key: string, timeout: number, keepGoing: KeepGoing, start: () => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#start(key, keepGoing, start);
    let timer: ReturnType<typeof setTimeout> | null = null;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#forget(key, flight);
        reject(tooSlow());
      }, timeout);
    });
    try {
      return await Promise.race([flight, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #start(key: string, keepGoing: KeepGoing, start: () => Promise<T>): Promise<T> {
    const flight = start();
    this.#flights.set(key, flight);
    const forget = () => this.#forget(key, flight);
    keepGoing(flight.then(forget, forget));
    return flight;
  }

  #forget(key: string, flight: Promise<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
