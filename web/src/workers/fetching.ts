/** Sends requests in a worker, and combines the received data into few messages. */

import { messageOf } from "../util/errors.js";
import type { WorkerPort } from "../util/platform.js";

/** Received data is sent at the end, at this size, … */
const pieceBytes = 2 ** 20;
/** … or after this many milliseconds, so that the receiver knows that the server is not silent. */
const flushInterval = 100;

/** Requests in flight. */
export class Fetching {
  readonly #open = new Map<number, RemoteRequest>();

  constructor(private readonly port: WorkerPort) {}

  receive(message: FetchRequest): void {
    if ("more" in message) this.#open.get(message.more)?.resume();
    else if ("drop" in message) this.#open.get(message.drop)?.drop();
    else void this.#run(message);
  }

  async #run(ask: FetchStart): Promise<void> {
    const request = new RemoteRequest(ask, this.port);
    this.#open.set(ask.fetch, request);
    await request.run();
    this.#open.delete(ask.fetch);
  }
}

class RemoteRequest {
  readonly #abort = new AbortController();
  #head: FetchProgress["head"];
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether sent data has not been acknowledged yet. */
  #isAhead = false;
  #wake = () => {};

  constructor(
    private readonly ask: FetchStart,
    private readonly port: WorkerPort,
  ) {}

  resume(): void {
    this.#isAhead = false;
    this.#wake();
  }

  drop(): void {
    this.#abort.abort();
    this.#wake();
  }

  async run(): Promise<void> {
    try {
      await this.#read();
      if (!this.#abort.signal.aborted) this.#send({ isEnd: true });
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#send({ failure: messageOf(error) });
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async #read(): Promise<void> {
    const { url, headers, origin, cache } = this.ask;
    const here = (globalThis as { origin?: string }).origin;
    if (origin !== here) throw new Error("the worker belongs to another origin");
    const { signal } = this.#abort;
    const init = { headers: headers as [string, string][], signal, ...(cache && { cache }) };
    const response = await fetch(url, init);
    const { status, statusText, type, body, redirected } = response;
    const isCors = type === "cors";
    this.#head = { status, statusText, isCors, redirected, headers: [...response.headers] };
    const reader = body?.getReader();
    while (reader) {
      this.#timer ??= setTimeout(() => this.#flush(), flushInterval);
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      this.#pieces.push(value);
      this.#bytes += value.byteLength;
      if (this.#bytes >= pieceBytes) this.#flush();
      while (this.#isAhead && !signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Sends the received data, unless the previous message has not been acknowledged. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isAhead || this.#abort.signal.aborted) return;
    this.#isAhead = this.#bytes > 0;
    this.#send({});
  }

  #send(news: Omit<FetchProgress, "fetched" | "head" | "piece">): void {
    const piece = this.#bytes > 0 ? joinPieces(this.#pieces, this.#bytes) : undefined;
    const said: FetchProgress = { fetched: this.ask.fetch, head: this.#head, piece, ...news };
    this.#head = undefined;
    this.#pieces = [];
    this.#bytes = 0;
    this.port.post(said, piece ? [piece] : []);
  }
}

/** Joins pieces in one buffer; a single piece keeps its buffer if it fills it. */
function joinPieces(pieces: readonly Uint8Array<ArrayBuffer>[], bytes: number): ArrayBuffer {
  const [first] = pieces;
  if (first && first.buffer.byteLength === bytes) return first.buffer;
  const all = new Uint8Array(bytes);
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.byteLength;
  }
  return all.buffer;
}

/** Requests a URL. */
export interface FetchStart {
  readonly fetch: number;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly cache?: "no-cache" | undefined;
  /** Origin of the calling thread. A worker with another origin would get different responses. */
  readonly origin: string | undefined;
}

/** Acknowledges the data received, so that the worker continues reading. */
export interface FetchContinue {
  readonly more: number;
}

/** Cancels a request. */
export interface FetchDrop {
  readonly drop: number;
}

export type FetchRequest = FetchStart | FetchContinue | FetchDrop;

/**
 * Progress of a request: the head arrives with or before the first piece of the body; the last piece marks the end.
 */
export interface FetchProgress {
  readonly fetched: number;
  readonly head?: FetchHead | undefined;
  readonly piece?: ArrayBuffer | undefined;
  readonly isEnd?: boolean | undefined;
  /** The error, if the request failed or the response was interrupted. */
  readonly failure?: string | undefined;
}

export interface FetchHead {
  readonly status: number;
  readonly statusText: string;
  readonly isCors: boolean;
  readonly redirected: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Whether a message concerns requests. */
export const isFetchRequest = (message: object): message is FetchRequest =>
  "fetch" in message || "more" in message || "drop" in message;
