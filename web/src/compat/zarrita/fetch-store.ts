/** zarrita's FetchStore, over HttpStore. */

import { HttpStore } from "../../store/http/store.js";
import { readLeased } from "../../store/read.js";
import { lend, own, type StoreGetOptions } from "../../store/store.js";
import type { HeadersSource } from "../../util/platform.js";
import { ByOptions, checkText } from "./errors.js";
import type { AbsolutePath, AsyncReadable, RangeQuery } from "./types.js";

export interface FetchStoreOptions {
  /** Used instead of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Options of every request. */
  overrides?: RequestInit | undefined;
  /** Ignored: suffix ranges are always tried, with a fallback. */
  useSuffixRequest?: boolean | undefined;
}

/** Options of one request. */
export type RequestOptions = Omit<RequestInit, "signal"> & { signal?: AbortSignal | null | undefined };

/** A store below a URL. Retries and reads ranges as HttpStore does. */
export class FetchStore implements AsyncReadable {
  static get name(): string {
    return "FetchStore";
  }

  readonly #options: FetchStoreOptions;
  readonly #stores = new ByOptions<HttpStore>();

  /** @param url parsed by the first request. */
  constructor(
    readonly url: string | URL,
    options: FetchStoreOptions = {},
  ) {
    this.#options = options;
  }

  /** @internal */
  get [own](): Pick<FetchStore, "get"> {
    return FetchStore.prototype;
  }

  /** @internal */
  [lend](key: string, options: StoreGetOptions): Promise<Uint8Array | undefined> {
    const [store, own] = this.#storeFor(options);
    return readLeased(store, key, own);
  }

  /** @param options of this request, which override the store's: headers, credentials, a signal, … */
  async get(key: AbsolutePath, options?: RequestOptions): Promise<Uint8Array | undefined> {
    checkText(key, "a key");
    const [store, own] = this.#storeFor(options);
    return store.get(key, own);
  }

  /** @param options as for {@link get}. */
  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options?: RequestOptions,
  ): Promise<Uint8Array | undefined> {
    checkText(key, "a key");
    const [store, own] = this.#storeFor(options);
    return store.getRange(key, range, own);
  }

  /** URL of a key, for messages. */
  locate(key: string): string {
    return this.#storeFor()[0].locate(key);
  }

  /** Requests with other options have a separate client: they do not share responses. */
  #storeFor(options: RequestOptions & Omit<StoreGetOptions, "signal"> = {}): [HttpStore, StoreGetOptions] {
    const { signal, version, maxBytes, headers, ...others } = options;
    const init: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(others)) if (value !== undefined) init[name] = value;
    if (headers) init["headers"] = Object.fromEntries(new Headers(headers as HeadersSource));
    const store = this.#stores.get(init, () => this.#makeStore(init));
    return [store, { signal: signal ?? undefined, version, maxBytes }];
  }

  #makeStore({ headers: asked, ...askedInit }: RequestInit): HttpStore {
    const { fetch: ownFetch, overrides = {} } = this.#options;
    const { headers: usual, ...usualInit } = overrides;
    const headers = new Headers(usual);
    for (const [name, value] of new Headers(asked)) headers.set(name, value);
    const init = { ...usualInit, ...askedInit };
    const send = ownFetch ?? ((request: Request) => fetch(request));
    return new HttpStore(this.url, {
      fetch: Object.keys(init).length > 0 ? (request) => send(new Request(request, init)) : send,
      headers,
    });
  }
}
