/** What stores answer: the one place where it is waited for and looked at. */
import { untilAborted } from "../util/abort.js";
import { asBytes, kindName } from "../util/bytes.js";
import { isError, messageOf, networkError, type ZarrError } from "../util/errors.js";
import type { Store } from "./store.js";

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
