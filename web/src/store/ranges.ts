/** Parts of objects, from stores that serve ranges and from those that do not. */
import { checkSignal } from "../util/arguments.js";
import { invalidArgument, networkError } from "../util/errors.js";
import { answerOf, locateKey } from "./read-checked.js";
import type { GetOptions, RangeQuery, Store } from "./store.js";

/**
 * Reads a part of an object: with the store's `getRange`, or else with `get` and a cut.
 * @returns undefined where there is no such key; fewer bytes than asked only where the object ends, so
 *   callers that need all of them compare the length.
 * @throws InvalidArgument for an invalid range; Network ("bad-range") for a store that returns more than
 *   was asked, so that what was meant cannot be told, and ("bad-answer") for one that returns no bytes; what the
 *   store throws; the signal's reason.
 */
export async function readRange(
  store: Store,
  key: string,
  range: RangeQuery,
  options: GetOptions = {},
): Promise<Uint8Array | undefined> {
  checkRange(range);
  const { signal } = options;
  checkSignal(signal);
  if (!store.getRange) {
    // All of the object is asked for, not just as much as the range may have.
    const whole = await answerOf(
      store,
      key,
      () => store.get(key, { ...options, maxBytes: undefined }),
      signal,
    );
    return whole && cutRange(whole, range);
  }
  const bytes = await answerOf(store, key, () => store.getRange!(key, range, options), signal);
  if (bytes && bytes.byteLength > wantedBytes(range)) {
    throw networkError(
      `${locateKey(store, key)}: the store returned ${bytes.byteLength} bytes for a range of ${wantedBytes(range)}`,
      { code: "bad-range" },
    );
  }
  return bytes;
}

/** Bytes that a range asks for. */
export function wantedBytes(range: RangeQuery): number {
  return "suffixLength" in range ? range.suffixLength : range.length;
}

/** Throws InvalidArgument unless a range's numbers are whole, not negative, and safe to add. */
export function checkRange(range: RangeQuery): void {
  const [offset, length] = "suffixLength" in range ? [0, range.suffixLength] : [range.offset, range.length];
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
  if (!isCount(offset) || !isCount(length) || !isCount(offset + length)) {
    throw invalidArgument(`${JSON.stringify(range)} is not a range`, { code: "bad-range" });
  }
}

/** Where a range starts and ends in an object of a size: within it, `end` exclusive. */
export function resolveRange(range: RangeQuery, size: number): { start: number; end: number } {
  if ("suffixLength" in range) return { start: Math.max(0, size - range.suffixLength), end: size };
  return { start: Math.min(range.offset, size), end: Math.min(range.offset + range.length, size) };
}

/** The part of a whole object that a range names: a view, no copy. */
export function cutRange<T extends ArrayBufferLike>(whole: Uint8Array<T>, range: RangeQuery): Uint8Array<T> {
  const { start, end } = resolveRange(range, whole.byteLength);
  return whole.subarray(start, end);
}

/** A range as text: names it in messages and in cache keys. */
export function rangeName(range: RangeQuery | undefined): string {
  if (!range) return "";
  return "suffixLength" in range ? `bytes=-${range.suffixLength}` : `bytes=${range.offset}+${range.length}`;
}
