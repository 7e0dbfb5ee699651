/**
 * Requests that workers send for the thread that reads. The body of an answer costs the thread that reads it more than
 * all else that is to be done for a chunk; from a worker it comes in one message, and by transfer. Everything that makes
 * a request a read stays with the store: its headers, retries, limits, patience, and what it makes of the answer.
 */

import { defaultTransport } from "../store/http/fetch.js";
import type { Answer, Transport, TransportRequest } from "../store/transport.js";
import type { AnyWorker } from "../util/platform.js";
import type { FetchHead, FetchNews, FetchRequest } from "./fetch-messages.js";

/** So many requests answered to the calling thread that were not to a worker, and workers send none any more. */
const maxRefusals = 3;

/** The ways to the workers of a pool. */
export class FetchLines {
  readonly #lines = new Set<FetchLine>();
  #refusals = 0;

  /** @param hire sees to it that there are workers: the first requests do not wait for them */
  constructor(private readonly hire: () => void) {}

  /** Opens the way to a worker that has started. */
  open(worker: AnyWorker): FetchLine {
    const line = new FetchLine(
      (message) => worker.postMessage(message, []),
      () => this.#lines.delete(line),
    );
    this.#lines.add(line);
    return line;
  }

  /** What sends requests by way of the workers; undefined once they have turned out to get no answers. */
  get transport(): Transport | undefined {
    return this.#refusals < maxRefusals && isPlainPage() ? this.#send : undefined;
  }

  /** Where a worker gets no answer, the calling thread asks, too: a policy may forbid it what it allows the page. */
  readonly #send: Transport = async (url, request) => {
    this.hire();
    const line = this.#leastBusy();
    if (!line) return (await defaultTransport())(url, request);
    try {
      return await line.send(url, request);
    } catch (cause) {
      if (request.watch.signal.aborted) throw cause;
      const answer = await (await defaultTransport())(url, request);
      if (!line.isClosed) this.#refusals++;
      return answer;
    }
  };

  #leastBusy(): FetchLine | undefined {
    let best: FetchLine | undefined;
    for (const line of this.#lines) if (line.count < (best?.count ?? Number.POSITIVE_INFINITY)) best = line;
    return best;
  }
}

/**
 * True in a page whose requests go where a worker's go: nothing stands in the place of its `fetch`, and no service
 * worker answers them, whose scope may not hold the workers' script.
 */
function isPlainPage(): boolean {
  type Host = {
    document?: unknown;
    fetch?: unknown;
    navigator?: { serviceWorker?: { controller?: unknown } };
  };
  const { document, fetch, navigator } = globalThis as Host;
  if (!document || navigator?.serviceWorker?.controller) return false;
  if (judged.fetch !== fetch) judged = { fetch, isOwn: isBrowsers(fetch) };
  return judged.isOwn;
}

/** Which function was looked at last, and whether it is the browser's. */
let judged: { readonly fetch: unknown; readonly isOwn: boolean } = { fetch: undefined, isOwn: false };

/** Bound functions and proxies look alike, but for the name. */
const isBrowsers = (fetch: unknown): boolean =>
  typeof fetch === "function" &&
  /^function fetch\(\)\s*\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(fetch));

/** The way to one worker. */
export class FetchLine {
  readonly #open = new Map<number, RemoteAnswer>();
  #next = 0;
  #isClosed = false;

  /**
   * @param post says something to the worker
   * @param onClosed called when the worker is gone
   */
  constructor(
    private readonly post: (message: FetchRequest) => void,
    private readonly onClosed: () => void = () => {},
  ) {}

  /** Requests under way. */
  get count(): number {
    return this.#open.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Has a request sent. Rejects where no answer came, and at the end of the request's watch. */
  send(url: URL, { headers, watch: { signal } }: TransportRequest): Promise<Answer> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const drop = () => {
        answer.fail(signal.reason);
        this.post({ drop: id });
      };
      const answer = new RemoteAnswer(resolve, reject, {
        used: () => this.post({ more: id }),
        drop,
        ended: () => {
          signal.removeEventListener("abort", drop);
          this.#open.delete(id);
        },
      });
      this.#open.set(id, answer);
      if (signal.aborted) return drop();
      signal.addEventListener("abort", drop, { once: true });
      const { origin } = globalThis as { origin?: string };
      this.post({ fetch: id, url: url.href, headers: [...headers], origin });
    });
  }

  /** Takes what the worker says; true for what is about requests. */
  hear(message: object): boolean {
    if (!("fetched" in message)) return false;
    const news = message as FetchNews;
    this.#open.get(news.fetched)?.hear(news);
    return true;
  }

  /** The worker is gone. */
  close(): void {
    this.#isClosed = true;
    this.onClosed();
    for (const answer of [...this.#open.values()]) answer.fail(new Error("the worker has ended"));
  }
}

/** What an answer does besides answering. */
interface AnswerEvents {
  /** Pieces have been used up. */
  used(): void;
  /** The rest is not wanted. */
  drop(): void;
  /** Nothing more will come. */
  ended(): void;
}

/** An answer that comes in messages. */
class RemoteAnswer implements Answer {
  #head: FetchHead | undefined;
  #headers = new Map<string, string>();
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  constructor(
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (cause: unknown) => void,
    private readonly events: AnswerEvents,
  ) {}

  get status(): number {
    return this.#head!.status;
  }

  get statusText(): string {
    return this.#head!.statusText;
  }

  get isCors(): boolean {
    return this.#head!.isCors;
  }

  get headers() {
    return { get: (name: string) => this.#headers.get(name.toLowerCase()) ?? null };
  }

  hear(news: FetchNews): void {
    if (this.#end) return;
    const { head, piece, isEnd, failure } = news;
    if (!isNews(news, this.#head !== undefined)) {
      this.fail(new Error("the worker says something else"));
      return;
    }
    if (head) {
      this.#head = head;
      this.#headers = new Map(head.headers);
    }
    if (piece) this.#pieces.push(new Uint8Array(piece));
    if (failure !== undefined) this.fail(new TypeError(failure));
    else if (isEnd) this.#finish({});
    if (head) this.resolve(this);
    this.#wake();
  }

  fail(error: unknown): void {
    if (this.#end) return;
    this.#finish({ error });
    this.reject(error); // without effect once there is a head
    this.#wake();
  }

  async read(take: (piece: Uint8Array) => boolean): Promise<void> {
    for (;;) {
      for (let piece = this.#pieces.shift(); piece; piece = this.#pieces.shift()) {
        if (!take(piece)) return this.discard();
        if (!this.#end) this.events.used();
      }
      if (this.#end) {
        if ("error" in this.#end) throw this.#end.error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  discard(): void {
    if (!this.#end) this.events.drop();
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end = end;
    this.events.ended();
  }
}

/** Whether a worker says what ours do: one of another version, or of somebody else's, is not believed. */
function isNews({ head, piece, failure }: FetchNews, hasHead: boolean): boolean {
  if (failure !== undefined) return typeof failure === "string";
  if (piece !== undefined && !(piece instanceof ArrayBuffer)) return false;
  return head === undefined ? hasHead : isHead(head);
}

function isHead(head: FetchHead | null): boolean {
  return (
    typeof head?.status === "number" &&
    typeof head.statusText === "string" &&
    Array.isArray(head.headers) &&
    head.headers.every((entry) => Array.isArray(entry) && entry.length === 2 && entry.every(isText))
  );
}

const isText = (value: unknown): boolean => typeof value === "string";
