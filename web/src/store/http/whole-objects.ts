/** Reads whole objects, and parts of them from servers that do not support ranges; tracks versions of objects. */

import { type IdleTimeout, SingleFlight } from "../../util/async.js";
import type { BufferPool } from "../../util/buffers.js";
import { limitExceeded } from "../../util/errors.js";
import { ByteCache } from "../cache.js";
import { cutRange, wantedBytes } from "../read.js";
import { checkVersion, type ObjectVersion, type RangeQuery } from "../store.js";
import type { HttpResponse, Transport } from "../transport.js";
import type { Requests } from "./requests.js";
import {
  announcedBytes,
  checkLength,
  claimsPage,
  isTextual,
  missingStatus,
  rangeError,
  readBody,
  refusePageStart,
  statusError,
  wholeStatus,
} from "./response.js";

type Bytes = Uint8Array | undefined;

export interface OffsetRange {
  readonly offset: number;
  readonly length: number;
}

interface WholeReadOptions {
  /** Maximum number of bytes after all content codings. */
  maxBytes: number;
  /** Memory to read into. */
  bufferPool?: BufferPool | undefined;
  transport?: Transport | undefined;
}

/** Total size of kept objects, in bytes. */
const keptBytes = 64 * 2 ** 20;
/** Time for which objects are kept, in milliseconds. */
const keptTime = 30_000;
/** Maximum size of a kept object. It may exceed Content-Length, as CORS may hide a content coding. */
const maxKeptBytes = 4 * keptBytes;

/** Whether an object is known to be short enough to be kept. */
function isShort(answer: HttpResponse): boolean {
  return (announcedBytes(answer) ?? Number.POSITIVE_INFINITY) <= keptBytes;
}

export function tooLong(url: URL, bytes: number, maxBytes: number): Error {
  return limitExceeded(`${url.href} answers with ${bytes} bytes, more than the limit of ${maxBytes}`);
}

/** Reads objects by requests without a range. Keeps objects for a while if a server answers range requests with them. */
export class WholeObjects {
  /** Parts of objects that may be HTML pages. */
  readonly suspects = new WeakSet<Uint8Array>();
  readonly #flights = new SingleFlight<Bytes>();
  readonly #kept = new ByteCache(keptBytes);
  #keptSince = 0;

  /** @param maxBytes maximum length of a response. */
  constructor(
    readonly requests: Requests,
    readonly versions: Versions,
    readonly maxBytes: number,
  ) {}

  /** Reads an object; undefined if it is missing. */
  read(url: URL, signal: AbortSignal, reading: WholeReadOptions): Promise<Bytes> {
    return this.requests.send(url, { signal, transport: reading.transport }, async (answer, watch) => {
      const { status } = answer;
      if (missingStatus.has(status)) return undefined;
      if (status === 206)
        throw rangeError(url.href, "it sent a part although the whole object was requested");
      if (!wholeStatus.has(status)) throw statusError(url.href, answer);
      return this.body(url, answer, watch, reading);
    });
  }

  /** Reads the body of a response with a whole object. */
  async body(
    url: URL,
    answer: HttpResponse,
    watch: IdleTimeout,
    { maxBytes, bufferPool }: WholeReadOptions,
  ): Promise<Uint8Array> {
    const expected = announcedBytes(answer);
    if ((expected ?? 0) > maxBytes) throw tooLong(url, expected!, maxBytes);
    const bytes = await readBody(answer, { name: url.href, maxBytes, expected, watch, bufferPool });
    // CORS may hide a content coding, with which Content-Length is not the length of these bytes.
    if (!answer.isCors) checkLength(bytes.byteLength, expected, url.href);
    if (claimsPage(answer)) refusePageStart(url.href, answer.status, bytes);
    this.versions.record(bytes, answer, bytes.byteLength);
    return bytes;
  }

