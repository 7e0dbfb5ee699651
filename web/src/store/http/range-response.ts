/** Reads the responses to range requests. */

import type { IdleTimeout } from "../../util/async.js";
import { resolveRange } from "../read.js";
import type { RangeQuery } from "../store.js";
import type { HttpResponse } from "../transport.js";
import { announcedBytes, checkLength, isEncoded, rangeError, readBody } from "./response.js";

interface ContentRange {
  start: number;
  /** Exclusive. */
  end: number;
  /** Size of the object if the server tells it. */
  total: number | undefined;
}

/** Parses `bytes 0-9/100` and `bytes 0-9/*`; undefined for anything else. */
function parseContentRange(text: string): ContentRange | undefined {
  const match = /^\s*bytes\s+(\d+)-(\d+)\/(\d+|\*)\s*$/i.exec(text);
  if (!match) return undefined;
  const [start, last, total] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const end = last + 1;
  const known = match[3] !== "*";
  if (!Number.isSafeInteger(end) || start >= end || (known && !(end <= total))) return undefined;
  return { start, end, total: known ? total : undefined };
}

export interface RangeResponse {
  bytes: Uint8Array<ArrayBuffer>;
  /** Undefined if CORS hides Content-Range. */
  range: ContentRange | undefined;
  /**
   * Size that the object must have for the bytes to be the requested range. Set if they are fewer than requested and
   * the response does not say that the object ends there.
   */
  unprovenSize: number | undefined;
}

/**
 * Reads the body of a response with status 206.
 * @throws Network ("bad-range") for a range that was not requested, for an unknown one unless CORS hides it, for several
 *   ranges, and for a body with a content coding; LimitExceeded; TransientFault for a truncated body.
 */
export async function readRangeResponse(
  answer: HttpResponse,
  asked: RangeQuery,
  { name, maxBytes, watch }: { name: string; maxBytes: number; watch: IdleTimeout },
): Promise<RangeResponse> {
  if (/^\s*multipart\//i.test(answer.headers.get("content-type") ?? "")) {
    throw rangeError(name, "it sent several parts");
  }
  if (isEncoded(answer)) {
    throw rangeError(name, `it is encoded (${answer.headers.get("content-encoding")})`);
  }
  const range = contentRange(answer, asked, name);
  const wanted = "suffixLength" in asked ? asked.suffixLength : asked.length;
  const claimed = range && range.end - range.start;
  const limit = claimed ?? wanted;
  const bytes = await readBody(answer, { name, take: limit + 1, maxBytes, expected: limit, watch });
  if (bytes.byteLength > limit) throw rangeError(name, `it sent more than ${limit} bytes`);
  checkLength(bytes.byteLength, claimed ?? announcedBytes(answer), name);
  return { bytes, range, unprovenSize: unprovenSize(bytes.byteLength, range, asked) };
}

function unprovenSize(
  length: number,
  range: ContentRange | undefined,
  asked: RangeQuery,
): number | undefined {
  if (range?.total !== undefined) return undefined;
  if (!("suffixLength" in asked)) return length < asked.length ? asked.offset + length : undefined;
  // Only the object's size tells where a suffix starts. If CORS hides the range, the right length is proof enough.
  if (range) return range.end;
  return length < asked.suffixLength ? length : undefined;
}

function contentRange(answer: HttpResponse, asked: RangeQuery, name: string): ContentRange | undefined {
  const text = answer.headers.get("content-range");
  if (text === null) {
    if (answer.isCors) return undefined;
    throw rangeError(name, "it does not state which part it sent");
  }
  const range = parseContentRange(text);
  if (!range || !fits(range, asked)) throw rangeError(name, `it sent "${text.slice(0, 80)}"`);
  return range;
}

/** Whether a range is the requested one, up to the object's end. Without the object's size, an early end is unproven. */
function fits({ start, end, total }: ContentRange, asked: RangeQuery): boolean {
  if (total !== undefined) {
    const wanted = resolveRange(asked, total);
    return start === wanted.start && end === wanted.end;
  }
  if ("suffixLength" in asked) return end - start <= asked.suffixLength;
  return start === asked.offset && end <= asked.offset + asked.length;
}

/** Returns the object's size from a response with status 416; undefined if the response does not state it. */
export function unsatisfiedTotal(answer: HttpResponse): number | undefined {
  const match = /^\s*bytes\s+\*\/(\d+)\s*$/i.exec(answer.headers.get("content-range") ?? "");
  const total = Number(match?.[1]);
  return Number.isSafeInteger(total) ? total : undefined;
}
