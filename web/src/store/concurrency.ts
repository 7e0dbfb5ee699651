/** Concurrent writers: conditional writes and retries after conflicts, queues within this process. */

import { untilAborted } from "../util/async.js";
import {
  alreadyExists,
  conflict,
  isZarrError,
  messageOf,
  networkError,
  type ZarrError,
} from "../util/errors.js";
import { handleOf, innermostStore } from "./handle.js";
import type { MaybePromise, ObjectVersion, Store, StoreSetOptions } from "./store.js";
import { sleep, transientStatus } from "./transport.js";

/** Returns the error of a write to an existing key that must be absent. */
export function existsError(name: string | URL, cause?: unknown): ZarrError {
  return alreadyExists(`${name} already exists`, { cause });
}

/** Returns the error of a write to an object that has changed since it was read. */
export function conflictError(name: string | URL, cause?: unknown): ZarrError {
  return conflict(`${name} was modified concurrently by another writer`, { cause });
}

/**
 * Returns the error of a conditional write that may have been applied although its request failed.
 * @param cause the error of the last attempt.
 */
export function outcomeUnknown(name: string | URL, cause: unknown): ZarrError {
  const { message, status } = isZarrError(cause) ? cause : { message: messageOf(cause), status: undefined };
  const text = `${name} may have been written or not: an attempt failed without a definite answer, then: ${message}`;
  return networkError(text, { code: "unknown-outcome", status, cause });
}

/** Whether a write failed with {@link outcomeUnknown}. */
export const isOutcomeUnknown = (error: unknown): error is ZarrError =>
  isZarrError(error, "Network") && error.code === "unknown-outcome";

/**
 * Checks the condition of a write.
 * @param now the stored version; undefined for a missing object.
 * @throws AlreadyExists, Conflict.
 */
export function checkCondition(
  ifVersion: StoreSetOptions["ifVersion"],
  now: ObjectVersion | undefined,
  name: string | URL,
): void {
  if (ifVersion === undefined) return;
  if (ifVersion === "absent") {
    if (now) throw existsError(name);
  } else if (!now || now.etag !== ifVersion.etag) throw conflictError(name);
}

/** Whether a write failed because its condition did not hold. */
export const isConflict = (error: unknown): error is ZarrError =>
  isZarrError(error, "AlreadyExists", "Conflict");

/** What to do if another program has written an object since it was read. */
export type Conflicts = "retry" | "error" | "ignore";

const maxAttempts = 10;
/** Maximum pause before the second attempt, in milliseconds. Doubles with each further one, up to a second. */
const pause = 10;
const maxPause = 1000;

/**
 * Runs work that reads an object and writes it with a condition. Repeats it after random pauses if the condition fails.
 * @throws AlreadyExists or Conflict if conflicts are errors; Conflict after the last attempt; what the work throws.
 */
export async function retryConflicts<T>(
  key: string,
  conflicts: Conflicts,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (conflicts !== "retry" || !isConflict(error)) throw error;
      if (attempt === maxAttempts)
        throw conflict(
          `${key} is constantly modified by other writers; gave up after ${maxAttempts} attempts`,
          {
            cause: error,
          },
        );
    }
    const delay = Math.random() * Math.min(maxPause, pause * 2 ** attempt); // so that writers do not meet again
    await sleep(delay, signal);
  }
}

/** Number of attempts of {@link retryTransient}. */
const rounds = 3;

/**
 * Repeats work after transient failures, in addition to the retries of the store: for work whose failure would leave an
 * array incomplete.
 */
export async function retryTransient(work: () => Promise<void>): Promise<void> {
  for (let round = 1; ; round++) {
    try {
      return await work();
    } catch (error) {
      if (round === rounds || !isTransient(error)) throw error;
    }
  }
}

function isTransient(error: unknown): boolean {
  if (!isZarrError(error, "Network", "Conflict")) return false;
  if (isOutcomeUnknown(error)) return isTransient(error.cause);
  const { _tag, status, code } = error;
  return (
    _tag === "Conflict" || code === "fetch-failed" || (status !== undefined && transientStatus.has(status))
  );
}

/**
 * Runs work after all work that was requested earlier at the same path of the same store; a path is a node's, or an
 * object's key. Work may wait for turns at paths above its own, never below, which rules out deadlocks.
 * @param isShared runs the work in parallel with other shared work, which waits only for earlier exclusive work.
 * @throws the signal's reason if it is aborted before the turn has come.
 */
export async function inTurn<T>(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  isShared = false,
): Promise<T> {
  const { queues } = handleOf(innermostStore(store));
  const queue = queues.get(path) ?? { exclusive: Promise.resolve(), all: Promise.resolve() };
  queues.set(path, queue);
  const before = isShared ? queue.exclusive : queue.all;
  let end!: () => void;
  const settled = new Promise<void>((resolve) => {
    end = resolve;
  });
  const all = isShared ? Promise.all([queue.all, settled]) : settled;
  if (!isShared) queue.exclusive = all;
  queue.all = all;
  void all.then(() => {
    if (queue.all === all) queues.delete(path);
  });
  try {
    await untilAborted(before, signal);
    signal?.throwIfAborted();
  } catch (reason) {
    // An aborted turn stays in the queue: later ones still wait for earlier ones.
    void before.then(end);
    throw reason;
  }
  try {
    return await work(); // awaited, so that the stacks of errors contain the caller
  } finally {
    end();
  }
}

/** Time that a store has after an abort to clean up, in milliseconds. */
const patience = 1000;

/**
 * Writes an object, or all with a prefix that ends in "/", and waits for the end; after an abort only for a moment, as
 * stores may ignore signals. Later writes of the same objects wait for an aborted one, which could replace them.
 * @throws what the work throws; the signal's reason.
 */
export async function trackWrite(
  store: Store,
  key: string,
  signal: AbortSignal | undefined,
  work: () => MaybePromise<unknown>,
): Promise<void> {
  const { pendingWrites } = handleOf(innermostStore(store));
  for (const [end, other] of pendingWrites) if (overlaps(key, other)) await untilAborted(end, signal);
  const done = work();
  if (!signal) return void (await done);
  const ended = Promise.resolve(done).then(
    () => {},
    () => {},
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await untilAborted(ended, signal);
  } catch {
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), patience);
    });
    if ((await Promise.race([ended, late])) === "late") {
      pendingWrites.set(ended, key);
      void ended.then(() => pendingWrites.delete(ended));
      throw signal.reason;
    }
  } finally {
    clearTimeout(timer);
  }
  await done;
}

/** Whether two keys or prefixes have an object in common. */
const overlaps = (a: string, b: string): boolean =>
  a === b || (a.endsWith("/") && b.startsWith(a)) || (b.endsWith("/") && a.startsWith(b));
