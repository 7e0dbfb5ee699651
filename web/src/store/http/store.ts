/** Stores over HTTP(S). */
import { checkConstructor, type OptionNames } from "../../util/arguments.js";
import { checkTimeout, defaultTimeout, SingleFlight } from "../../util/async.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import { lazy } from "../../util/lazy.js";
import { defaultLimits } from "../../util/limits.js";
import type { HeadersSource } from "../../util/platform.js";
import { addInspection, publicUrl } from "../../util/symbol-methods.js";
import type { ByteCacheLike } from "../cache.js";
import { encodeKey } from "../path.js";
import { BufferLender, checkRange, ownBuffer, RangedStore, rangeName } from "../read.js";
import {
  lend,
  type ObjectVersion,
  type OwnStore,
  own,
  type RangeQuery,
  type Store,
  type StoreGetOptions,
} from "../store.js";
import type { Transport } from "../transport.js";
import type { PersistentCache } from "./persistent-cache.js";
import type { RangeReader } from "./range-reader.js";
import { type HeadersFor, type RequestOptions, Requests, retryPolicy } from "./requests.js";
import { tooLong, Versions, WholeObjects } from "./whole-objects.js";

export interface HttpStoreOptions {
  /**
   * Sends the requests. Default: in Node its HTTP client, unless the global `fetch` has been replaced after this library
   * was loaded; elsewhere the global `fetch`. Pass `fetch: globalThis.fetch` in Node to use undici's dispatchers.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Sent with every request to the store's own origin. After a redirect to another origin they are removed, except in
   * browsers, which decide that themselves.
   */
  headers?: HeadersSource | undefined;
  /** Maximum number of bytes of one response, after content codings. Default: 2 GiB. Longer ones are LimitExceeded. */
  maxBytes?: number | undefined;
  /** Number of retries after 408, 429, 500, 502, 503, 504 and broken connections. Default: 3. */
  retries?: number | undefined;
  /** First pause before a retry, in milliseconds; doubles each time. Default: 250. */
  retryDelay?: number | undefined;
  /** Maximum pause in milliseconds, also if Retry-After asks for a longer one. Default: 10 000. */
  maxRetryDelay?: number | undefined;
  /**
   * Milliseconds without a byte of the response after which a request fails and is retried. Default: 60 000. `Infinity`
   * disables it.
   */
  timeout?: number | undefined;
  /** Maximum number of concurrent requests. Default: 32. */
  concurrency?: number | undefined;
  /**
   * Further statuses, in addition to 404 and 410, that mean "no object under this key": 401, 403 or both. For
   * buckets without permission to list, which respond with 403 to missing keys: `missing: [403]`. Default: none,
   * because missing chunks read as fill values, and so does every chunk once a token has expired. Does not affect
   * writes and listings.
   */
  missing?: readonly (401 | 403)[] | undefined;
  /** Caches bytes by URL and range: a `ByteCache`, or any object with `get` and `set`. Default: no cache. */
  cache?: ByteCacheLike | undefined;
  /**
   * Keeps responses for later visits: see docs/caching.md. Not used with the option `fetch`, whose requests may have
   * credentials, unless that is the global `fetch`. Default: none.
   */
  persistentCache?: PersistentCache | undefined;
}

/** Options of `HttpStore`. */
export const httpOptions: OptionNames<HttpStoreOptions> = {
  fetch: true,
  headers: true,
  maxBytes: true,
  retries: true,
  retryDelay: true,
  maxRetryDelay: true,
  timeout: true,
  concurrency: true,
  missing: true,
  cache: true,
  persistentCache: true,
};

/**
 * A store below a URL: the key "/a/b" is the object at `<url>/a/b`. Every request has the query of the URL, such as a
 * signature.
 *
 * Only 404 and 410 mean "missing", unless `missing` names more. Every other failure throws a Network error with the status, and an aborted request
 * throws the signal's reason. Ranges work with servers that do not support them: see docs/stores.md.
 */
