/**
 * HTTP responses: errors by status, content codings, HTML pages in place of objects, bounded bodies; redirects, which are
 * followed by this library instead of `fetch` if headers may hold keys, so that keys stay with their origin.
 */

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
import { type HttpResponse, type Transport, type TransportRequest, transientStatus } from "../transport.js";

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
  /** Number of bytes at the end of the body to return; needs memory for twice their number. Default: all. */
  last?: number;
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
  const { name, skip = 0, take = Number.POSITIVE_INFINITY, last, maxBytes, watch } = options;
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
    // Rarely, so that each byte is moved once or twice.
    if (last !== undefined && sink.length > 2 * last + startBytes) sink.keepLast(last);
    return sink.length < take;
  };
  if (take > 0) await answer.read(onPiece).catch((cause) => rethrow(cause, name));
  if (last !== undefined) sink.keepLast(last);
  return sink.bytes();
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

/** Spec: Fetch standard, "redirect status". */
const redirectStatus: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/**
 * The only headers that another origin receives. Any other header may hold a key, whatever its name: `fetch` removes
 * just `authorization`, `cookie` and `proxy-authorization`.
 */
const harmless: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "if-modified-since",
  "if-none-match",
  "range",
  "user-agent",
]);

const isHarmless = (header: string): boolean => harmless.has(header);

/** Methods that read: another origin may answer them. */
export const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** Whether every origin may receive a request: it reads, and none of its headers can hold a key. */
export const isOpen = (method: string, headers: Headers): boolean =>
  isRead(method) && [...headers.keys()].every(isHarmless);

/** The answer to one request, which may be a redirect. */
export interface HopResponse extends HttpResponse {
  /** URL that answered: a signed request may go elsewhere. Relative redirects start there. */
  readonly url: URL;
  redirected?: boolean;
}

/**
 * Sends one request without following redirects.
 * @param hasLeft whether a redirect has left the origin of the first request: nothing may be signed from then on.
 */
export type SendHop = (url: URL, request: TransportRequest, hasLeft: boolean) => Promise<HopResponse>;

/** Returns a transport that follows redirects. @param send sends one request. */
export function redirectable(send: SendHop): Transport {
  return async (url, request) => {
    const answer = await send(url, request, false);
    if (redirectTarget(answer) === undefined) return answer;
    answer.discard();
    return followRedirects(url, request, answer, send);
  };
}

/** The Location of a redirect; undefined for other answers. */
function redirectTarget({ status, headers }: HttpResponse): string | undefined {
  return redirectStatus.has(status) ? (headers.get("location") ?? undefined) : undefined;
}

/** The error of a request that is not sent again after a redirect. */
function redirectError(url: URL, method: string, where: string): ZarrError {
  return networkError(`${url.href} redirects ${method} ${where}`, { code: "redirect" });
}

/** The error if the runtime does not show the target of a redirect, and may not follow it either. */
export const hiddenRedirect = (url: URL, method: string): ZarrError =>
  redirectError(url, method, "and this runtime hides the target; use the URL of the target");

/** Spec: Fetch standard, "HTTP-redirect fetch". */
const maxRedirects = 20;

/**
 * Follows redirects from an answer on. A read that leaves the origin loses all headers that may hold keys; a write does
 * not leave it.
 * @param first the redirect that answered the request.
 * @throws Network ("redirect") for a write that is redirected to another origin, to a URL that is not HTTP, or more than
 *   20 times; another Error for reads, as `fetch` does.
 */
async function followRedirects(
  from: URL,
  request: TransportRequest,
  first: HopResponse,
  send: SendHop,
): Promise<HttpResponse> {
  let [answer, sent, hasLeft] = [first, request, false];
  for (let hops = 0; ; hops++) {
    const location = redirectTarget(answer);
    if (location === undefined) return confirmed(request, sent, answer);
    answer.discard();
    if (hops === maxRedirects)
      throw refusal(request, from, `more than ${maxRedirects} times: redirect count exceeded`);
    const next = URL.canParse(location, answer.url) ? new URL(location, answer.url) : undefined;
    // Servers may not choose the schemes of local files and of data in URLs.
    if (!next || !/^https?:$/.test(next.protocol))
      throw refusal(request, from, `to ${location.slice(0, 200)}, which is not an HTTP URL`);
    hasLeft ||= next.origin !== from.origin || answer.url.origin !== from.origin;
    if (hasLeft && !isRead(request.method))
      throw refusal(request, from, `to ${next.origin}, another origin; open the store there`);
    sent = redirected(sent, answer.status, hasLeft);
    answer = await send(next, sent, hasLeft);
    answer.redirected = true;
  }
}

/** The error of a redirect that is not followed. A refused write is not in doubt: nothing was written. */
function refusal({ method }: TransportRequest, from: URL, where: string): Error {
  return isRead(method) ? new Error(`the server redirects ${where}`) : redirectError(from, method, where);
}

/** The request for the next hop. Spec: Fetch standard, "HTTP-redirect fetch", for 303. */
function redirected(request: TransportRequest, status: number, hasLeft: boolean): TransportRequest {
  const becomesGet = status === 303 && !isRead(request.method);
  if (!becomesGet && !hasLeft) return request;
  const { watch, body, method } = request;
  const isKept = (name: string) =>
    (!hasLeft || isHarmless(name)) && !(becomesGet && /^(content-|if-)/.test(name));
  const headers = new Headers([...request.headers].filter(([name]) => isKept(name)));
  return becomesGet || !body
    ? { method: becomesGet ? "GET" : method, headers, watch }
    : { method, headers, body, watch };
}

/** After 303 a GET is answered, whose status is unrelated to a condition of the write. */
function confirmed(request: TransportRequest, sent: TransportRequest, answer: HopResponse): HttpResponse {
  const { status } = answer;
  const isJudged = sent.method === request.method || transientStatus.has(status);
  if (isJudged || (status >= 200 && status < 300)) return answer;
  answer.discard();
  throw statusError(`${answer.url.href}, to which ${request.method} was redirected,`, answer);
}
