/** Trying again where that may help. */
import { invalidArgument, isError, type ZarrError } from "../../util/errors.js";
import { unlessAborted } from "../../util/idle-timeout.js";

/** Answers that another try may better. */
export const transientStatus: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** A failure that may pass; carries the error to throw when it does not. */
export class TransientFault extends Error {
  constructor(
    readonly error: ZarrError,
    /** What the server asked to wait, in milliseconds. */
    readonly retryAfter?: number,
  ) {
    super(error.message);
  }
}

export interface RetryPolicy {
  /** How often to try again after a failure that may pass. */
  retries: number;
  /** First pause in milliseconds; doubles each time. */
  delay: number;
  /** Longest pause in milliseconds, also where the server asks for a longer one. */
  maxDelay: number;
}

export const defaultRetryPolicy: RetryPolicy = { retries: 3, delay: 250, maxDelay: 10_000 };

/** Throws InvalidArgument for an invalid policy. */
export function checkPolicy(policy: RetryPolicy): RetryPolicy {
  const { retries, delay, maxDelay } = policy;
  if (!Number.isSafeInteger(retries) || retries < 0 || !(delay >= 0) || !(maxDelay >= 0)) {
    throw invalidArgument(`not a retry policy: ${JSON.stringify(policy)}`);
  }
  return policy;
}

/**
 * Runs an attempt until it succeeds or fails for good: throws what it throws, for a TransientFault its error
 * after the last try.
 * @throws the signal's reason, also from within a pause.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (fault) {
      signal.throwIfAborted();
      if (!isError(fault) || !(fault instanceof TransientFault)) throw fault;
      if (tries >= policy.retries) throw fault.error;
      await pause(pauseBefore(tries, fault, policy), signal);
    }
  }
}

/** Between half and all of an exponentially growing pause, so that clients do not come back all at once. */
function pauseBefore(tries: number, { retryAfter = 0 }: TransientFault, policy: RetryPolicy): number {
  const backoff = policy.delay * 2 ** tries * (0.5 + Math.random() / 2);
  return Math.min(policy.maxDelay, Math.max(backoff, retryAfter));
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unlessAborted(over, signal, () => {}).finally(() => clearTimeout(timer));
}

/** Milliseconds of a Retry-After header: seconds or a date. Undefined for anything else. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
