/**
 * Web pages in place of objects. Applications of one page, logins and proxies answer every address with a page and
 * the status 200, also where there is nothing: parts of such a page must not be taken for parts of a chunk.
 */

import { networkError } from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";

/** Bytes at the start of an object that tell whether it is a page. */
export const tellingBytes = 1024;

/** Spec: WHATWG MIME Sniffing, section 7.1, the patterns of text/html. */
const pageStart =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link)[\t\n\f\r />])/i;

/** @throws Network ("html-page") for an object that starts like a page. */
export function refusePageStart(name: string, status: number, start: Uint8Array): void {
  if (!pageStart.test(textDecoder().decode(start.subarray(0, tellingBytes)))) return;
  throw networkError(
    `${name} answered with an HTML page instead of data: a server that does so cannot say that a key is missing`,
    { code: "html-page", status },
  );
}
