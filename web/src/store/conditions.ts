/** Conditions of writes: what is stored must be what was seen, or nothing. */
import {
  alreadyExists,
  conflict,
  isZarrError,
  messageOf,
  networkError,
  type ZarrError,
} from "../util/errors.js";
import type { ObjectVersion, SetOptions } from "./store.js";

/** The error of a key under which there should have been nothing. */
export function existsError(name: string | URL): ZarrError {
  return alreadyExists(`${name} exists already`);
}

/** The error of an object that is not of the version any more that was seen. */
export function conflictError(name: string | URL, cause?: unknown): ZarrError {
  return conflict(`${name} was written by somebody else since it was read`, { cause });
}

/**
 * The error of a conditional write whose outcome is unknown: a request may have been applied although it failed.
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
 * Holds the condition of a write against what is stored.
 * @param now the object as it is; undefined where there is none.
 * @throws AlreadyExists, Conflict.
 */
export function checkCondition(
  ifVersion: SetOptions["ifVersion"],
  now: ObjectVersion | undefined,
  name: string | URL,
): void {
  if (ifVersion === undefined) return;
  if (ifVersion === "absent") {
    if (now) throw existsError(name);
  } else if (!now || now.etag !== ifVersion.etag) throw conflictError(name);
}
