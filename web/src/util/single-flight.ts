/** Shares work between concurrent callers. */
import { untilAborted } from "./abort.js";

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
