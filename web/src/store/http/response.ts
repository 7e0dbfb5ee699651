/** HTTP responses: errors by status, content codings, HTML pages in place of objects, bounded bodies. */

import type { IdleTimeout } from "../../util/async.js";
import { type BufferPool, ByteSink } from "../../util/buffers.js";
import {
  isError,
  isZarrError,
  limitExceeded,
  messageOf,
  networkError,
  type ZarrError,
} from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";
import type { HttpResponse } from "../transport.js";

/** A failure that a retry may overcome; carries the error to throw after the last attempt. */
export class TransientFault extends Error {
  constructor(
    readonly error: ZarrError,
    /** Pause that the server asks for, in milliseconds. */
    readonly retryAfter?: number,
  ) {
    super(error.message);
  }
}

/** Statuses that mean "no object under this key". No other status does. */
export const missingStatus: ReadonlySet<number> = new Set([404, 410]);

/** Statuses of whole objects; 203 comes from proxies. Other successes have no object: 202 is "later", 204 and 205 are empty. */
export const wholeStatus: ReadonlySet<number> = new Set([200, 203]);

/** Returns the error of a response that is neither data nor "missing". */
export function statusError(name: string, { status, statusText }: HttpResponse): ZarrError {
  return networkError(`${name} answered ${status} ${statusText}`.trimEnd(), { code: "http-status", status });
}

/** Returns the error of a wrong response to a range request. */
export function rangeError(name: string, what: string): ZarrError {
  return networkError(`${name} answered a range request incorrectly: ${what}`, { code: "bad-range" });
}

const knownCodings: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "zstd"]);
/** Codings without effect on the body. Uploads to S3 leave "aws-chunked" behind. */
const identityCodings: ReadonlySet<string> = new Set(["", "identity", "aws-chunked"]);
/** Each coding needs a decoder with its own memory, and nested ones expand a few bytes to very many. */
const maxCodings = 2;

/**
 * Returns the content codings of a body in the order in which they were applied. CORS may hide them.
 * Spec: RFC 9110, section 8.4.
 */
export function contentCodings(headers: HttpResponse["headers"]): string[] {
  const names = (headers.get("content-encoding") ?? "").toLowerCase().split(",");
  return names.map((name) => name.trim()).filter((name) => !identityCodings.has(name));
}

/** Returns the error of a body in an unsupported content coding. */
export function codingError(name: string, what: string): ZarrError {
  return networkError(`${name} answered with a body that is ${what}`, { code: "bad-answer" });
}

function checkCodings(headers: HttpResponse["headers"], name: string): void {
  const codings = contentCodings(headers);
  const unknown = codings.find((coding) => !knownCodings.has(coding));
  if (unknown !== undefined) throw codingError(name, `compressed by "${unknown.slice(0, 40)}"`);
  if (codings.length > maxCodings) throw codingError(name, `compressed ${codings.length} times`);
}

/** Whether a body has a content coding, as far as CORS shows. */
export const isEncoded = ({ headers }: HttpResponse): boolean => contentCodings(headers).length > 0;

/** Returns the Content-Length of a body without content coding; undefined if there is none. */
export function announcedBytes(answer: HttpResponse): number | undefined {
  const text = answer.headers.get("content-length");
  if (text === null || !/^\d+$/.test(text) || isEncoded(answer)) return undefined;
  const bytes = Number(text);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** @throws TransientFault if a body does not have the announced length. */
export function checkLength(bytes: number, announced: number | undefined, name: string): void {
  if (announced === undefined || bytes === announced) return;
  throw new TransientFault(
    networkError(`${name} sent ${bytes} bytes of ${announced}`, { code: "truncated-answer" }),
  );
}

/** Whether a response claims to be an HTML page. Some servers label every response so. */
export function claimsPage(answer: HttpResponse): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(answer.headers.get("content-type") ?? "");
}

/** Whether a response may be an HTML page: it is labelled as text, or not at all. */
export function isTextual(answer: HttpResponse): boolean {
  return /^\s*(?:text\/|$)/i.test(answer.headers.get("content-type") ?? "");
}

/** Length of the prefix of an object that tells whether it is an HTML page, in bytes. */
export const sniffedBytes = 1024;

/** Spec: WHATWG MIME Sniffing, section 7.1, the patterns of text/html. */
const pageStart =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link)[\t\n\f\r />])/i;

/**
 * Rejects HTML pages. Single-page applications, login pages and proxies answer every URL with a page and status 200.
 * @throws Network ("html-page") for an object that starts like a page.
 */
