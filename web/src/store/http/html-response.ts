/** Answers that may be web pages in place of objects. */
import type { Answer } from "../transport.js";

/** True for an answer that says that it is a page. Some servers say so of everything. */
export function claimsPage(response: Answer): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(response.headers.get("content-type") ?? "");
}

/** True for an answer that may well be one: nothing is said of it, or that it is some kind of text. */
export function isTextual(response: Answer): boolean {
  return /^\s*(?:text\/|$)/i.test(response.headers.get("content-type") ?? "");
}
