/**
 * Requests that workers send for the reading thread. Receiving a response body costs that thread more than
 * everything else it does for a chunk; from a worker, the body comes in one message, by transfer. The store
 * keeps control of the request: headers, retries, limits, timeouts and the interpretation of the response.
 */

import { defaultTransport } from "../store/http/fetch.js";
import type { HttpResponse, Transport, TransportRequest } from "../store/transport.js";
import type { AnyWorker } from "../util/platform.js";
import type { FetchHead, FetchProgress, FetchRequest } from "./fetching.js";

/** Number of requests that succeeded on the calling thread only, after which workers send no more. */
const maxWorkerFailures = 3;

/** Connections to the workers of a pool. */
export class FetchConnections {
  readonly #connections = new Set<FetchConnection>();
  #workerFailures = 0;

  /** @param hire ensures that workers are started; the first requests do not wait for them. */
  constructor(private readonly startWorkers: () => void) {}

  /** Opens a connection to a worker that has started. */
  open(worker: AnyWorker): FetchConnection {
    const line = new FetchConnection(
      (message) => worker.postMessage(message, []),
      () => this.#connections.delete(line),
    );
    this.#connections.add(line);
    return line;
  }

  /** Sends requests through the workers; undefined once their requests have failed too often. */
  get transport(): Transport | undefined {
    return this.#workerFailures < maxWorkerFailures && isPlainPage() ? this.#send : undefined;
  }

  /**
   * If a worker gets no response, the calling thread sends the request, too: a policy may forbid it to
   * workers and allow it to the page.
   */
  readonly #send: Transport = async (url, request) => {
    this.startWorkers();
    const line = this.#leastBusy();
    if (!line) return (await defaultTransport())(url, request);
    try {
      return await line.send(url, request);
    } catch (cause) {
      if (request.watch.signal.aborted) throw cause;
      const answer = await (await defaultTransport())(url, request);
      if (!line.isClosed) this.#workerFailures++;
      return answer;
    }
  };

  #leastBusy(): FetchConnection | undefined {
    let best: FetchConnection | undefined;
    for (const line of this.#connections)
      if (line.count < (best?.count ?? Number.POSITIVE_INFINITY)) best = line;
    return best;
  }
}

/**
 * Whether a worker's requests behave like the page's: `fetch` is not replaced, and no service worker handles
 * them, because the workers' script may be outside its scope.
 */
function isPlainPage(): boolean {
  type Host = {
    document?: unknown;
    fetch?: unknown;
    navigator?: { serviceWorker?: { controller?: unknown } };
  };
  const { document, fetch, navigator } = globalThis as Host;
  if (!document || navigator?.serviceWorker?.controller) return false;
  if (checkedFetch.fetch !== fetch) checkedFetch = { fetch, isOwn: isNativeFetch(fetch) };
  return checkedFetch.isOwn;
}

/** The last `fetch` that was checked, and whether it is the browser's. */
let checkedFetch: { readonly fetch: unknown; readonly isOwn: boolean } = { fetch: undefined, isOwn: false };

/** Bound functions and proxies have the same source text except for the name. */
const isNativeFetch = (fetch: unknown): boolean =>
  typeof fetch === "function" &&
  /^function fetch\(\)\s*\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(fetch));

/** Connection to one worker. */
export class FetchConnection {
  readonly #open = new Map<number, RemoteResponse>();
  #next = 0;
  #isClosed = false;

  /**
   * @param post sends a message to the worker.
   * @param onClosed called when the worker has ended.
   */
  constructor(
    private readonly post: (message: FetchRequest) => void,
    private readonly onClosed: () => void = () => {},
  ) {}

  /** Number of requests in flight. */
  get count(): number {
    return this.#open.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a request. Rejects if there is no response, and when the request's watch aborts. */
  send(url: URL, { headers, cache, watch: { signal } }: TransportRequest): Promise<HttpResponse> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const drop = () => {
        answer.fail(signal.reason);
        this.post({ drop: id });
      };
      const answer = new RemoteResponse(resolve, reject, {
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
      this.post({ fetch: id, url: url.href, headers: [...headers], origin, cache });
    });
  }

  /** Handles a message from the worker; true if it concerns requests. */
  receive(message: object): boolean {
    if (!("fetched" in message)) return false;
    const news = message as FetchProgress;
    this.#open.get(news.fetched)?.receive(news);
    return true;
  }

  /** Called when the worker has ended. */
  close(): void {
    this.#isClosed = true;
    this.onClosed();
    for (const answer of [...this.#open.values()]) answer.fail(new Error("the worker has ended"));
  }
}

/** Events of a response. */
interface ResponseEvents {
  /** Received pieces were consumed. */
  used(): void;
  /** The rest is no longer needed. */
  drop(): void;
  /** No more data will come. */
  ended(): void;
}

/** A response received in messages. */
class RemoteResponse implements HttpResponse {
  readonly isOwned = true;
  #head: FetchHead | undefined;
  #headers = new Map<string, string>();
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  constructor(
    private readonly resolve: (answer: HttpResponse) => void,
    private readonly reject: (cause: unknown) => void,
    private readonly events: ResponseEvents,
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

  get redirected(): boolean {
    return this.#head!.redirected;
  }

  get headers() {
    return { get: (name: string) => this.#headers.get(name.toLowerCase()) ?? null };
  }

  receive(news: FetchProgress): void {
    if (this.#end) return;
    const { head, piece, isEnd, failure } = news;
    if (!isFetchProgress(news, this.#head !== undefined)) {
      this.fail(new Error("the worker sent an invalid message"));
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
    this.reject(error); // no effect once there is a head
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

/** Whether a message is well-formed: workers of another version or other software are not trusted. */
function isFetchProgress({ head, piece, failure }: FetchProgress, hasHead: boolean): boolean {
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
