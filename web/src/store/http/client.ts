/** Reads objects and byte ranges by URL. Concurrent reads of the same bytes share one request. */

import { SingleFlight } from "../../util/async.js";
import { lazy } from "../../util/lazy.js";
import type { ByteCacheLike } from "../cache.js";
import { BufferLender, checkRange, ownBuffer, rangeName } from "../read.js";
import type { RangeQuery, StoreGetOptions } from "../store.js";
import type { Transport } from "../transport.js";
import type { RangeReader } from "./range-reader.js";
import { type RequestOptions, Requests } from "./requests.js";
import { tooLong, Versions, WholeObjects } from "./whole-objects.js";

interface HttpClientOptions extends RequestOptions {
  /** Maximum number of bytes of one response, after all content codings. */
  maxBytes: number;
  cache: ByteCacheLike | undefined;
}

/** Also loaded with the lazy part of reading, read/part.ts. */
const ranges = lazy("byte ranges", () => import("./range-reader.js"));

type Bytes = Uint8Array | undefined;

/** Identifies an object or a range. */
const readId = (url: URL, range?: RangeQuery) => `${url.href} ${rangeName(range)}`;

/** Identifies a shared read: a response that is too long for one caller need not be for another. */
const flightId = (id: string, maxBytes: number) => `${id} ${maxBytes}`;

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

  constructor(options: HttpClientOptions) {
    this.#maxBytes = options.maxBytes;
    this.#cache = options.cache;
    this.#wholes = new WholeObjects(new Requests(options), this.#versions, options.maxBytes);
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
      this.#versions.check(version, bytes, url.href);
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
      this.#cached(cacheId, url, () => load(shared)),
    );
    if (bytes && bytes.byteLength > maxBytes) throw tooLong(url, bytes.byteLength, maxBytes);
    this.#versions.check(options.version, bytes, url.href);
    return bytes;
  }

  /** Suffix of cache entries after a write: entries from before it, and from reads that began before, have another one. */
  #writeId(url: URL): string {
    const write = this.#versions.lastWrite(url.href);
    if (write === 0) return "";
    this.#name ??= crypto.randomUUID();
    return ` ${this.#name} ${write}`;
  }

  async #cached(id: string, url: URL, load: () => Promise<Bytes>): Promise<Bytes> {
    const cache = this.#cache;
    if (!cache) return load();
    const kept = await cache.get(id);
    if (kept && !this.#versions.isOutdated(url.href, kept)) return kept;
    const bytes = await load();
    if (bytes) await cache.set(id, bytes);
    return bytes;
  }
}
