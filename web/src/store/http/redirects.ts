/** Which redirects are followed by this library instead of `fetch`, so that keys in headers stay with their origin. */
import { networkError, type ZarrError } from "../../util/errors.js";
import { type HttpResponse, type Transport, type TransportRequest, transientStatus } from "../transport.js";
import { statusError } from "./response.js";

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

export const isHarmless = (header: string): boolean => harmless.has(header);

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
export function redirectTarget({ status, headers }: HttpResponse): string | undefined {
  return redirectStatus.has(status) ? (headers.get("location") ?? undefined) : undefined;
}

/** The error of a request that is not sent again after a redirect. */
export function redirectError(url: URL, method: string, where: string): ZarrError {
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
