/** Work that several callers wait for. */
import { untilAborted } from "./abort.js";

interface Flight<T> {
  promise: Promise<T>;
  controller: AbortController;
  callers: number;
  /** Those who have gone, too. */
  joined: number;
}

/**
 * Joins callers who ask for the same thing at the same time. Each can give up on its own: the work goes on
 * as long as one caller is left, and is aborted when the last one goes.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /**
   * Joins the work under way for `id`, or starts it.
   * @param start gets the signal that says when nobody waits any more.
   * @throws what the work throws; the reason of this caller's own signal.
   */
  async run(
    id: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return (await this.join(id, signal, start)).result;
  }

  /** {@link run}, and whether anybody else has asked for the same; who comes later has work of his own. */
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

  /** Has those who come from now on start afresh, for what begins so; who waits already gets what he asked for. */
  leave(prefix: string): void {
    for (const id of this.#flights.keys()) if (id.startsWith(prefix)) this.#flights.delete(id);
  }

  #start(id: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight = { promise: start(controller.signal), controller, callers: 0, joined: 0 };
    // When all callers have gone, nobody listens to the failure.
    const forget = () => this.#forget(id, flight);
    flight.promise.then(forget, forget);
    this.#flights.set(id, flight);
    return flight;
  }

  /** Nobody waits any more: work still under way is aborted, and the next caller starts afresh. */
  #end(id: string, flight: Flight<T>, signal: AbortSignal | undefined): void {
    if (this.#flights.get(id) !== flight) return;
    this.#forget(id, flight);
    flight.controller.abort(signal?.reason);
  }

  #forget(id: string, flight: Flight<T>): void {
    if (this.#flights.get(id) === flight) this.#flights.delete(id);
  }
}
