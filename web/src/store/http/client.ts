/** Requests for objects and parts of them, whatever the server makes of ranges. */

import { BufferPool } from "../../base/buffer-pool.js";
import { isZarrError, limitExceeded, networkError } from "../../base/errors.js";
import { Limiter } from "../../base/limiter.js";
import { SingleFlight } from "../../base/single-flight.js";
import { alone, leaseBytes } from "../buffer-lease.js";
import { ByteCache, type ByteCacheLike } from "../cache.js";
import { checkRange, cutRange, rangeName, resolveRange, wantedBytes } from "../ranges.js";
import { changedError, type GetOptions, type RangeQuery } from "../store.js";
import {
  announcedBytes,
  checkLength,
  missingStatus,
  rangeError,
  readRangeAnswer,
  statusError,
  unsatisfiedTotal,
  wholeStatus,
} from "./answer.js";
import { readBody, reasonOf } from "./body.js";
import { fetchTransport } from "./fetch.js";
import { Watch } from "./idle-timeout.js";
import { claimsPage, isTextual, pageError, startsPage, tellingBytes } from "./page.js";
import { parseRetryAfter, type RetryPolicy, TransientFault, transientStatus, withRetries } from "./retry.js";
import type { Answer, Transport } from "./transport.js";
import { usualTransport } from "./usual-transport.js";
import { Versions } from "./versions.js";

interface HttpClientOptions {
  /** Instead of the global one. */
  fetch: ((request: Request) => Promise<Response>) | undefined;
  headers: HeadersInit | undefined;
  maxBytes: number;
  policy: RetryPolicy;
  /** Milliseconds without a byte after which a request is given up. */
  timeout: number;
  concurrency: number;
  cache: ByteCacheLike | undefined;
}

type Bytes = Uint8Array | undefined;

/** What is made of an answer while its request is watched. */
type Use<T> = (response: Answer, watch: Watch) => Promise<T>;

/** What a server has shown that it can do. */
interface Abilities {
  /** Whether it understands "the last n bytes"; undefined until it has been tried. */
  suffix: boolean | undefined;
  /** How often a request for the last bytes failed without an answer, as it does where CORS forbids it. */
  suffixFaults: number;
  /** It answers ranges with whole objects. */
  ignoresRanges: boolean;
}

interface Sending {
  /** GET unless said otherwise. */
  method?: "HEAD";
  /** Value of the Range header. */
  range?: string;
  signal: AbortSignal;
  /** A fetch that fails without an answer is not tried again. */
  once?: boolean;
}

/** Whole objects are kept for a while where the server does not serve parts: in all so many bytes … */
const keptBytes = 64 * 2 ** 20;
/** … for so many milliseconds. */
const keptTime = 30_000;
/** An object that comes whole instead of its last bytes is read on, if it is not longer. */
const shortBytes = 2 ** 20;

/** What reads have in common that ask for the same. */
const readId = (url: URL, range?: RangeQuery) => `${url.href} ${rangeName(range)}`;

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** True for an answer with a whole object that is known to be short enough to be kept. */
function isShort(response: Answer): boolean {
  return (announcedBytes(response) ?? Number.POSITIVE_INFINITY) <= keptBytes;
}

function tooLong(url: URL, what: string, maxBytes: number): Error {
  return limitExceeded(`${url.href} answers with ${what}, more than the limit of ${maxBytes}`);
}

/** True for a request that got no answer, or not all of it. */
function isFailure(error: unknown): boolean {
  return isZarrError(error, "Network") && error.code === "fetch-failed";
}

/** Browsers do not say that a server forbids pages of other origins to read from it. */
function originHint(url: URL): string {
  const { origin } = globalThis as { origin?: string };
  if (origin === undefined || origin === url.origin) return "";
  return ` (it is down, or does not allow ${origin} to read: that needs the header Access-Control-Allow-Origin)`;
}

