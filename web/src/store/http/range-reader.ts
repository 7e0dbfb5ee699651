/** Reads byte ranges, with fallbacks for servers that ignore, reject or misunderstand range requests. */

import type { IdleTimeout } from "../../util/async.js";
import { isZarrError } from "../../util/errors.js";
import { resolveRange } from "../read.js";
import { changedError, type RangeQuery } from "../store.js";
import type { HttpResponse } from "../transport.js";
import { readRangeResponse, unsatisfiedTotal } from "./range-response.js";
import { isFailure, type Requests, type Server } from "./requests.js";
import {
  announcedBytes,
  claimsPage,
  missingStatus,
  rangeError,
  readBody,
  refusePageStart,
  sniffedBytes,
  statusError,
  wholeStatus,
} from "./response.js";
import type { OffsetRange, WholeObjects } from "./whole-objects.js";

type Bytes = Uint8Array | undefined;

interface RangeBytes {
  bytes: Uint8Array;
  /** Size that the object must have for these bytes to be the requested ones; undefined if they certainly are. */
  unprovenSize?: number | undefined;
}

/** The last bytes; or, if the server does not serve them, the object's size if known. */
type Suffix = { bytes: Bytes } | { size: number | undefined };

/** Whole objects up to this size are read if a server sends them instead of their last bytes. */
const shortBytes = 2 ** 20;

export class RangeReader {
  readonly #wholes: WholeObjects;
  readonly #requests: Requests;

  /** @param wholes reads objects if there is no other way to a part of them. */
  constructor(wholes: WholeObjects) {
    this.#wholes = wholes;
    this.#requests = wholes.requests;
  }

  /** Reads a range; undefined if the object is missing. Returns fewer bytes only at the object's end. */
  async read(url: URL, range: RangeQuery, signal: AbortSignal): Promise<Bytes> {
    const { versions, suspects } = this.#wholes;
    const whole = await this.#wholes.find(url, signal);
    if (whole) return versions.cut(whole, range);
    const bytes = await ("suffixLength" in range
      ? this.#readLast(url, range.suffixLength, signal)
      : this.#readAt(url, range, signal));
    if (bytes && suspects.has(bytes)) await this.#refusePage(url, signal);
    return bytes;
  }

  /**
   * Reads the bytes at an offset.
   * @param size of the object if known; another size is another version.
   */
  async #readAt(url: URL, range: OffsetRange, signal: AbortSignal, size?: number): Promise<Bytes> {
    const { offset, length } = range;
    // There are no empty range requests: one byte tells whether the object exists.
    const asked = { offset, length: Math.max(1, length) };
    const header = `bytes=${offset}-${offset + asked.length - 1}`;
    const use = async (answer: HttpResponse, watch: IdleTimeout): Promise<RangeBytes | undefined> => {
      const { status } = answer;
      if (missingStatus.has(status)) return undefined;
      if (status === 206) return this.#readPart(url, answer, watch, { asked, length, size });
      if (wholeStatus.has(status))
        return { bytes: await this.#wholes.cutResponse(url, answer, watch, range) };
      const total = status === 416 ? unsatisfiedTotal(answer) : undefined;
      if (status !== 416 || (total ?? 0) > offset) throw statusError(url.href, answer);
      return { bytes: new Uint8Array(0) };
    };
    const part = await this.#requests.send(url, { signal, headers: { range: header } }, use);
    if (part?.unprovenSize === undefined) return part?.bytes;
    const total = await objectSize(this.#requests, url, signal);
    if (total === part.unprovenSize) return part.bytes;
    if (total !== undefined) throw rangeError(url.href, "it sent fewer bytes than the object has");
    return this.#wholes.part(url, range, signal);
  }

  /** Reads the body of a response with status 206 and cuts it to `length`. */
  async #readPart(
    url: URL,
    answer: HttpResponse,
    watch: IdleTimeout,
    { asked, length, size }: { asked: RangeQuery; length: number; size?: number | undefined },
  ): Promise<RangeBytes> {
    const { maxBytes, versions, suspects } = this.#wholes;
    const read = await readRangeResponse(answer, asked, { name: url.href, maxBytes, watch });
    const { bytes, range, unprovenSize } = read;
    if (size !== undefined && range?.total !== undefined && range.total !== size)
      throw changedError(url.href);
    const wanted = bytes.byteLength > length ? bytes.slice(0, length) : bytes;
    versions.record(wanted, answer, range?.total);
    if (claimsPage(answer)) suspects.add(wanted);
    return { bytes: wanted, unprovenSize };
  }

  /** Reads the last bytes: by a suffix range, else by the object's size, else from the whole object. */
  async #readLast(url: URL, length: number, signal: AbortSignal): Promise<Bytes> {
    const isRefused = this.#requests.server(url).suffix === false;
    const suffix: Suffix = isRefused ? { size: undefined } : await this.#readSuffix(url, length, signal);
    if ("bytes" in suffix) return suffix.bytes;
    const size = suffix.size ?? (await objectSize(this.#requests, url, signal));
    if (size === noObject) return undefined;
    if (size === undefined) return this.#wholes.lastBytes(url, length, signal);
    const { start, end } = resolveRange({ suffixLength: length }, size);
    const bytes = await this.#readAt(url, { offset: start, length: end - start }, signal, size);
    if (bytes && bytes.byteLength < end - start) {
      throw rangeError(url.href, `the object is shorter than the ${size} bytes that the server reported`);
    }
    return bytes;
  }

  async #readSuffix(url: URL, length: number, signal: AbortSignal): Promise<Suffix> {
    const server = this.#requests.server(url);
    const asked = { suffixLength: Math.max(1, length) };
    const headers = { range: `bytes=-${asked.suffixLength}` };
    const sending = { signal, headers, once: server.suffix === undefined };
    try {
      return await this.#requests.send<Suffix>(url, sending, async (answer, watch) => {
        const { status } = answer;
        if (missingStatus.has(status)) return { bytes: undefined };
        if (status === 206) {
          const { bytes, unprovenSize } = await this.#readPart(url, answer, watch, { asked, length });
          if (unprovenSize !== undefined) return { size: undefined };
          server.suffix = true;
          return { bytes };
        }
        if (status === 416 && unsatisfiedTotal(answer) === 0) return { bytes: new Uint8Array(0) };
        if (status === 401 || status === 403) throw statusError(url.href, answer);
        server.suffix = false;
        return this.#withoutSuffix(url, answer, watch, length);
      });
    } catch (error) {
      // A concurrent request has succeeded: this failure is unrelated to suffix ranges.
      if (sending.once && server.suffix === true && isFailure(error))
        return this.#readSuffix(url, length, signal);
      if (!refusesSuffix(error, server)) throw error;
      return { size: undefined };
    }
  }

  /** Uses a response without the last bytes: reads a short object, or takes the size from the headers. */
  async #withoutSuffix(url: URL, answer: HttpResponse, watch: IdleTimeout, length: number): Promise<Suffix> {
    const { maxBytes, versions } = this.#wholes;
    const { status } = answer;
    const size = status === 416 ? unsatisfiedTotal(answer) : announcedBytes(answer);
    if (status === 200 && size !== undefined && size <= Math.max(shortBytes, 2 * length)) {
      const whole = await this.#wholes.body(url, answer, watch, { maxBytes });
      return { bytes: versions.cut(whole, { suffixLength: length }) };
    }
    return { size: status === 200 || status === 416 ? size : undefined };
  }

  /**
   * Reads the start of an object whose part may come from an HTML page.
   * @throws Network ("html-page").
   */
  #refusePage(url: URL, signal: AbortSignal): Promise<void> {
    const asked = { offset: 0, length: sniffedBytes };
    return this.#requests.send(
      url,
      { signal, headers: { range: `bytes=0-${sniffedBytes - 1}` } },
      async (answer, watch) => {
        const { status } = answer;
        if (status !== 206 && !wholeStatus.has(status)) throw statusError(url.href, answer);
        const reading = { name: url.href, maxBytes: sniffedBytes, watch };
        const start =
          status === 206
            ? (await readRangeResponse(answer, asked, reading)).bytes
            : await readBody(answer, { ...reading, take: sniffedBytes });
        refusePageStart(url.href, status, start);
      },
    );
  }
}

