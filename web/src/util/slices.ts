/** Splits long synchronous work into slices, so that large or hostile documents do not block the event loop. */
import { nextTask } from "./platform.js";

/**
 * Interruptible work: a generator that yields at every point where it may pause, at least every few
 * milliseconds, and returns its result.
 */
export type Steps<T> = Generator<void, T, void>;

/** Duration of a slice, in milliseconds. */
export const sliceTime = 40;
/** Maximum number of steps per slice: workerd's clock does not advance during synchronous work. */
const sliceSteps = 2 ** 14;

/** Runs all of the work synchronously. */
export function runAll<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs one slice of the work. @returns the result; undefined if work remains. */
export function runSlice<T>(steps: Steps<T>): { readonly result: T } | undefined {
  const end = performance.now() + sliceTime;
  for (let step = 0; step < sliceSteps; step++) {
    const { done, value } = steps.next();
    if (done) return { result: value };
    if (performance.now() > end) break;
  }
  return undefined;
}

/**
 * Runs the work in slices and yields to the event loop between them.
 * @throws errors of the work; the signal's reason.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal | undefined): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const finished = runSlice(steps);
    if (finished) return finished.result;
    await nextTask();
  }
}

/** Runs the first slice synchronously. @returns the result, or a promise for it if work remains. */
export function startSlices<T>(steps: Steps<T>): T | Promise<T> {
  const finished = runSlice(steps);
  return finished ? finished.result : nextTask().then(() => inSlices(steps));
}

/** Yields values one by one, with a turn of the event loop after each slice. */
export async function* withTurns<T>(values: Iterable<T>): AsyncGenerator<T> {
  let end = performance.now() + sliceTime;
  for (const value of values) {
    if (performance.now() > end) {
      await nextTask();
      end = performance.now() + sliceTime;
    }
    yield value;
  }
}
