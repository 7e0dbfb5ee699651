/** Reading a store over HTTP(S). */
import { isZarrError, limitExceeded, networkError } from "../errors.js";
import { defaultLimits } from "../limits.js";
import type { GetOptions, Store } from "./store.js";

export interface HttpStoreOptions {
  /** Used instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Sent with every request. */
  headers?: HeadersInit;
  /** Most bytes of one answer; longer ones are LimitExceeded. */
  maxBytes?: number;
}

/** Answers that mean "there is nothing under this key". Nothing else ever does. */
const missing = new Set([404, 410]);

/**
 * A store below a URL: the key "/a/b" is the object at `<url>/a/b`. A query in the URL (a signature,
 * say) goes with every request.
 *
 * Only the answers 404 and 410 mean "missing"; every other failure throws a Network error with the
 * status, and an aborted request throws the signal's reason.
 */
export class HttpStore implements Store {
  readonly url: URL;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #headers: HeadersInit | undefined;
  readonly #maxBytes: number;

  constructor(url: string | URL, options: HttpStoreOptions = {}) {
    this.url = new URL(url);
    this.#fetch = options.fetch ?? ((request) => fetch(request));
    this.#headers = options.headers;
    this.#maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
  }

  async get(key: string, { signal }: GetOptions = {}): Promise<Uint8Array | undefined> {
    const response = await this.#request(key, signal);
    if (missing.has(response.status)) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw networkError(`${this.#urlOf(key)} answered ${response.status} ${response.statusText}`.trimEnd(), {
        code: "http-status",
        status: response.status,
      });
    }
    return this.#body(key, response, signal);
  }

  locate(key: string): string {
    return String(this.#urlOf(key));
  }

  /** The URL of a key: each segment percent-encoded, so that no key can name another host or a query. */
  #urlOf(key: string): URL {
    const url = new URL(this.url);
    const path = key.split("/").map(encodeURIComponent).join("/");
    url.pathname = url.pathname.replace(/\/$/, "") + path;
    return url;
  }

  async #request(key: string, signal: AbortSignal | undefined): Promise<Response> {
    const url = this.#urlOf(key);
    signal?.throwIfAborted();
    const init: RequestInit = signal ? { signal } : {};
    if (this.#headers) init.headers = this.#headers;
    try {
      return await this.#fetch(new Request(url, init));
    } catch (cause) {
      throw this.#failure(url, cause, signal);
    }
  }

  async #body(key: string, response: Response, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const announced = Number(response.headers.get("content-length") ?? 0);
    if (announced > this.#maxBytes) {
      await response.body?.cancel();
      throw limitExceeded(
        `${this.#urlOf(key)} has ${announced} bytes, more than the limit of ${this.#maxBytes}`,
      );
    }
    try {
      // A body without Content-Length, or a compressed one, can grow past what was announced.
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.byteLength > this.#maxBytes) {
        throw limitExceeded(`${this.#urlOf(key)} has more bytes than the limit of ${this.#maxBytes}`);
      }
      return bytes;
    } catch (cause) {
      throw this.#failure(this.#urlOf(key), cause, signal);
    }
  }

  #failure(url: URL, cause: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (isZarrError(cause)) return cause;
    const reason =
      cause instanceof Error
        ? cause.cause instanceof Error
          ? cause.cause.message
          : cause.message
        : String(cause);
    return networkError(`${url} could not be read: ${reason}`, { code: "fetch-failed", cause });
  }
}
