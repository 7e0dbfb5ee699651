/** Byte ranges as RFC 9110, section 14, has them. */
import type { Asked, Head } from "./response.js";

/** First and last byte, the last one included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The one range that a header asks for, cut at the object's end.
 * @returns undefined for no header, several ranges and what is no range: all of it is sent then, as the standard allows;
 *   "unsatisfiable" for a range behind the end, and for one of no bytes.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  // Digits without end become Infinity, which compares as a large number does.
  if (first !== "" && last !== "" && Number(first) > Number(last)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(size - 1, Number(last));
  return start > end ? "unsatisfiable" : { start, end };
}

/** What every answer says of an object that is sent in whole or in part. */
export const rangeHead: Head = { "accept-ranges": "bytes", "cache-control": "no-cache" };

/**
 * Sends the head of an answer with an object of `size` bytes: 200, 206 for the part that a range names, or 416, which
 * ends it.
 * @param range the header, or undefined for all of the object.
 * @returns the bytes to send; undefined where the answer has ended: there is nothing to send of an empty object, to HEAD,
 *   and for a range that cannot be.
 */
export function sendRangeHead(
  { request, response }: Asked,
  size: number,
  range: string | undefined,
  head: Head,
): ByteRange | undefined {
  const all = { ...head, ...rangeHead };
  const part = rangeOf(range, size);
  if (part === "unsatisfiable") {
    response.writeHead(416, { ...all, "content-range": `bytes */${size}`, "content-length": 0 }).end();
    return undefined;
  }
  const { start, end } = part ?? { start: 0, end: size - 1 };
  const place = part ? { "content-range": `bytes ${start}-${end}/${size}` } : {};
  response.writeHead(part ? 206 : 200, { ...all, ...place, "content-length": end - start + 1 });
  if (request.method !== "HEAD" && size > 0) return { start, end };
  response.end();
  return undefined;
}
