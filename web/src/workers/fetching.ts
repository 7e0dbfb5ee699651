/** The worker's side of requests: it sends them, and gathers what comes in few messages. */
import { messageOf } from "../util/errors.js";
import type { WorkerPort } from "../util/platform.js";
import type { FetchAsk, FetchNews, FetchRequest } from "./fetch-messages.js";

/** What has come is handed over at the end, when there is this much of it, … */
const pieceBytes = 2 ** 20;
/** … or after so many milliseconds: who waits hears that the server is not silent. */
const pause = 100;

/** The requests under way. */
export class Fetching {
  readonly #open = new Map<number, RemoteRequest>();

  constructor(private readonly port: WorkerPort) {}

  hear(message: FetchRequest): void {
    if ("more" in message) this.#open.get(message.more)?.readOn();
    else if ("drop" in message) this.#open.get(message.drop)?.drop();
    else void this.#run(message);
  }

  async #run(ask: FetchAsk): Promise<void> {
    const request = new RemoteRequest(ask, this.port);
    this.#open.set(ask.fetch, request);
    await request.run();
    this.#open.delete(ask.fetch);
  }
}

class RemoteRequest {
  readonly #abort = new AbortController();
  #head: FetchNews["head"];
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether something was handed over that has not been used yet. */
  #isAhead = false;
  #wake = () => {};

  constructor(
    private readonly ask: FetchAsk,
    private readonly port: WorkerPort,
  ) {}

  readOn(): void {
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
      if (!this.#abort.signal.aborted) this.#say({ isEnd: true });
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#say({ failure: messageOf(error) });
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async #read(): Promise<void> {
    const { url, headers, origin } = this.ask;
    const here = (globalThis as { origin?: string }).origin;
    if (origin !== here) throw new Error("the worker belongs to another origin");
    const { signal } = this.#abort;
    const response = await fetch(url, { headers: headers as [string, string][], signal });
    const { status, statusText, type, body } = response;
    this.#head = { status, statusText, isCors: type === "cors", headers: [...response.headers] };
    const reader = body?.getReader();
    while (reader) {
      this.#timer ??= setTimeout(() => this.#flush(), pause);
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      this.#pieces.push(value);
      this.#bytes += value.byteLength;
      if (this.#bytes >= pieceBytes) this.#flush();
      while (this.#isAhead && !signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Hands over what has come, unless the last of it has not been used yet. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isAhead || this.#abort.signal.aborted) return;
    this.#isAhead = this.#bytes > 0;
    this.#say({});
  }

  #say(news: Omit<FetchNews, "fetched" | "head" | "piece">): void {
    const piece = this.#bytes > 0 ? joined(this.#pieces, this.#bytes) : undefined;
    const said: FetchNews = { fetched: this.ask.fetch, head: this.#head, piece, ...news };
    this.#head = undefined;
    this.#pieces = [];
    this.#bytes = 0;
    this.port.post(said, piece ? [piece] : []);
  }
}

/** Pieces in one buffer: that of the only one, where nothing else is in it. */
function joined(pieces: readonly Uint8Array<ArrayBuffer>[], bytes: number): ArrayBuffer {
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