/** Whether a failure means that suffix ranges do not work; notes that for the server. */
function refusesSuffix(error: unknown, server: Server): boolean {
  if (!isZarrError(error, "Network") || server.suffix === true) return false;
  if (error.code === "bad-range") server.suffix = false;
  // A refused preflight looks like a broken connection: the second failure counts as one.
  else if (isFailure(error)) server.suffix = ++server.suffixFaults < 2 ? undefined : false;
  else return false;
  return true;
}

/** Size of a missing object. */
const noObject = -1;

/** Returns an object's size by HEAD or by a range of one byte: {@link noObject} if missing, undefined if the server does not state it. */
async function objectSize(requests: Requests, url: URL, signal: AbortSignal): Promise<number | undefined> {
  const head = requests.send(url, { signal, method: "HEAD", once: true }, async (answer) => {
    if (missingStatus.has(answer.status)) return noObject;
    return answer.status >= 200 && answer.status < 300 ? announcedBytes(answer) : undefined;
  });
  const size = await head.catch((error) => {
    if (!isFailure(error)) throw error;
    return undefined; // CORS may allow GET and forbid HEAD, which looks like a broken connection
  });
  if (size !== undefined) return size;
  return requests.send(url, { signal, headers: { range: "bytes=0-0" } }, async (answer, watch) => {
    const { status } = answer;
    if (missingStatus.has(status)) return noObject;
    if (status === 416) return unsatisfiedTotal(answer);
    if (wholeStatus.has(status)) return announcedBytes(answer);
    if (status !== 206) throw statusError(url.href, answer);
    const reading = { name: url.href, maxBytes: 1, watch };
    return (await readRangeResponse(answer, { offset: 0, length: 1 }, reading)).range?.total;
  });
}
