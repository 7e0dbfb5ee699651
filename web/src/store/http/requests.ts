/** Sends requests with bounded concurrency, retries and timeouts. */

import { IdleTimeout, Limiter } from "../../util/async.js";
import { invalidArgument, isError, isZarrError, networkError } from "../../util/errors.js";
import type { HeadersSource } from "../../util/platform.js";
import type { MaybePromise } from "../store.js";
import { type HttpResponse, sleep, type Transport, transientStatus } from "../transport.js";
import { defaultTransport, fetchTransport } from "./fetch.js";
import type { PersistentCache } from "./persistent-cache.js";
import { failureReason, isRead, statusError, TransientFault } from "./response.js";

/** Returns the caller's headers for a URL. */
export type HeadersFor = (url: URL) => MaybePromise<HeadersSource | undefined>;

export interface RetryPolicy {
  /** Number of attempts after the first one. */
  retries: number;
  /** First pause in milliseconds; doubles each time. */
  delay: number;
  /** Maximum pause in milliseconds, also if the server asks for a longer one. */
  maxDelay: number;
}

export interface RequestOptions {
  /** Replaces the default transport. */
  fetch: ((request: Request) => Promise<Response>) | undefined;
  headersFor: HeadersFor;
  policy: RetryPolicy;
  /** Milliseconds without a byte after which a request fails. */
  timeout: number;
  concurrency: number;
  /** Further statuses that mean "no object under this key". */
  missing: ReadonlySet<number>;
  /** Answers requests that read. */
  persistentCache?: Pick<PersistentCache, "respond"> | undefined;
}

export interface Sending {
  /** Default: GET. */
  method?: "GET" | "HEAD" | "PUT" | "DELETE";
  /** Headers in addition to the caller's. */
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
  /** Replaces the default transport, unless the store has the option `fetch`. */
  transport?: Transport | undefined;
  /** Does not retry if there is no response. */
  once?: boolean;
}

/** Reads a response while its request is watched. */
type Use<T> = (answer: HttpResponse, watch: IdleTimeout) => Promise<T>;

/** Minimum upload speed in bytes per millisecond. Servers send nothing before the end of an upload. */
const minUploadSpeed = 64;

/** Observed capabilities of a server. */
export interface Server {
  /** Whether it supports suffix ranges; undefined until that is known. */
  suffix: boolean | undefined;
  /** Number of suffix requests without a response, as if CORS forbids them. */
  suffixFaults: number;
  /** Whether it answers range requests with whole objects. */
  ignoresRanges: boolean;
}

/** Sends requests to servers and remembers what the servers can do. */
export class Requests {
  readonly #options: RequestOptions;
  readonly #limiter: Limiter;
  /** By the caller's `fetch`. */
  readonly #transport: Transport | undefined;
  /** By origin. */
  readonly #servers = new Map<string, Server>();

  constructor(options: RequestOptions) {
    this.#options = options;
    this.#transport = options.fetch && fetchTransport(options.fetch);
    this.#limiter = new Limiter(options.concurrency);
  }

  server({ origin }: URL): Server {
    let server = this.#servers.get(origin);
    if (!server) {
      server = { suffix: undefined, suffixFaults: 0, ignoresRanges: false };
      this.#servers.set(origin, server);
    }
    return server;
  }

  /** Sends a request, with retries, and passes the response to `use`. */
  send<T>(url: URL, sending: Sending, use: Use<T>): Promise<T> {
    return this.retried(() => this.attempt(url, sending, use), sending.signal);
  }

