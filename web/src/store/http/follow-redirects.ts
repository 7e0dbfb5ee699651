/** Follows redirects by the same rules for every method and transport. */

import { type HopAnswer, isHarmless, isRead, redirectError, type SendHop, targetOf } from "./redirects.js";
import { statusError } from "./response.js";
import { transientStatus } from "./retry.js";
import type { Answer, TransportRequest } from "./transport.js";

/** Spec: Fetch standard, "HTTP-redirect fetch". */
const maxRedirects = 20;

/**
 * Follows redirects from an answer on. A read that leaves the origin loses all headers that may hold keys; a write does
 * not leave it.
 * @param first the redirect that answered the request.
 * @throws Network ("redirect") for a write that is redirected to another origin, to a URL that is not HTTP, or more than
 *   20 times; another Error for reads, as `fetch` does.
 */
export async function followRedirects(
  from: URL,
  request: TransportRequest,
  first: HopAnswer,
  send: SendHop,
): Promise<Answer> {
  let [answer, sent, hasLeft] = [first, request, false];
  for (let hops = 0; ; hops++) {
    const location = targetOf(answer);
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
function confirmed(request: TransportRequest, sent: TransportRequest, answer: HopAnswer): Answer {
  const { status } = answer;
  const isJudged = sent.method === request.method || transientStatus.has(status);
  if (isJudged || (status >= 200 && status < 300)) return answer;
  answer.discard();
  throw statusError(`${answer.url.href}, to which ${request.method} was redirected,`, answer);
}
