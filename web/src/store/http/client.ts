/** Objects and parts of them by URL: each read once for all who ask for it, and of one version. */
import { BufferPool } from "../../util/buffer-pool.js";
import { SingleFlight } from "../../util/single-flight.js";
import { alone, leaseBytes } from "../buffer-lease.js";
import type { ByteCacheLike } from "../cache.js";
import { checkRange, rangeName } from "../ranges.js";
import type { GetOptions, RangeQuery } from "../store.js";
import type { Transport } from "../transport.js";
import { Servers } from "./capabilities.js";
import type { Fallback, Shared } from "./fallback.js";
import { readLast } from "./last-bytes.js";
import { readAt } from "./offset-ranges.js";
import { RangeFallbacks } from "./range-fallbacks.js";
import { type RequestOptions, Requests } from "./requests.js";
import { Versions } from "./versions.js";
import { tooLong, WholeObjects } from "./whole-objects.js";

interface HttpClientOptions extends RequestOptions {
  /** Most bytes of one answer, after all content codings. */
  maxBytes: number;
  cache: ByteCacheLike | undefined;
}

type Bytes = Uint8Array | undefined;

/** What reads have in common that ask for the same. */
const readId = (url: URL, range?: RangeQuery) => `${url.href} ${rangeName(range)}`;

/** Reads objects by URL. */
export class HttpClient {
  readonly #cache: ByteCacheLike | undefined;
  readonly #flights = new SingleFlight<Bytes>();
  readonly #shared: Shared;
  /** Helps with the servers that do not serve parts as asked, once there has been one. */
  #fallback: Fallback | undefined;
  /** Memory that was lent and has come back, while more is being read. */
  readonly #bufferPool = new BufferPool();
  #lending = 0;
  #name: string | undefined;

  constructor(options: HttpClientOptions) {
    const { maxBytes, cache } = options;
    const [requests, versions] = [new Requests(options), new Versions()];
    const fallback = () => this.#fallbacks();
    this.#cache = cache;
    this.#shared = {
      requests,
      versions,
      servers: new Servers(),
      wholes: new WholeObjects(requests, versions, fallback),
      maxBytes,
      doubtful: new WeakSet(),
      fallback,
    };
  }

  /** Reads a whole object; undefined where there is none. */
  async get(url: URL, options: GetOptions = {}): Promise<Bytes> {
    const maxBytes = this.#most(options);
    const load = (signal: AbortSignal) => this.#shared.wholes.read(url, signal, { maxBytes });
    const bytes = await this.#read(url, undefined, options, load);
    return bytes && alone(bytes); // a reader who borrows may have asked for the same
  }

  /** Reads a whole object. Bytes that are nobody else's are lent: see buffer-lease.ts. */
  async lend(url: URL, options: GetOptions, transport?: Transport): Promise<Bytes> {
    if (this.#cache) return this.get(url, options);
    const { signal, version } = options;
    const reading = { maxBytes: this.#most(options), bufferPool: this.#bufferPool, transport };
    this.#lending++;
    try {
      const load = (shared: AbortSignal) => this.#shared.wholes.read(url, shared, reading);
      const id = flightId(readId(url), reading.maxBytes);
      const { result: bytes, isShared } = await this.#flights.join(id, signal, load);
      this.#shared.versions.check(version, bytes, url.href);
      if (bytes && !isShared) leaseBytes(bytes, (own) => this.#takeBack(own));
      return bytes;
    } finally {
      if (--this.#lending === 0) this.#bufferPool.clear();
    }
  }

  /** No more is kept than is being read. */
  #takeBack({ buffer }: Uint8Array): void {
    this.#bufferPool.give(buffer as ArrayBuffer, this.#lending);
  }

  /** Reads a part of an object; undefined where there is none, fewer bytes only where it ends. */
  async getRange(url: URL, range: RangeQuery, options: GetOptions = {}): Promise<Bytes> {
    checkRange(range);
    return this.#read(url, range, options, (signal) => this.#part(url, range, signal));
  }

  async #part(url: URL, range: RangeQuery, signal: AbortSignal): Promise<Bytes> {
    const shared = this.#shared;
    const whole = await this.#fallback?.findWhole(url, signal);
    if (whole) return shared.versions.cut(whole, range);
    const bytes = await ("suffixLength" in range
      ? readLast(shared, url, range.suffixLength, signal)
      : readAt(shared, url, range, signal));
    if (bytes && shared.doubtful.has(bytes)) await shared.fallback().refusePage(url, signal);
    return bytes;
  }

  #fallbacks(): Fallback {
    this.#fallback ??= new RangeFallbacks(this.#shared, (...asked) => readAt(this.#shared, ...asked));
    return this.#fallback;
  }

  /** Most bytes that a read may give. */
  #most({ maxBytes = Number.POSITIVE_INFINITY }: GetOptions): number {
    return Math.min(maxBytes, this.#shared.maxBytes);
  }

  /** Through the cache, joined with others who read the same, and held against the version seen before. */
  async #read(
    url: URL,
    range: RangeQuery | undefined,
    options: GetOptions,
    load: (signal: AbortSignal) => Promise<Bytes>,
  ): Promise<Bytes> {
    const [id, most] = [readId(url, range), this.#most(options)];
    const cacheId = id + this.#sinceWrite(url);
    const bytes = await this.#flights.run(flightId(id, most), options.signal, (shared) =>
      this.#cached(cacheId, url, () => load(shared)),
    );
    if (bytes && bytes.byteLength > most) throw tooLong(url, bytes.byteLength, most);
    this.#shared.versions.check(options.version, bytes, url.href);
    return bytes;
  }

  /** Says that an object has been written: reads that begin now get it as it is. */
  invalidate(url: URL): void {
    this.#shared.versions.noteWrite(url.href);
    this.#fallback?.forget(url);
    this.#flights.leave(`${url.href} `);
  }

  /**
   * Tells what the cache holds from before a write, or is given later by a read that began before it, from what was read
   * since. A cache may outlive this client, hence its own name.
   */
  #sinceWrite(url: URL): string {
    const write = this.#shared.versions.lastWrite(url.href);
    if (write === 0) return "";
    this.#name ??= crypto.randomUUID();
    return ` ${this.#name} ${write}`;
  }

  async #cached(id: string, url: URL, load: () => Promise<Bytes>): Promise<Bytes> {
    const cache = this.#cache;
    if (!cache) return load();
    const kept = await cache.get(id);
    if (kept && !this.#shared.versions.isOutdated(url.href, kept)) return kept;
    const bytes = await load();
    if (bytes) await cache.set(id, bytes);
    return bytes;
  }
}

/** Only those who may have equally much can share a request: what is too much for one is not for the other. */
const flightId = (id: string, maxBytes: number) => `${id} ${maxBytes}`;
