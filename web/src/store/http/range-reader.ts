/** Reads byte ranges, with fallbacks for servers that ignore, reject or misunderstand range requests. */

import type { IdleTimeout } from "../../util/async.js";
import { isZarrError } from "../../util/errors.js";
import { resolveRange } from "../read.js";
import { changedError, type RangeQuery } from "../store.js";
import type { HttpResponse } from "../transport.js";
import { isFailure, type Requests, type Server } from "./requests.js";
import {
  announcedBytes,
  checkLength,
  claimsPage,
  isEncoded,
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

interface ContentRange {
  start: number;
  /** Exclusive. */
  end: number;
  /** Size of the object if the server tells it. */
  total: number | undefined;
}

/** Parses `bytes 0-9/100` and `bytes 0-9/*`; undefined for anything else. */
function parseContentRange(text: string): ContentRange | undefined {
  const match = /^\s*bytes\s+(\d+)-(\d+)\/(\d+|\*)\s*$/i.exec(text);
  if (!match) return undefined;
  const [start, last, total] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const end = last + 1;
  const known = match[3] !== "*";
  if (!Number.isSafeInteger(end) || start >= end || (known && !(end <= total))) return undefined;
  return { start, end, total: known ? total : undefined };
}

export interface RangeResponse {
  bytes: Uint8Array<ArrayBuffer>;
  /** Undefined if CORS hides Content-Range. */
  range: ContentRange | undefined;
  /**
   * Size that the object must have for the bytes to be the requested range. Set if they are fewer than requested and
   * the response does not say that the object ends there.
   */
  unprovenSize: number | undefined;
}

/**
 * Reads the body of a response with status 206.
 * @throws Network ("bad-range") for a range that was not requested, for an unknown one unless CORS hides it, for several
 *   ranges, and for a body with a content coding; LimitExceeded; TransientFault for a truncated body.
 */
export async function readRangeResponse(
  answer: HttpResponse,
  asked: RangeQuery,
  { name, maxBytes, watch }: { name: string; maxBytes: number; watch: IdleTimeout },
): Promise<RangeResponse> {
  if (/^\s*multipart\//i.test(answer.headers.get("content-type") ?? "")) {
    throw rangeError(name, "it sent several parts");
  }
  if (isEncoded(answer)) {
    throw rangeError(name, `it is encoded (${answer.headers.get("content-encoding")})`);
  }
  const range = contentRange(answer, asked, name);
  const wanted = "suffixLength" in asked ? asked.suffixLength : asked.length;
  const claimed = range && range.end - range.start;
  const limit = claimed ?? wanted;
  const bytes = await readBody(answer, { name, take: limit + 1, maxBytes, expected: limit, watch });
  if (bytes.byteLength > limit) throw rangeError(name, `it sent more than ${limit} bytes`);
  checkLength(bytes.byteLength, claimed ?? announcedBytes(answer), name);
  return { bytes, range, unprovenSize: unprovenSize(bytes.byteLength, range, asked) };
}

function unprovenSize(
  length: number,
  range: ContentRange | undefined,
  asked: RangeQuery,
): number | undefined {
  if (range?.total !== undefined) return undefined;
  if (!("suffixLength" in asked)) return length < asked.length ? asked.offset + length : undefined;
  // Only the object's size tells where a suffix starts. If CORS hides the range, the right length is proof enough.
  if (range) return range.end;
  return length < asked.suffixLength ? length : undefined;
}

function contentRange(answer: HttpResponse, asked: RangeQuery, name: string): ContentRange | undefined {
  const text = answer.headers.get("content-range");
  if (text === null) {
    if (answer.isCors) return undefined;
    throw rangeError(name, "it does not state which part it sent");
  }
  const range = parseContentRange(text);
  if (!range || !fits(range, asked)) throw rangeError(name, `it sent "${text.slice(0, 80)}"`);
  return range;
}

/** Whether a range is the requested one, up to the object's end. Without the object's size, an early end is unproven. */
function fits({ start, end, total }: ContentRange, asked: RangeQuery): boolean {
  if (total !== undefined) {
    const wanted = resolveRange(asked, total);
    return start === wanted.start && end === wanted.end;
  }
  if ("suffixLength" in asked) return end - start <= asked.suffixLength;
  return start === asked.offset && end <= asked.offset + asked.length;
}

/** Returns the object's size from a response with status 416; undefined if the response does not state it. */
export function unsatisfiedTotal(answer: HttpResponse): number | undefined {
  const match = /^\s*bytes\s+\*\/(\d+)\s*$/i.exec(answer.headers.get("content-range") ?? "");
  const total = Number(match?.[1]);
  return Number.isSafeInteger(total) ? total : undefined;
}
