/** Answers to requests for a part of an object: which part they say they are, and whether it holds. */

import type { Watch } from "../../util/idle-timeout.js";
import { resolveRange } from "../ranges.js";
import type { RangeQuery } from "../store.js";
import type { Answer } from "../transport.js";
import { readBody } from "./body.js";
import { announcedBytes, checkLength, isEncoded, rangeError } from "./response.js";

/** Content-Range: the first and last byte, and the size of the object where it is told. */
interface ContentRange {
  start: number;
  /** Exclusive. */
  end: number;
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

/** A part of an object as an answer of 206 gave it. */
export interface RangeAnswer {
  bytes: Uint8Array<ArrayBuffer>;
  /** Where it lies; undefined where CORS hides the Content-Range. */
  range: ContentRange | undefined;
  /**
   * Size that the object must have for the bytes to be what was asked for: they are fewer, and the answer does not say
   * that the object ends there. Undefined where they are what was asked for as they are.
   */
  unprovenSize: number | undefined;
}

/**
 * Reads the body of an answer of 206.
 * @throws Network ("bad-range") for another part than was asked for, for one that does not say which it is (and may:
 *   CORS can hide that), for several parts, and for a compressed one, of which nobody can say what it is part of;
 *   LimitExceeded; TransientFault for a body that is cut short.
 */
export async function readRangeAnswer(
  response: Answer,
  asked: RangeQuery,
  { name, maxBytes, watch }: { name: string; maxBytes: number; watch: Watch },
): Promise<RangeAnswer> {
  if (/^\s*multipart\//i.test(response.headers.get("content-type") ?? "")) {
    throw rangeError(name, "it sent several parts");
  }
  if (isEncoded(response)) {
    throw rangeError(name, `it is encoded (${response.headers.get("content-encoding")})`);
  }
  const range = contentRange(response, asked, name);
  const wanted = "suffixLength" in asked ? asked.suffixLength : asked.length;
  const told = range && range.end - range.start;
  const most = told ?? wanted;
  const bytes = await readBody(response, { name, take: most + 1, maxBytes, expected: most, watch });
  if (bytes.byteLength > most) throw rangeError(name, `it sent more than ${most} bytes`);
  checkLength(bytes.byteLength, told ?? announcedBytes(response), name);
  return { bytes, range, unprovenSize: unprovenSize(bytes.byteLength, range, asked) };
}

function unprovenSize(
  length: number,
  range: ContentRange | undefined,
  asked: RangeQuery,
): number | undefined {
  if (range?.total !== undefined) return undefined;
  if (!("suffixLength" in asked)) return length < asked.length ? asked.offset + length : undefined;
  // Where the last bytes start, only the size of the object says; what CORS hides is believed if it has the length.
  if (range) return range.end;
  return length < asked.suffixLength ? length : undefined;
}

/** The Content-Range, where it can be seen, if it is the part that was asked for. */
function contentRange(response: Answer, asked: RangeQuery, name: string): ContentRange | undefined {
  const text = response.headers.get("content-range");
  if (text === null) {
    if (response.isCors) return undefined;
    throw rangeError(name, "it does not say which part it sent");
  }
  const range = parseContentRange(text);
  if (!range || !fits(range, asked)) throw rangeError(name, `it sent "${text.slice(0, 80)}"`);
  return range;
}

/** Exactly what was asked for, or what there is of it. Without the object's size, an early end is to be proven. */
function fits({ start, end, total }: ContentRange, asked: RangeQuery): boolean {
  if (total !== undefined) {
    const wanted = resolveRange(asked, total);
    return start === wanted.start && end === wanted.end;
  }
  if ("suffixLength" in asked) return end - start <= asked.suffixLength;
  return start === asked.offset && end <= asked.offset + asked.length;
}

/** The size of the object that an answer of 416 tells; undefined where it does not. */
export function unsatisfiedTotal(response: Answer): number | undefined {
  const match = /^\s*bytes\s+\*\/(\d+)\s*$/i.exec(response.headers.get("content-range") ?? "");
  const total = Number(match?.[1]);
  return Number.isSafeInteger(total) ? total : undefined;
}
