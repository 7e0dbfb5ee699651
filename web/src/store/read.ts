/** What stores answer: the one place where it is waited for and looked at. */

import { untilAborted } from "../util/abort.js";
import { checkSignal } from "../util/arguments.js";
import { asBytes, kindName } from "../util/bytes.js";
import { invalidArgument, isError, messageOf, networkError, type ZarrError } from "../util/errors.js";
import type { GetOptions, RangeQuery, Store } from "./store.js";

/**
 * Asks a store for bytes. Its answer is waited for as long as the signal allows, whether or not the store heeds it.
 * @returns plain bytes; undefined, and only for undefined, where there is nothing under the key.
 * @throws Network ("bad-answer"), naming the store, for an answer other than bytes; errors of the store, and Network
 *   ("store-failed") if it throws another value; the signal's reason.
 */
export async function answerOf(
  store: Store,
  key: string,
  ask: () => unknown,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  signal?.throwIfAborted();
  try {
    const asked = ask();
    // Synchronous results need no await.
    const answer = isPromise(asked) ? await untilAborted(asked, signal) : asked;
    if (answer === undefined) return undefined;
    const bytes = asBytes(answer);
    if (!bytes) throw badAnswer(store, key, answer);
    return bytes;
  } catch (cause) {
    if (isError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
    throw storeFailed(locateKey(store, key), "read", cause);
  }
}

/** The location of a key, for messages: its URL or path if the store can tell, else the key. */
export function locateKey(store: Store, key: string): string {
  try {
    return store.locate?.(key) ?? key;
  } catch {
    return key;
  }
}

/**
 * The error of a store that has thrown one of its own.
 * @param place where, as {@link Store.locate} has it.
 * @param what was to be done there: "read", "written", "deleted", "listed".
 */
export const storeFailed = (place: string, what: string, cause: unknown): ZarrError =>
  networkError(`${place} could not be ${what}: ${messageOf(cause)}`, { code: "store-failed", cause });

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function badAnswer(store: Store, key: string, answer: unknown): ZarrError {
  const name = store.constructor?.name || "a store";
  const place = locateKey(store, key);
  return networkError(
    `${name} answered with no bytes (${kindName(answer)}) for ${place}: there must be a Uint8Array, or undefined for nothing`,
    { code: "bad-answer" },
  );
}

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
