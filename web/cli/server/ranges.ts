/** Byte ranges of RFC 9110, section 14. */
import type { Asked, Head } from "./response.js";

/** First and last byte, inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a header with one range, clamped to the object's end.
 * @returns undefined for no header, several ranges and invalid ones: the whole object is sent then, as the standard
 * allows;
 *   "unsatisfiable" for a range past the end, and for an empty one.
 */
function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  // A very long number becomes Infinity, which compares as a large number does.
  if (first !== "" && last !== "" && Number(first) > Number(last)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(size - 1, Number(last));
  return start > end ? "unsatisfiable" : { start, end };
}

/** Headers of every response with an object, in whole or in part. */
export const rangeHead: Head = { "accept-ranges": "bytes", "cache-control": "no-cache" };

/**
 * Sends the status and headers for an object of `size` bytes: 200, 206 for a range, or 416, which ends the response.
 * @param range the header, or undefined for the whole object.
 * @returns the bytes to send; undefined if the response has ended: for an empty object, for HEAD, and for an
 *   unsatisfiable range.
 */
export function sendRangeHead(
  { request, response }: Asked,
  size: number,
  range: string | undefined,
  head: Head,
): ByteRange | undefined {
  const all = { ...head, ...rangeHead };
  const part = parseRange(range, size);
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