  /** Returns an object that is kept, or that has to be read because its server does not support ranges. */
  async find(url: URL, signal: AbortSignal): Promise<Bytes> {
    const kept = this.#find(url);
    const server = this.requests.server(url);
    if (kept || !server.ignoresRanges) return kept;
    return this.#flights.run(url.href, signal, (joined) =>
      this.requests.send(url, { signal: joined }, async (answer, watch) => {
        const isKept = answer.status === 200 && isShort(answer);
        server.ignoresRanges = answer.status !== 200 || isKept;
        return isKept ? this.#keep(url, answer, watch) : undefined;
      }),
    );
  }

  /** Drops an object that has been written. */
  forget({ href }: URL): void {
    this.#kept.delete(href);
    this.#flights.leave(href);
  }

  /** Reads a part from a response with the whole object. Keeps the object if it is short. */
  async cutResponse(
    url: URL,
    answer: HttpResponse,
    watch: IdleTimeout,
    range: OffsetRange,
  ): Promise<Uint8Array> {
    if (!isShort(answer)) return this.#cut(url, answer, watch, range);
    // A server that claims to support ranges may ignore them for compressed objects only.
    const claimsRanges = answer.headers.get("accept-ranges")?.toLowerCase() === "bytes";
    this.requests.server(url).ignoresRanges = !claimsRanges;
    return this.versions.cut(await this.#keep(url, answer, watch), range);
  }

  /** Requests the whole object and reads a part of it. */
  part(url: URL, range: OffsetRange, signal: AbortSignal): Promise<Bytes> {
    return this.requests.send(url, { signal }, async (answer, watch) => {
      if (!wholeStatus.has(answer.status)) throw statusError(url.href, answer);
      return this.#cut(url, answer, watch, range);
    });
  }

  /** Requests the whole object and returns its last bytes, without keeping more in memory; undefined if it is missing. */
  lastBytes(url: URL, length: number, signal: AbortSignal): Promise<Bytes> {
    return this.requests.send(url, { signal }, async (answer, watch) => {
      if (missingStatus.has(answer.status)) return undefined;
      if (!wholeStatus.has(answer.status)) throw statusError(url.href, answer);
      const { maxBytes } = this;
      if (claimsPage(answer))
        return this.versions.cut(await this.body(url, answer, watch, { maxBytes }), { suffixLength: length });
      const bytes = await readBody(answer, { name: url.href, maxBytes, watch, last: length });
      this.versions.record(bytes, answer, undefined);
      return bytes;
    });
  }

  /** Reads a part from a response and cancels the rest. */
  async #cut(
    url: URL,
    answer: HttpResponse,
    watch: IdleTimeout,
    { offset, length }: OffsetRange,
  ): Promise<Uint8Array> {
    const { maxBytes } = this;
    const end = offset + length;
    if (end > maxBytes) {
      throw limitExceeded(
        `${url.href} does not support range requests, and this read needs its first ${end} bytes, more than the limit of ${maxBytes}`,
      );
    }
    const cut = { skip: offset, take: length, expected: length };
    const bytes = await readBody(answer, { name: url.href, maxBytes, watch, ...cut });
    this.versions.record(bytes, answer, announcedBytes(answer));
    if (claimsPage(answer) || isTextual(answer)) this.suspects.add(bytes);
    return bytes;
  }

  async #keep(url: URL, answer: HttpResponse, watch: IdleTimeout): Promise<Uint8Array> {
    const maxBytes = Math.min(this.maxBytes, maxKeptBytes);
    const whole = await this.body(url, answer, watch, { maxBytes });
    if (this.versions.lastWrite(url.href) > 0) return whole; // the response may be older than the write
    if (this.#kept.bytes === 0) this.#keptSince = Date.now();
    this.#kept.set(url.href, whole);
    return whole;
  }

  #find({ href }: URL): Bytes {
    if (this.#kept.bytes > 0 && Date.now() - this.#keptSince > keptTime) this.#kept.clear();
    return this.#kept.get(href);
  }
}

/** Maximum number of objects whose last write is remembered. */
const maxObjects = 10_000;
/** Longer ETags are ignored, which bounds memory. */
const maxEtagLength = 512;

export class Versions {
  readonly #ofBytes = new WeakMap<Uint8Array, ObjectVersion>();
  /** Number of the last write of each object by this client. */
  readonly #written = new Map<string, number>();
  /** Number of the last write that was dropped from it. */
  #forgotten = 0;
  #writes = 0;

  /**
   * Notes the version of bytes, as far as the response tells.
   * @param size of the whole object.
   */
  record(bytes: Uint8Array, response: HttpResponse, size: number | undefined): void {
    this.#ofBytes.set(bytes, { etag: readEtag(response), size });
  }

  /** Returns a part of a whole object, of the same version. */
  cut(whole: Uint8Array, range: RangeQuery): Uint8Array {
    const view = cutRange(whole, range);
    // A small part must not hold the whole in memory.
    const part = wantedBytes(range) * 2 < whole.byteLength ? view.slice() : view;
    const version = this.#ofBytes.get(whole);
    if (version) this.#ofBytes.set(part, version);
    return part;
  }

  /** Notes a write of an object by this client, which outdates bytes that were read before. */
  recordWrite(url: string): void {
    this.#written.delete(url);
    this.#written.set(url, ++this.#writes);
    if (this.#written.size <= maxObjects) return;
    const [[oldest, write]] = this.#written as unknown as [[string, number]];
    this.#written.delete(oldest);
    this.#forgotten = write;
  }

  /** Returns the number of the last write that may have been of an object; 0 if this client has not written it. */
  lastWrite(url: string): number {
    return this.#written.get(url) ?? this.#forgotten;
  }

  /**
   * Compares bytes with the version that a reader has seen before. Sets it if undefined.
   * @throws Network ("changed") for another version, and for a missing object.
   */
  check(seen: ObjectVersion | undefined, bytes: Uint8Array | undefined, name: string): void {
    const { etag, size } = (bytes && this.#ofBytes.get(bytes)) ?? {};
    const isOther = seen?.etag !== undefined && etag !== undefined && !areAlike(seen.etag, etag);
    // A hidden version is not another one.
    checkVersion(seen, bytes && { etag: isOther ? undefined : etag, size }, name);
  }
}

/** Minimum age of a change that identifies a version, in milliseconds: it has a resolution of 1 s, and clocks differ. */
const settledAfter = 60_000;
const changedAt = "last change ";

function readEtag({ headers }: HttpResponse): string | undefined {
  const etag = headers.get("etag");
  if (etag !== null && etag.length <= maxEtagLength) return strong(etag);
  // CORS hides ETags, but not this.
  const time = Date.parse(headers.get("last-modified") ?? "");
  // Some servers send the time of the response.
  return time < Date.now() - settledAfter ? changedAt + time : undefined;
}

/** Whether two versions are comparable. */
const areAlike = (a: string, b: string): boolean => a.startsWith(changedAt) === b.startsWith(changedAt);

/** Returns an ETag without the mark of weak ones, which servers add for compressed responses. */
function strong(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}