  /** Repeats an attempt while it fails with a {@link TransientFault}. @param limiter bounds the attempts in flight. */
  retried<T>(attempt: () => Promise<T>, signal: AbortSignal, limiter = this.#limiter): Promise<T> {
    return withRetries(() => limiter.run(attempt, signal), this.#options.policy, signal);
  }

  /** Sends a request once. @throws TransientFault for a failure that a retry may overcome; what `use` throws. */
  async attempt<T>(url: URL, sending: Sending, use: Use<T>): Promise<T> {
    const { body, method = "GET", signal } = sending;
    const timeout = this.#options.timeout + (body?.byteLength ?? 0) / minUploadSpeed;
    const watch = new IdleTimeout(signal, timeout);
    const failed = `${url.href} ${isRead(method) ? "could not be read" : `did not respond to ${method}`}:`;
    try {
      const answer = await this.#answer(url, sending, watch, failed);
      watch.restart();
      try {
        if (transientStatus.has(answer.status)) {
          const retryAfter = parseRetryAfter(answer.headers.get("retry-after"));
          throw new TransientFault(statusError(url.href, answer), retryAfter);
        }
        return await use(this.#options.missing.has(answer.status) ? absent(answer) : answer, watch);
      } finally {
        answer.discard();
      }
    } catch (error) {
      if (!watch.isExpired) throw error;
      const silence = `${failed} no data for ${Math.ceil(timeout) / 1000} s`;
      throw new TransientFault(networkError(silence, { code: "timeout" }));
    } finally {
      watch.stop();
    }
  }

  async #answer(
    url: URL,
    { method = "GET", headers: own = {}, body, signal, transport, once }: Sending,
    watch: IdleTimeout,
    failed: string,
  ): Promise<HttpResponse> {
    const headers = copyHeaders(await this.#options.headersFor(url));
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    try {
      const send = this.#transport ?? transport ?? (await defaultTransport());
      const request = { method, headers, watch, ...(body && { body }) };
      return await (this.#options.persistentCache?.respond(send, url, request) ?? send(url, request));
    } catch (cause) {
      signal.throwIfAborted();
      if (isZarrError(cause)) throw cause;
      const error = networkError(`${failed} ${failureReason(cause)}${originHint(url)}`, {
        code: "fetch-failed",
        cause,
      });
      throw once ? error : new TransientFault(error);
    }
  }
}

/** Returns a response as if its object were missing. */
const absent = ({ isCors, headers }: HttpResponse): HttpResponse => ({
  ...{ status: 404, statusText: "", isCors, headers },
  read: async () => {},
  discard() {},
});

/** Returns a copy of headers. @throws InvalidArgument for invalid ones. */
export function copyHeaders(given: HeadersSource | undefined): Headers {
  try {
    return new Headers(given);
  } catch (cause) {
    throw invalidArgument(`invalid headers: ${(cause as Error).message}`, { cause });
  }
}

/** Whether a request failed without a complete response. */
export function isFailure(error: unknown): boolean {
  return isZarrError(error, "Network") && error.code === "fetch-failed";
}

/** Browsers hide that CORS forbids a request. */
function originHint(url: URL): string {
  const { origin } = globalThis as { origin?: string };
  if (origin === undefined || origin === url.origin) return "";
  return ` (it is down, or does not allow ${origin} to read: that needs the header Access-Control-Allow-Origin)`;
}

/** Returns the retry policy of a store. @throws InvalidArgument for options out of range. */
export function retryPolicy(options: {
  retries?: number | undefined;
  retryDelay?: number | undefined;
  maxRetryDelay?: number | undefined;
}): RetryPolicy {
  const { retries = 3, retryDelay: delay = 250, maxRetryDelay: maxDelay = 10_000 } = options;
  const policy = { retries, delay, maxDelay };
  if (!Number.isSafeInteger(retries) || retries < 0 || !(delay >= 0) || !(maxDelay >= 0)) {
    throw invalidArgument(`not a retry policy: ${JSON.stringify(policy)}`);
  }
  return policy;
}

/**
 * Repeats an attempt as long as it throws a {@link TransientFault}.
 * @throws what the attempt throws, for a TransientFault the error in it; the signal's reason.
 */
async function withRetries<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (fault) {
      signal.throwIfAborted();
      if (!isError(fault) || !(fault instanceof TransientFault)) throw fault;
      if (tries >= policy.retries) throw fault.error;
      await sleep(pauseBefore(tries, fault, policy), signal);
    }
  }
}

/** Random within half of an exponentially growing pause, so that clients do not retry at the same time. */
function pauseBefore(tries: number, { retryAfter = 0 }: TransientFault, policy: RetryPolicy): number {
  const backoff = policy.delay * 2 ** tries * (0.5 + Math.random() / 2);
  return Math.min(policy.maxDelay, Math.max(backoff, retryAfter));
}

/** Returns the milliseconds of a Retry-After header, which has seconds or a date; undefined for anything else. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