/** Reads objects by URL. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #limiter: Limiter;
  readonly #shared = new SingleFlight<Bytes>();
  readonly #versions = new Versions();
  /** Parts of which the server says that they are of a web page, and that do not show it. */
  readonly #doubtful = new WeakSet<Uint8Array>();
  readonly #servers = new Map<string, Abilities>();
  readonly #kept = new ByteCache(keptBytes);
  #keptSince = 0;
  #name: string | undefined;
  /** Memory that was lent and has come back, while more is being read. */
  readonly #bufferPool = new BufferPool();
  #lending = 0;
  /** The caller's; without it the usual one of the moment. */
  readonly #transport: Transport | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#transport = options.fetch && fetchTransport(options.fetch);
    this.#limiter = new Limiter(options.concurrency);
  }

  /** Reads a whole object; undefined where there is none. */
  async get(url: URL, options: GetOptions = {}): Promise<Bytes> {
    const bytes = await this.#read(url, undefined, options, (signal) => this.#whole(url, signal));
    return bytes && alone(bytes); // a reader who borrows may have asked for the same
  }

  /** Reads a whole object. Bytes that are nobody else's are lent: see buffer-lease.ts. */
  async lend(url: URL, options: GetOptions): Promise<Bytes> {
    if (this.#options.cache) return this.get(url, options);
    const { signal, version } = options;
    this.#lending++;
    try {
      const load = (shared: AbortSignal) => this.#whole(url, shared, this.#bufferPool);
      const { result: bytes, isShared } = await this.#shared.join(readId(url), signal, load);
      this.#versions.check(version, bytes, url.href);
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

  /** Through the cache, joined with others who read the same, and held against the version seen before. */
  async #read(
    url: URL,
    range: RangeQuery | undefined,
    { signal, version }: GetOptions,
    load: (signal: AbortSignal) => Promise<Bytes>,
  ): Promise<Bytes> {
    const id = readId(url, range);
    const cacheId = id + this.#sinceWrite(url);
    const bytes = await this.#shared.run(id, signal, (shared) =>
      this.#cached(cacheId, url, () => load(shared)),
    );
    this.#versions.check(version, bytes, url.href);
    return bytes;
  }

  /** Says that an object has been written: reads that begin now get it as it is. */
  invalidate(url: URL): void {
    this.#versions.noteWrite(url.href);
    this.#kept.delete(url.href);
    this.#shared.leave(`${url.href} `);
  }

  /**
   * Tells what the cache holds from before a write, or is given later by a read that began before it, from what was read
   * since. A cache may outlive this client, hence its own name.
   */
  #sinceWrite(url: URL): string {
    const write = this.#versions.lastWrite(url.href);
    if (write === 0) return "";
    this.#name ??= crypto.randomUUID();
    return ` ${this.#name} ${write}`;
  }

  async #cached(id: string, url: URL, load: () => Promise<Bytes>): Promise<Bytes> {
    const { cache } = this.#options;
    if (!cache) return load();
    const kept = await cache.get(id);
    if (kept && !this.#versions.isOutdated(url.href, kept)) return kept;
    const bytes = await load();
    if (bytes) await cache.set(id, bytes);
    return bytes;
  }

  /** A whole object, by a request without a range. */
  #whole(url: URL, signal: AbortSignal, bufferPool?: BufferPool): Promise<Bytes> {
    return this.#send(url, { signal }, async (response, watch) => {
      const { status } = response;
      if (missingStatus.has(status)) return undefined;
      if (status === 206) throw rangeError(url.href, "it sent a part where the whole was asked for");
      if (!wholeStatus.has(status)) throw statusError(url.href, response);
      return this.#wholeBody(url, response, watch, bufferPool);
    });
  }

  async #wholeBody(url: URL, response: Answer, watch: Watch, bufferPool?: BufferPool): Promise<Uint8Array> {
    const told = announcedBytes(response);
    const { maxBytes } = this.#options;
    if ((told ?? 0) > maxBytes) throw tooLong(url, `${told} bytes`, maxBytes);
    const bytes = await readBody(response, { name: url.href, maxBytes, expected: told, watch, bufferPool });
    // CORS may hide that a body is compressed, in which case Content-Length is not the length of these bytes.
    if (!response.isCors) checkLength(bytes, told, url.href);
    if (claimsPage(response) && startsPage(bytes)) throw pageError(url.href, response.status);
    this.#versions.note(url.href, bytes, response, bytes.byteLength);
    return bytes;
  }

  async #part(url: URL, range: RangeQuery, signal: AbortSignal): Promise<Bytes> {
    const kept = this.#keptWhole(url) ?? (await this.#wholeFor(url, signal));
    if (kept) return this.#cut(kept, range);
    const bytes = await ("suffixLength" in range
      ? this.#suffix(url, range.suffixLength, signal)
      : this.#slice(url, range, signal));
    if (bytes && this.#doubtful.has(bytes)) await this.#refusePage(url, signal);
    return bytes;
  }

  /** Looks at the start of an object of which the server says that it is a web page. */
  #refusePage(url: URL, signal: AbortSignal): Promise<void> {
    const range = { offset: 0, length: tellingBytes };
    return this.#send(url, { signal, range: `bytes=0-${tellingBytes - 1}` }, async (response, watch) => {
      const { status } = response;
      if (status !== 206 && !wholeStatus.has(status)) throw statusError(url.href, response);
      const reading = { name: url.href, maxBytes: this.#options.maxBytes, watch };
      const bytes =
        status === 206
          ? (await readRangeAnswer(response, range, reading)).bytes
          : await readBody(response, { ...reading, take: tellingBytes });
      if (startsPage(bytes)) throw pageError(url.href, status);
    });
  }

  /**
   * The bytes at an offset.
   * @param size of the object, where it has been told: one that has another is another version.
   */
  #slice(
    url: URL,
    range: { offset: number; length: number },
    signal: AbortSignal,
    size?: number,
  ): Promise<Bytes> {
    // An empty range cannot be asked for: one byte is, to learn whether there is anything at all.
    const asked = { offset: range.offset, length: Math.max(1, range.length) };
    const header = `bytes=${asked.offset}-${asked.offset + asked.length - 1}`;
    return this.#send(url, { signal, range: header }, async (response, watch) => {
      const { status } = response;
      if (missingStatus.has(status)) return undefined;
      if (status === 206) return this.#partBody(url, response, watch, { asked, length: range.length, size });
      if (wholeStatus.has(status)) return this.#fromWhole(url, response, watch, range);
      const total = status === 416 ? unsatisfiedTotal(response) : undefined;
      if (status !== 416 || (total ?? 0) > range.offset) throw statusError(url.href, response);
      return new Uint8Array(0);
    });
  }

  async #partBody(
    url: URL,
    response: Answer,
    watch: Watch,
    { asked, length, size }: { asked: RangeQuery; length: number; size?: number | undefined },
  ): Promise<Uint8Array> {
    const { maxBytes } = this.#options;
    const { bytes, range } = await readRangeAnswer(response, asked, { name: url.href, maxBytes, watch });
    if (size !== undefined && range?.total !== undefined && range.total !== size)
      throw changedError(url.href);
    const wanted = bytes.byteLength > length ? bytes.slice(0, length) : bytes;
    this.#versions.note(url.href, wanted, response, range?.total);
    if (claimsPage(response)) this.#doubtful.add(wanted);
    return wanted;
  }

  /** The last bytes: by a suffix range, else by the object's length, else from the whole object. */
  async #suffix(url: URL, length: number, signal: AbortSignal): Promise<Bytes> {
    const server = this.#server(url);
    let size: number | undefined;
    if (server.suffix !== false) {
      const tried = await this.#trySuffix(url, length, signal);
      if (!("size" in tried)) return tried.bytes;
      size = tried.size;
    }
    size ??= await this.#size(url, signal);
    if (size === -1) return undefined;
    if (size === undefined) {
      const whole = await this.#whole(url, signal);
      return whole && this.#cut(whole, { suffixLength: length });
    }
    return this.#lastOf(url, length, size, signal);
  }

  async #lastOf(url: URL, length: number, size: number, signal: AbortSignal): Promise<Bytes> {
    const { start, end } = resolveRange({ suffixLength: length }, size);
    const bytes = await this.#slice(url, { offset: start, length: end - start }, signal, size);
    if (bytes && bytes.byteLength < end - start) {
      throw rangeError(url.href, `it is shorter than the ${size} bytes that it said it was`);
    }
    return bytes;
  }

  /** Asks for the last bytes. Answers with a size, perhaps an unknown one, if the server does not do that. */
  async #trySuffix(
    url: URL,
    length: number,
    signal: AbortSignal,
  ): Promise<{ bytes: Bytes } | { size: number | undefined }> {
    const server = this.#server(url);
    const asked = { suffixLength: Math.max(1, length) };
    const sending = { signal, range: `bytes=-${asked.suffixLength}`, once: server.suffix === undefined };
    try {
      return await this.#send(url, sending, async (response, watch) => {
        const { status } = response;
        if (missingStatus.has(status)) return { bytes: undefined };
        if (status === 206) {
          const bytes = await this.#partBody(url, response, watch, { asked, length });
          server.suffix = true;
          return { bytes };
        }
        if (status === 416 && unsatisfiedTotal(response) === 0) return { bytes: new Uint8Array(0) };
        if (status === 401 || status === 403) throw statusError(url.href, response);
        server.suffix = false;
        return this.#instead(url, response, watch, length);
      });
    } catch (error) {
      // Meanwhile another request has shown that the server can: this one failed by accident.
      if (sending.once && server.suffix === true && isFailure(error))
        return this.#trySuffix(url, length, signal);
      if (!this.#isRefusal(error, server)) throw error;
      return { size: undefined };
    }
  }

  /** What another answer than the last bytes is good for: a short object as it is, or the size it tells. */
  async #instead(url: URL, response: Answer, watch: Watch, length: number) {
    const size = response.status === 416 ? unsatisfiedTotal(response) : announcedBytes(response);
    if (response.status === 200 && size !== undefined && size <= Math.max(shortBytes, 2 * length)) {
      return { bytes: this.#cut(await this.#wholeBody(url, response, watch), { suffixLength: length }) };
    }
    return { size: response.status === 200 || response.status === 416 ? size : undefined };
  }

  /** True for failures after which the last bytes are asked for in another way. */
  #isRefusal(error: unknown, server: Abilities): boolean {
    if (!isZarrError(error, "Network") || server.suffix === true) return false;
    if (error.code === "bad-range") server.suffix = false;
    // A preflight that is refused looks like a broken connection. It is taken for the one after the second time.
    else if (isFailure(error)) server.suffix = ++server.suffixFaults < 2 ? undefined : false;
    else return false;
    return true;
  }

  /** The size of an object: -1 where there is none, undefined where the server does not tell. */
  async #size(url: URL, signal: AbortSignal): Promise<number | undefined> {
    const told = await this.#told(url, signal);
    if (told !== undefined) return told;
    return this.#send(url, { signal, range: "bytes=0-0" }, async (response, watch) => {
      const { status } = response;
      if (missingStatus.has(status)) return -1;
      if (status === 416) return unsatisfiedTotal(response);
      if (wholeStatus.has(status)) return announcedBytes(response);
      if (status !== 206) throw statusError(url.href, response);
      const reading = { name: url.href, maxBytes: 1, watch };
      return (await readRangeAnswer(response, { offset: 0, length: 1 }, reading)).range?.total;
    });
  }

  /** The size by HEAD. CORS may allow GET and not HEAD, which looks like a connection that fails. */
  async #told(url: URL, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#send(url, { signal, method: "HEAD", once: true }, async (response) => {
        if (missingStatus.has(response.status)) return -1;
        return isSuccess(response) ? announcedBytes(response) : undefined;
      });
    } catch (error) {
      if (!isFailure(error)) throw error;
      return undefined;
    }
  }

  /** A range out of an answer with the whole object, read no further than to its end. */
  async #fromWhole(
    url: URL,
    response: Answer,
    watch: Watch,
    range: { offset: number; length: number },
  ): Promise<Bytes> {
    if (isShort(response)) {
      // A server that says that it serves ranges is not judged by one object, which it may compress on the way.
      const serves = response.headers.get("accept-ranges")?.toLowerCase() === "bytes";
      this.#server(url).ignoresRanges = !serves;
      return this.#cut(await this.#keepWhole(url, response, watch), range);
    }
    const { maxBytes } = this.#options;
    const end = range.offset + range.length;
    if (end > maxBytes) throw tooLong(url, `no ranges, and ${end} bytes to read for one`, maxBytes);
    const cut = { skip: range.offset, take: range.length, expected: range.length };
    const bytes = await readBody(response, { name: url.href, maxBytes, watch, ...cut });
    this.#versions.note(url.href, bytes, response, announcedBytes(response));
    // A page of unknown length is not betrayed by that.
    if (claimsPage(response) || isTextual(response)) this.#doubtful.add(bytes);
    return bytes;
  }

  /** Where a server is known not to serve parts: the whole object, read once for all who want parts of it. */
  async #wholeFor(url: URL, signal: AbortSignal): Promise<Bytes> {
    const server = this.#server(url);
    if (!server.ignoresRanges) return undefined;
    return this.#shared.run(`${url.href} whole`, signal, (shared) =>
      this.#send(url, { signal: shared }, async (response, watch) => {
        server.ignoresRanges = response.status !== 200 || isShort(response);
        return response.status === 200 && isShort(response)
          ? this.#keepWhole(url, response, watch)
          : undefined;
      }),
    );
  }

  async #keepWhole(url: URL, response: Answer, watch: Watch): Promise<Uint8Array> {
    const whole = await this.#wholeBody(url, response, watch);
    if (this.#versions.lastWrite(url.href) > 0) return whole; // it may have been read before it was written
    if (this.#kept.bytes === 0) this.#keptSince = Date.now();
    this.#kept.set(url.href, whole);
    return whole;
  }

  #keptWhole(url: URL): Bytes {
    if (this.#kept.bytes > 0 && Date.now() - this.#keptSince > keptTime) this.#kept.clear();
    const whole = this.#kept.get(url.href);
    return whole && !this.#versions.isOutdated(url.href, whole) ? whole : undefined;
  }

  #cut(whole: Uint8Array, range: RangeQuery): Uint8Array {
    const part = cutRange(whole, range);
    // A small part must not hold the whole in memory.
    const own = wantedBytes(range) * 2 < whole.byteLength ? part.slice() : part;
    this.#versions.inherit(own, whole);
    return own;
  }

  #server(url: URL): Abilities {
    let server = this.#servers.get(url.origin);
    if (!server) {
      server = { suffix: undefined, suffixFaults: 0, ignoresRanges: false };
      this.#servers.set(url.origin, server);
    }
    return server;
  }

  /** Sends a request, again where that may help, and lets `use` make something of the answer. */
  #send<T>(url: URL, sending: Sending, use: Use<T>): Promise<T> {
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

  async #answered<T>(url: URL, response: Answer, watch: Watch, use: Use<T>): Promise<T> {
    watch.hear();
    try {
      if (transientStatus.has(response.status)) {
        const retryAfter = parseRetryAfter(response.headers.get("retry-after"));
        throw new TransientFault(statusError(url.href, response), retryAfter);
      }
      return await use(response, watch);
    } finally {
      response.discard();
    }
  }

  async #answer(url: URL, { method, range, signal, once }: Sending, watch: Watch): Promise<Answer> {
    const headers = new Headers(this.#options.headers);
    if (range) headers.set("range", range);
    try {
      const send = this.#transport ?? (await usualTransport());
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