export class HttpStore extends RangedStore implements OwnStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "HttpStore";
  }

  readonly url: URL;
  readonly #client: HttpClient;
  /** @internal */
  readonly options: HttpStoreOptions;

  /** @throws InvalidArgument for options that are out of range. */
  constructor(url: string | URL, options: HttpStoreOptions = {}) {
    checkConstructor(options, "store", httpOptions);
    super();
    this.url = parseUrl(url);
    this.#client = new HttpClient(options);
    this.options = options;
    addInspection(this, () => ({ url: publicUrl(this.url) }));
  }

  /** @internal */
  get [own](): Pick<Store, "get"> {
    return HttpStore.prototype;
  }

  /** @internal */
  [lend](key: string, options: StoreGetOptions, transport?: Transport): Promise<Uint8Array | undefined> {
    return this.#client.lend(this.#objectUrl(key), options, transport);
  }

  /** @internal */
  async readPart(
    key: string,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    const url = this.#objectUrl(key);
    return range ? this.#client.getRange(url, range, options) : this.#client.get(url, options);
  }

  /** Drops cached bytes of an object that has changed. */
  invalidate(key: string): void {
    const url = this.#objectUrl(key);
    this.#client.invalidate(url);
    this.options.persistentCache?.forget(url);
  }

  locate(key: string): string {
    return String(this.#objectUrl(key));
  }

  #objectUrl(key: string): URL {
    const url = new URL(this.url);
    url.pathname = url.pathname.replace(/\/$/, "") + encodeKey(key);
    return url;
  }
}

/** Returns the options of requests with defaults. */
export function requestOptions(options: HttpStoreOptions, headersFor: HeadersFor): RequestOptions {
  return {
    fetch: options.fetch,
    headersFor,
    policy: retryPolicy(options),
    timeout: checkTimeout(options.timeout ?? defaultTimeout),
    concurrency: options.concurrency ?? 32,
    missing: missingStatuses(options.missing ?? []),
    persistentCache: cacheFor(options),
  };
}

/** Returns the persistent cache, unless the requests may have credentials that this library does not see. */
function cacheFor({ cache, persistentCache, fetch }: HttpStoreOptions): PersistentCache | undefined {
  if (cache && typeof cache.get !== "function")
    throw invalidArgument(`cache must be a ByteCache, not ${describeValue(cache)}`);
  if (persistentCache && !persistentCache.respond)
    throw invalidArgument(`persistentCache must be a PersistentCache, not ${describeValue(persistentCache)}`);
  return !fetch || fetch === globalThis.fetch ? persistentCache : undefined;
}

function missingStatuses(statuses: readonly number[]): ReadonlySet<number> {
  if (Array.isArray(statuses) && statuses.every((status) => status === 401 || status === 403))
    return new Set(statuses);
  throw invalidArgument(`missing must be a list of 401 and 403, got ${describeValue(statuses)}`);
}

function parseUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw invalidArgument(`"${String(url).slice(0, 200)}" is not a URL`, { cause });
  }
}

/** Also loaded with the lazy part of reading, read/part.ts. */
const ranges = lazy("byte ranges", () => import("./range-reader.js"));

type Bytes = Uint8Array | undefined;

/** Identifies an object or a range. */
const readId = (url: URL, range?: RangeQuery) => `${url.href} ${rangeName(range)}`;

/** Identifies a shared read: a response that is too long for one caller need not be for another. */
const flightId = (id: string, maxBytes: number) => `${id} ${maxBytes}`;

/** Reads objects and byte ranges by URL. Concurrent reads of the same bytes share one request. */
export class HttpClient {
  readonly #maxBytes: number;
  readonly #cache: ByteCacheLike | undefined;
  readonly #flights = new SingleFlight<Bytes>();
  readonly #versions = new Versions();
  readonly #wholes: WholeObjects;
  #ranges: RangeReader | undefined;
  readonly #lender = new BufferLender();
  /** Distinguishes this client in a cache that outlives it. */
  #name: string | undefined;

