/** Splits long synchronous work into slices, so that large or hostile documents do not block the event loop. */

import { nextTask } from "./platform.js";

/**
 * Interruptible work: a generator that yields at every point where it may pause, at least every few
 * milliseconds, and returns its result.
 */
export type Steps<T> = Generator<void, T, void>;

/** Duration of a slice, in milliseconds. */
export const sliceTime = 40;
/**
 * Steps of a slice that run however long they take, so that short work ends in its first slice even if the process
 * was suspended.
 */
const minSteps = 16;
/** Maximum number of steps per slice: workerd's clock does not advance during synchronous work. */
const sliceSteps = 2 ** 14;

/** Runs one slice of the work. @returns the result; undefined if work remains. */
export function runSlice<T>(steps: Steps<T>, time = sliceTime): { readonly result: T } | undefined {
  const end = performance.now() + time;
  for (let step = 0; step < sliceSteps; step++) {
    const { done, value } = steps.next();
    if (done) return { result: value };
    if (step >= minSteps && performance.now() > end) break;
  }
  return undefined;
}

/**
 * Runs the work in slices and yields to the event loop between them.
 * @param time duration of a slice, in milliseconds.
 * @throws errors of the work; the signal's reason.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal, time?: number): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const finished = runSlice(steps, time);
    if (finished) return finished.result;
    await nextTask();
  }
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

/** Number of values sorted or merged in one step. */
const run = 2 ** 12;

/** Sorts numbers, or strings by UTF-16 code units. @returns the list itself or a new one. */
export function* sortSteps<T extends number | string>(values: T[]): Steps<T[]> {
  if (values.length <= run) return values.sort(order);
  let runs: T[][] = [];
  for (let at = 0; at < values.length; at += run) {
    runs.push(values.slice(at, at + run).sort(order));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergeSteps(runs[i]!, runs[i + 1] ?? []));
    runs = merged;
  }
  return runs[0]!;
}

const order = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0);

function* mergeSteps<T extends number | string>(first: readonly T[], second: readonly T[]): Steps<T[]> {
  const merged: T[] = [];
  for (let [a, b] = [0, 0]; merged.length < first.length + second.length; ) {
    if (merged.length % run === 0) yield;
    if (b >= second.length || first[a]! <= second[b]!) merged.push(first[a++]!);
    else merged.push(second[b++]!);
  }
  return merged;
}
