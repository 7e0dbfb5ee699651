/** Which redirects are followed by this library instead of `fetch`, so that keys in headers stay with their origin. */
import { networkError, type ZarrError } from "../../util/errors.js";
import { lazy } from "../../util/lazy.js";
import type { Answer, Transport, TransportRequest } from "./transport.js";

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
export interface HopAnswer extends Answer {
  /** URL that answered: a signed request may go elsewhere. Relative redirects start there. */
  readonly url: URL;
}

/**
 * Sends one request without following redirects.
 * @param hasLeft whether a redirect has left the origin of the first request: nothing may be signed from then on.
 */
export type SendHop = (url: URL, request: TransportRequest, hasLeft: boolean) => Promise<HopAnswer>;

const follower = lazy("redirects", () => import("../../lazy/redirects.js"));

/** A transport that follows redirects, of what sends one request. */
export function redirectable(send: SendHop): Transport {
  return async (url, request) => {
    const answer = await send(url, request, false);
    if (targetOf(answer) === undefined) return answer;
    answer.discard();
    const { followRedirects } = await follower();
    return followRedirects(url, request, answer, send);
  };
}

/** The Location of a redirect; undefined for other answers. */
export function targetOf({ status, headers }: Answer): string | undefined {
  return redirectStatus.has(status) ? (headers.get("location") ?? undefined) : undefined;
}

/** The error of a request that is not sent again after a redirect. */
export function redirectError(url: URL, method: string, where: string): ZarrError {
  return networkError(`${url.href} redirects ${method} ${where}`, { code: "redirect" });
}

/** The error if the runtime does not show the target of a redirect, and may not follow it either. */
export const hiddenRedirect = (url: URL, method: string): ZarrError =>
  redirectError(url, method, "and this runtime hides the target; use the URL of the target");
