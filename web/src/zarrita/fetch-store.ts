/** zarrita's FetchStore, on HttpStore. */
import { HttpStore } from "../store/http.js";
import type { AbsolutePath, AsyncReadable, GetBytesOptions, RangeQuery } from "./types.js";

export interface FetchStoreOptions {
  /** Used instead of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Options of every request. */
  overrides?: RequestInit | undefined;
  /** Taken and not needed: suffix ranges are always tried, and there is another way where they fail. */
  useSuffixRequest?: boolean | undefined;
}

/** A store below a URL; as HttpStore, it tries again where a server is busy and serves ranges whatever the server makes of them. */
export class FetchStore implements AsyncReadable {
  readonly #store: HttpStore;

  constructor(
    readonly url: string | URL,
    options: FetchStoreOptions = {},
  ) {
    const { headers, ...init } = options.overrides ?? {};
    const send = options.fetch ?? ((request: Request) => fetch(request));
    const hasInit = Object.keys(init).length > 0;
    this.#store = new HttpStore(url, {
      fetch: hasInit ? (request) => send(new Request(request, init)) : send,
      headers,
    });
  }

  get(key: AbsolutePath, options?: GetBytesOptions): Promise<Uint8Array | undefined> {
    return this.#store.get(key, { signal: options?.signal });
  }

  getRange(key: AbsolutePath, range: RangeQuery, options?: GetBytesOptions): Promise<Uint8Array | undefined> {
    return this.#store.getRange(key, range, { signal: options?.signal });
  }

  /** Where a key is, for messages. */
  locate(key: string): string {
    return this.#store.locate(key);
  }
}
