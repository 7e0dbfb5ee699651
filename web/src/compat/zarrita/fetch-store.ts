/** zarrita's FetchStore, on HttpStore. */

import { readLeased } from "../../store/buffer-lease.js";
import { handleOf } from "../../store/handle.js";
import { HttpStore } from "../../store/http/store.js";
import type { HeadersSource } from "../../util/web-types.js";
import { checkText } from "./arguments.js";
import { isSame } from "./options.js";
import type { AbsolutePath, AsyncReadable, RangeQuery } from "./types.js";

export interface FetchStoreOptions {
  /** Used instead of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Options of every request. */
  overrides?: RequestInit | undefined;
  /** Taken and not needed: suffix ranges are always tried, and there is another way where they fail. */
  useSuffixRequest?: boolean | undefined;
}

/** Options of one request. */
export type RequestOptions = Omit<RequestInit, "signal"> & { signal?: AbortSignal | null | undefined };

/** Options of one request, without its signal. */
type Init = Readonly<Record<string, unknown>>;

/** So many sets of options of single requests have a client each: what one asks for is not what another does. */
const remembered = 4;

/** A store below a URL; as HttpStore, it tries again where a server is busy and serves ranges whatever the server makes of them. */
export class FetchStore implements AsyncReadable {
  static get name(): string {
    return "FetchStore";
  }

  readonly #options: FetchStoreOptions;
  readonly #stores: { readonly init: Init; readonly store: HttpStore }[] = [];

  /** @param url looked at when it is first needed. */
  constructor(
    readonly url: string | URL,
    options: FetchStoreOptions = {},
  ) {
    this.#options = options;
    handleOf(this).lender = {
      get: FetchStore.prototype.get,
      lend: (key, asked) => {
        const { store, signal } = this.#asked(asked);
        return readLeased(store, key, { signal, version: asked.version });
      },
    };
  }

  /** @param options of this request, before those of the store: headers, credentials, a signal, … */
  async get(key: AbsolutePath, options?: RequestOptions): Promise<Uint8Array | undefined> {
    checkText(key, "a key");
    const { store, ...asked } = this.#asked(options);
    return store.get(key, asked);
  }

  /** @param options of this request, before those of the store: headers, credentials, a signal, … */
  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options?: RequestOptions,
  ): Promise<Uint8Array | undefined> {
    checkText(key, "a key");
    const { store, ...asked } = this.#asked(options);
    return store.getRange(key, range, asked);
  }

  /** Where a key is, for messages. */
  locate(key: string): string {
    return this.#storeOf({}).locate(key);
  }

  #asked(options: object = {}) {
    const { signal, version, ...init } = options as Record<string, unknown>;
    return {
      store: this.#storeOf(init),
      signal: (signal ?? undefined) as AbortSignal | undefined,
      version: version as object | undefined,
    };
  }

  #storeOf(init: Init): HttpStore {
    const given = Object.fromEntries(Object.entries(init).filter(([, value]) => value !== undefined));
    if (given["headers"])
      given["headers"] = Object.fromEntries(new Headers(given["headers"] as HeadersSource));
    const found = this.#stores.find((entry) => isSame(entry.init, given));
    if (found) return found.store;
    const store = this.#makeStore(given);
    this.#stores.push({ init: given, store });
    // The first is the one of requests without options of their own, mostly; the oldest of the others goes.
    if (this.#stores.length > remembered) this.#stores.splice(1, 1);
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
