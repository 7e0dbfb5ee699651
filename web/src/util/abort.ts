/** Waiting that an abort signal can interrupt. */
import { allowListeners } from "./platform.js";

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it is aborted, even if the work ignores
 * the signal. A later result or failure of the work is dropped.
 */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return Promise.resolve(work);
  allowListeners(signal);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const settle = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error) => {
        settle();
        reject(error);
      },
    );
  });
}
