/** Conditional writes: errors, the check of a condition, and retries after conflicts. */
import { untilAborted } from "../util/async.js";
import {
  alreadyExists,
  conflict,
  isZarrError,
  messageOf,
  networkError,
  type ZarrError,
} from "../util/errors.js";
import type { ObjectVersion, StoreSetOptions } from "./store.js";
import { transientStatus } from "./transport.js";

/** Returns the error of a write to an existing key that must be absent. */
export function existsError(name: string | URL): ZarrError {
  return alreadyExists(`${name} exists already`);
}

/** Returns the error of a write to an object that has changed since it was read. */
export function conflictError(name: string | URL, cause?: unknown): ZarrError {
  return conflict(`${name} was written by somebody else since it was read`, { cause });
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

/** What to do if another program has written an object since it was read. */
export type Conflicts = "retry" | "error" | "ignore";

/** Default number of attempts. */
const defaultAttempts = 10;
/** Maximum pause before the second attempt, in milliseconds. Doubles with each further one, up to a second. */
const pause = 10;
const maxPause = 1000;

/**
 * Runs work that reads an object and writes it with a condition. Repeats it after random pauses if the condition fails.
 * @param conflicts how to handle a conflict. A function is called after each attempt.
 * @throws AlreadyExists or Conflict if conflicts are errors; Conflict after the last attempt; what the work throws.
 */
export async function retried<T>(
  key: string,
  conflicts: Conflicts | (() => Conflicts),
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  attempts = defaultAttempts,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const mode = typeof conflicts === "function" ? conflicts() : conflicts;
      if (mode !== "retry" || !isZarrError(error, "AlreadyExists", "Conflict")) throw error;
      if (attempt === attempts)
        throw conflict(`${key} is written by others all the time; gave up after ${attempts} attempts`, {
          cause: error,
        });
    }
    const delay = Math.random() * Math.min(maxPause, pause * 2 ** attempt); // so that writers do not meet again
    await untilAborted(new Promise((resolve) => setTimeout(resolve, delay)), signal);
  }
}

/** Number of attempts of {@link insist}. */
const rounds = 3;

/**
 * Repeats work after transient failures, in addition to the retries of the store: for work whose failure would leave an
 * array incomplete.
 */
export async function insist(work: () => Promise<void>): Promise<void> {
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
