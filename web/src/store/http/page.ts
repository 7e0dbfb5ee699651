/**
 * Web pages in place of objects. Applications of one page, logins and proxies answer every address with a page and
 * the status 200, also where there is nothing: parts of such a page must not be taken for parts of a chunk.
 */
import { networkError, type ZarrError } from "../../base/errors.js";
import type { Answer } from "./transport.js";

/** Bytes at the start of an object that tell whether it is a page. */
export const tellingBytes = 1024;

/** Spec: WHATWG MIME Sniffing, section 7.1, the patterns of text/html. */
const pageStart =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link)[\t\n\f\r />])/i;

/** True for an answer that says that it is a page. Some servers say so of everything. */
export function claimsPage(response: Answer): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(response.headers.get("content-type") ?? "");
}

/** True for an answer that may well be one: nothing is said of it, or that it is some kind of text. */
export function isTextual(response: Answer): boolean {
  return /^\s*(?:text\/|$)/i.test(response.headers.get("content-type") ?? "");
}

/** True for an object that starts like a page. */
export function startsPage(bytes: Uint8Array): boolean {
  return pageStart.test(new TextDecoder().decode(bytes.subarray(0, tellingBytes)));
}

export function pageError(name: string, status: number): ZarrError {
  return networkError(
    `${name} answered with an HTML page instead of data: a server that does so cannot say that a key is missing`,
    { code: "html-page", status },
  );
}