  /** @param headersFor returns the headers for a URL. Default: those of the options. */
  constructor(options: HttpStoreOptions, headersFor: HeadersFor = () => options.headers) {
    const requests = new Requests(requestOptions(options, headersFor));
    this.#maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
    this.#cache = options.cache;
    this.#wholes = new WholeObjects(requests, this.#versions, this.#maxBytes);
  }

  /** Reads a whole object; undefined if it is missing. */
  async get(url: URL, options: StoreGetOptions = {}): Promise<Bytes> {
    const maxBytes = this.#limit(options);
    const bytes = await this.#read(url, undefined, options, (signal) =>
      this.#wholes.read(url, signal, { maxBytes }),
    );
    return bytes && ownBuffer(bytes); // it may come from a concurrent `lend`
  }

  /** Reads a whole object. The bytes are lent unless another caller reads them too: see store/read.ts. */
  async lend(url: URL, options: StoreGetOptions, transport?: Transport): Promise<Bytes> {
    if (this.#cache) return this.get(url, options);
    const { signal, version } = options;
    const reading = { maxBytes: this.#limit(options), bufferPool: this.#lender.pool, transport };
    return this.#lender.run(async () => {
      const load = (shared: AbortSignal) => this.#wholes.read(url, shared, reading);
      const id = flightId(readId(url), reading.maxBytes);
      const { result: bytes, isShared } = await this.#flights.join(id, signal, load);
      this.#check(url, version, bytes);
      return bytes && !isShared ? this.#lender.lend(bytes) : bytes;
    });
  }

  /** Reads a range; undefined if the object is missing. Returns fewer bytes only at the object's end. */
  async getRange(url: URL, range: RangeQuery, options: StoreGetOptions = {}): Promise<Bytes> {
    checkRange(range);
    return this.#read(url, range, options, async (signal) => {
      const module = await ranges();
      this.#ranges ??= new module.RangeReader(this.#wholes);
      return this.#ranges.read(url, range, signal);
    });
  }

  /** Drops cached bytes of an object that has been written. Later reads request it. */
  invalidate(url: URL): void {
    this.#versions.recordWrite(url.href);
    this.#wholes.forget(url);
    this.#flights.leave(`${url.href} `);
  }

  /** @throws Network ("changed") for another version than before. Later reads are not answered with cached bytes then. */
  #check(url: URL, version: ObjectVersion | undefined, bytes: Bytes): void {
    try {
      this.#versions.check(version, bytes, url.href);
    } catch (error) {
      this.invalidate(url);
      throw error;
    }
  }

  #limit({ maxBytes = Number.POSITIVE_INFINITY }: StoreGetOptions): number {
    return Math.min(maxBytes, this.#maxBytes);
  }

  /** Reads through the cache, shares concurrent reads, and checks the version. */
  async #read(
    url: URL,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
    load: (signal: AbortSignal) => Promise<Bytes>,
  ): Promise<Bytes> {
    const [id, maxBytes] = [readId(url, range), this.#limit(options)];
    const cacheId = id + this.#writeId(url);
    const bytes = await this.#flights.run(flightId(id, maxBytes), options.signal, (shared) =>
      this.#cached(cacheId, () => load(shared)),
    );
    if (bytes && bytes.byteLength > maxBytes) throw tooLong(url, bytes.byteLength, maxBytes);
    this.#check(url, options.version, bytes);
    return bytes;
  }

  /** Suffix of cache entries after a write: entries from before it, and from reads that began before, have another one. */
  #writeId(url: URL): string {
    const write = this.#versions.lastWrite(url.href);
    if (write === 0) return "";
    this.#name ??= String(Math.random());
    return ` ${this.#name} ${write}`;
  }

  async #cached(id: string, load: () => Promise<Bytes>): Promise<Bytes> {
    const kept = await this.#cache?.get(id);
    if (kept) return kept;
    const bytes = await load();
    if (bytes) await this.#cache?.set(id, bytes);
    return bytes;
  }
}