export function refusePageStart(name: string, status: number, start: Uint8Array): void {
  if (!pageStart.test(textDecoder().decode(start.subarray(0, sniffedBytes)))) return;
  throw networkError(
    `${name} answered with an HTML page instead of data; missing keys cannot be detected on such a server`,
    { code: "html-page", status },
  );
}

/** Initial size of buffers for bodies of unknown length. */
const startBytes = 64 * 2 ** 10;

interface BodyOptions {
  /** Name of the object, for messages. */
  name: string;
  /** Leading bytes to leave out. */
  skip?: number;
  /** Number of bytes to read after that; the rest is cancelled. */
  take?: number;
  /** Maximum number of bytes after all content codings, including skipped ones. */
  maxBytes: number;
  /** Expected number of bytes: a hint. */
  expected?: number | undefined;
  /** Memory to read into if the length is known; the returned bytes are then a part of it. */
  bufferPool?: BufferPool | undefined;
  watch: IdleTimeout;
}

/**
 * Reads a body or a part of it. Stops as soon as it is too long.
 * @throws LimitExceeded; Network ("bad-answer"); TransientFault if the connection fails.
 */
export async function readBody(answer: HttpResponse, options: BodyOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { name, skip = 0, take = Number.POSITIVE_INFINITY, maxBytes, watch } = options;
  checkCodings(answer.headers, name);
  const expected = Math.min(options.expected ?? startBytes, take, maxBytes);
  const takeSpare = () => (options.expected ? options.bufferPool?.take(expected, 2 * expected) : undefined);
  const sink = new ByteSink(expected, takeSpare);
  let seen = 0;
  const onPiece = (piece: Uint8Array): boolean => {
    watch.restart();
    seen += piece.byteLength;
    const late = piece.subarray(Math.max(0, piece.byteLength - Math.max(0, seen - skip)));
    const wanted = late.subarray(0, Math.min(late.byteLength, take - sink.length));
    if (seen - late.byteLength + wanted.byteLength > maxBytes) throw tooManyBytes(name, maxBytes);
    if (answer.isOwned && wanted.byteLength === piece.byteLength)
      sink.adopt(piece as Uint8Array<ArrayBuffer>);
    else sink.add(wanted);
    return sink.length < take;
  };
  if (take > 0) await answer.read(onPiece).catch((cause) => rethrow(cause, name));
  return sink.bytes();
}

interface BodyEnd {
  /** The last bytes. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The first {@link sniffedBytes}. */
  head: Uint8Array<ArrayBuffer>;
  /** Size of the whole body. */
  size: number;
}

/**
 * Reads a body to its end and returns its last bytes. Needs memory for twice their number.
 * @param options.length number of bytes at the end.
 * @throws like {@link readBody}.
 */
export async function readBodyEnd(
  answer: HttpResponse,
  { name, length, maxBytes, watch }: { name: string; length: number; maxBytes: number; watch: IdleTimeout },
): Promise<BodyEnd> {
  checkCodings(answer.headers, name);
  const [sink, head] = [new ByteSink(startBytes), new ByteSink(sniffedBytes)];
  let size = 0;
  const onPiece = (piece: Uint8Array): boolean => {
    watch.restart();
    size += piece.byteLength;
    if (size > maxBytes) throw tooManyBytes(name, maxBytes);
    head.add(piece.subarray(0, sniffedBytes - head.length));
    sink.add(piece);
    // Rarely, so that each byte is moved once or twice.
    if (sink.length > 2 * length + startBytes) sink.keepLast(length);
    return true;
  };
  await answer.read(onPiece).catch((cause) => rethrow(cause, name));
  sink.keepLast(length);
  return { bytes: sink.bytes(), head: head.bytes(), size };
}

function tooManyBytes(name: string, maxBytes: number): Error {
  return limitExceeded(`${name} has more bytes than the limit of ${maxBytes}`);
}

/** Throws errors of this library unchanged. Any other error means that the connection failed. */
function rethrow(cause: unknown, name: string): never {
  if (isZarrError(cause)) throw cause;
  throw new TransientFault(
    networkError(`${name} could not be read: ${failureReason(cause)}`, { code: "fetch-failed", cause }),
  );
}

/** Returns the message of a failed fetch. Node puts the reason into `cause`. */
export function failureReason(cause: unknown): string {
  if (!isError(cause)) return messageOf(cause);
  if (isError(cause.cause) && cause.cause.message) return cause.cause.message;
  // If all addresses of a host fail, Node's message is empty and the reason is the code.
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}
