/** Sending requests: so many at a time, again where that may help, and not for ever. */

import { invalidArgument, isZarrError, networkError } from "../../util/errors.js";
import { Watch } from "../../util/idle-timeout.js";
import { Limiter } from "../../util/limiter.js";
import type { HeadersSource } from "../../util/web-types.js";
import type { MaybePromise } from "../store.js";
import type { Answer, Transport } from "../transport.js";
import { reasonOf } from "./body.js";
import { usualTransport } from "./default-transport.js";
import { fetchTransport } from "./fetch.js";
import { statusError } from "./response.js";
import { parseRetryAfter, type RetryPolicy, TransientFault, transientStatus, withRetries } from "./retry.js";

/** The headers of the caller's for a URL. */
export type HeadersFor = (url: URL) => MaybePromise<HeadersSource | undefined>;

export interface RequestOptions {
  /** Instead of the global one. */
  fetch: ((request: Request) => Promise<Response>) | undefined;
  headersFor: HeadersFor;
  policy: RetryPolicy;
  /** Milliseconds without a byte after which a request is given up. */
  timeout: number;
  concurrency: number;
}

export interface Sending {
  /** GET unless said otherwise. */
  method?: "HEAD";
  /** Value of the Range header. */
  range?: string;
  signal: AbortSignal;
  /** Instead of the usual one, where the store has no `fetch` of the caller's. */
  transport?: Transport | undefined;
  /** A fetch that fails without an answer is not tried again. */
  once?: boolean;
}

/** What is made of an answer while its request is watched. */
export type Use<T> = (answer: Answer, watch: Watch) => Promise<T>;

/** Headers of their own. @throws InvalidArgument for what are none. */
export function headersOf(given: HeadersSource | undefined): Headers {
  try {
    return new Headers(given);
  } catch (cause) {
    throw invalidArgument(`these headers cannot be sent: ${(cause as Error).message}`, { cause });
  }
}

/** True for a request that got no answer, or not all of it. */
export function isFailure(error: unknown): boolean {
  return isZarrError(error, "Network") && error.code === "fetch-failed";
}

/** Browsers do not say that a server forbids pages of other origins to read from it. */
function originHint(url: URL): string {
  const { origin } = globalThis as { origin?: string };
  if (origin === undefined || origin === url.origin) return "";
  return ` (it is down, or does not allow ${origin} to read: that needs the header Access-Control-Allow-Origin)`;
}

export class Requests {
  readonly #options: RequestOptions;
  readonly #limiter: Limiter;
  /** The caller's; without it the usual one of the moment. */
  readonly #transport: Transport | undefined;

  constructor(options: RequestOptions) {
    this.#options = options;
    this.#transport = options.fetch && fetchTransport(options.fetch);
    this.#limiter = new Limiter(options.concurrency);
  }

  /** Sends a request, again where that may help, and lets `use` make something of the answer. */
  send<T>(url: URL, sending: Sending, use: Use<T>): Promise<T> {
    const { signal } = sending;
    const attempt = () => this.#limiter.run(() => this.#attempt(url, sending, use), signal);
    return withRetries(attempt, this.#options.policy, signal);
  }

  async #attempt<T>(url: URL, sending: Sending, use: Use<T>): Promise<T> {
    const { timeout } = this.#options;
    const watch = new Watch(sending.signal, timeout);
    try {
      return await this.#answered(url, await this.#answer(url, sending, watch), watch, use);
    } catch (error) {
      if (!watch.isSilent) throw error;
      const silence = `${url.href} could not be read: nothing came for ${timeout / 1000} s`;
      throw new TransientFault(networkError(silence, { code: "timeout" }));
    } finally {
      watch.stop();
    }
  }

  async #answered<T>(url: URL, answer: Answer, watch: Watch, use: Use<T>): Promise<T> {
    watch.hear();
    try {
      if (transientStatus.has(answer.status)) {
        const retryAfter = parseRetryAfter(answer.headers.get("retry-after"));
        throw new TransientFault(statusError(url.href, answer), retryAfter);
      }
      return await use(answer, watch);
    } finally {
      answer.discard();
    }
  }

  async #answer(
    url: URL,
    { method, range, signal, transport, once }: Sending,
    watch: Watch,
  ): Promise<Answer> {
    const headers = headersOf(await this.#options.headersFor(url));
    if (range) headers.set("range", range);
    try {
      const send = this.#transport ?? transport ?? (await usualTransport());
      return await send(url, { method: method ?? "GET", headers, watch });
    } catch (cause) {
      signal.throwIfAborted();
      if (isZarrError(cause)) throw cause;
      const error = networkError(`${url} could not be read: ${reasonOf(cause)}${originHint(url)}`, {
        code: "fetch-failed",
        cause,
      });
      throw once ? error : new TransientFault(error);
    }
  }
}
