/** zarrita's FetchStore, over HttpStore. */

import { HttpStore } from "../../store/http/store.js";
import { readLeased } from "../../store/read.js";
import { lend, own, type StoreGetOptions } from "../../store/store.js";
import type { HeadersSource } from "../../util/platform.js";
import { checkText, isSame } from "./errors.js";
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

/** Options of one request, without its signal. */
type Init = Readonly<Record<string, unknown>>;

/** Maximum number of option sets with their own client: responses to different options are not shared. */
const maxStores = 4;

/** A store below a URL. Retries and reads ranges as HttpStore does. */
export class FetchStore implements AsyncReadable {
  static get name(): string {
    return "FetchStore";
  }

  readonly #options: FetchStoreOptions;
  readonly #stores: { readonly init: Init; readonly store: HttpStore }[] = [];

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
    const { store, signal } = this.#asked(options);
    return readLeased(store, key, { signal, version: options.version });
  }

  /** @param options of this request, which override the store's: headers, credentials, a signal, … */
  async get(key: AbsolutePath, options?: RequestOptions): Promise<Uint8Array | undefined> {
    checkText(key, "a key");
    const { store, ...asked } = this.#asked(options);
    return store.get(key, asked);
  }

  /** @param options of this request, which override the store's: headers, credentials, a signal, … */
  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options?: RequestOptions,
  ): Promise<Uint8Array | undefined> {
    checkText(key, "a key");
    const { store, ...asked } = this.#asked(options);
    return store.getRange(key, range, asked);
  }

  /** URL of a key, for messages. */
  locate(key: string): string {
    return this.#storeFor({}).locate(key);
  }

  #asked(options: object = {}) {
    const { signal, version, ...init } = options as Record<string, unknown>;
    return {
      store: this.#storeFor(init),
      signal: (signal ?? undefined) as AbortSignal | undefined,
      version: version as object | undefined,
    };
  }

  #storeFor(init: Init): HttpStore {
    const given = Object.fromEntries(Object.entries(init).filter(([, value]) => value !== undefined));
    if (given["headers"])
      given["headers"] = Object.fromEntries(new Headers(given["headers"] as HeadersSource));
    const found = this.#stores.find((entry) => isSame(entry.init, given));
    if (found) return found.store;
    const store = this.#makeStore(given);
    this.#stores.push({ init: given, store });
    // Drops the oldest but the first, which usually serves requests without options.
    if (this.#stores.length > maxStores) this.#stores.splice(1, 1);
    return store;
  }

  #makeStore(given: RequestInit): HttpStore {
    const { fetch: ownFetch, overrides = {} } = this.#options;
    const { headers: usual, ...usualInit } = overrides;
    const { headers: asked, ...askedInit } = given;
    const headers = new Headers(usual);
    new Headers(asked).forEach((value, name) => {
      headers.set(name, value);
    });
    const init = { ...usualInit, ...askedInit };
    const send = ownFetch ?? ((request: Request) => fetch(request));
    return new HttpStore(this.url, {
      fetch: Object.keys(init).length > 0 ? (request) => send(new Request(request, init)) : send,
      headers,
    });
  }
}
