/**
 * Answers the requests of each connection one after another, as HTTP/1.1 sends the responses anyway: a client that sends
 * thousands without waiting for a response must not open as many files.
 */
import type { Socket } from "node:net";
import { finished } from "node:stream/promises";
import type { Asked } from "./response.js";

/** Number of waiting requests from which a connection is not read further. */
const maxWaiting = 16;

export class Turns {
  readonly #waiting = new WeakMap<Socket, Asked[]>();

  constructor(private readonly answer: (asked: Asked) => Promise<void>) {}

  add(asked: Asked): void {
    const { socket } = asked.request;
    const waiting = this.#waiting.get(socket);
    if (!waiting) {
      const all = [asked];
      this.#waiting.set(socket, all);
      void this.#run(socket, all);
      return;
    }
    waiting.push(asked);
    if (waiting.length === maxWaiting) socket.pause();
  }

  async #run(socket: Socket, waiting: Asked[]): Promise<void> {
    for (let asked = waiting[0]; asked && !socket.destroyed; asked = waiting[0]) {
      await this.answer(asked);
      await finished(asked.response).catch(() => {}); // the client has disconnected
      waiting.shift();
      if (waiting.length === 0 && socket.isPaused()) socket.resume();
    }
    this.#waiting.delete(socket);
  }
}
