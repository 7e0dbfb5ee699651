/** Parts of objects at an offset. */

import type { Watch } from "../../util/idle-timeout.js";
import { changedError, type RangeQuery } from "../store.js";
import type { Answer } from "../transport.js";
import type { OffsetRange, Shared } from "./fallback.js";
import { claimsPage } from "./html-response.js";
import { readRangeAnswer, unsatisfiedTotal } from "./range-answer.js";
import { missingStatus, statusError, wholeStatus } from "./response.js";

/** A part as an answer gave it. */
interface Part {
  bytes: Uint8Array;
  /** Size that the object must have for the part to be what was asked for; undefined where that is certain. */
  unprovenSize?: number | undefined;
}

/**
 * The bytes at an offset.
 * @param size of the object, where it has been told: one that has another is another version.
 */
export async function readAt(
  shared: Shared,
  url: URL,
  range: OffsetRange,
  signal: AbortSignal,
  size?: number,
): Promise<Uint8Array | undefined> {
  const { offset, length } = range;
  // An empty range cannot be asked for: one byte is, to learn whether there is anything at all.
  const asked = { offset, length: Math.max(1, length) };
  const header = `bytes=${offset}-${offset + asked.length - 1}`;
  const use = async (answer: Answer, watch: Watch): Promise<Part | undefined> => {
    const { status } = answer;
    if (missingStatus.has(status)) return undefined;
    if (status === 206) return readPart(shared, url, answer, watch, { asked, length, size });
    if (wholeStatus.has(status)) {
      return { bytes: await shared.fallback().fromWhole(url, answer, watch, range) };
    }
    const total = status === 416 ? unsatisfiedTotal(answer) : undefined;
    if (status !== 416 || (total ?? 0) > offset) throw statusError(url.href, answer);
    return { bytes: new Uint8Array(0) };
  };
  const part = await shared.requests.send(url, { signal, range: header }, use);
  return part?.unprovenSize === undefined
    ? part?.bytes
    : shared.fallback().proven(url, range, part.bytes, part.unprovenSize, signal);
}

/** Reads the body of an answer of 206, and cuts it to `length`. */
export async function readPart(
  { maxBytes, versions, doubtful }: Shared,
  url: URL,
  answer: Answer,
  watch: Watch,
  { asked, length, size }: { asked: RangeQuery; length: number; size?: number | undefined },
): Promise<Part> {
  const read = await readRangeAnswer(answer, asked, { name: url.href, maxBytes, watch });
  const { bytes, range, unprovenSize } = read;
  if (size !== undefined && range?.total !== undefined && range.total !== size) throw changedError(url.href);
  const wanted = bytes.byteLength > length ? bytes.slice(0, length) : bytes;
  versions.note(url.href, wanted, answer, range?.total);
  if (claimsPage(answer)) doubtful.add(wanted);
  return { bytes: wanted, unprovenSize };
}
