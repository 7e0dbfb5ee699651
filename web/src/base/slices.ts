/** Splits long synchronous work into slices, so that large or hostile documents do not block the event loop. */
import { nextTask } from "./platform.js";

/**
 * Work that can be interrupted: a generator that yields wherever it may pause, at least every few milliseconds.
 * Its result is what it returns.
 */
export type Steps<T> = Generator<void, T, void>;

/** Milliseconds of work after which other tasks get their turn. */
export const sliceTime = 40;
/** Steps after which they get it in any case: in workerd the clock stands still during synchronous work. */
const sliceSteps = 2 ** 14;

/** Runs the work to its end without a pause. */
export function runAll<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Runs the work in slices of about 40 ms, between which the event loop turns.
 * @throws what the work throws; the signal's reason.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal | undefined): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const end = performance.now() + sliceTime;
    for (let step = 0; step < sliceSteps; step++) {
      const { done, value } = steps.next();
      if (done) return value;
      if (performance.now() > end) break;
    }
    await nextTask();
  }
}
