/** Waiting that a signal can cut short. */
import { allowListeners } from "./platform.js";

/**
 * What `work` gives, or the signal's reason as soon as it is aborted, whether or not the work heeds it: what it gives
 * later is dropped, a failure of it too.
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
