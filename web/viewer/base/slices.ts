/** Loops over long lists that do not block the page. */

import { inSlices, type Steps } from "#internal";

/** Duration of a slice, in milliseconds. */
export const sliceTime = 20;

/** Items between two points where a slice may end. The first 16 steps of a slice run however long they take. */
const stepSize = 16;

/**
 * Calls `work` with 0 to `count - 1`, in slices between which the page can handle events.
 * @throws what `work` throws; the signal's reason.
 */
export const eachInSlices = (
  count: number,
  work: (index: number) => void,
  signal?: AbortSignal,
): Promise<void> => inSlices(steps(count, work), signal, sliceTime);

function* steps(count: number, work: (index: number) => void): Steps<void> {
  for (let i = 0; i < count; i++) {
    if (i % stepSize === 0) yield;
    work(i);
  }
}

/**
 * Returns the indices of names that contain a string, ignoring case.
 * @throws the signal's reason.
 */
export async function namesWith(
  text: string,
  count: number,
  nameOf: (index: number) => string,
  signal: AbortSignal,
): Promise<number[]> {
  const wanted = text.toLowerCase();
  const found: number[] = [];
  const look = (i: number) => {
    if (nameOf(i).toLowerCase().includes(wanted)) found.push(i);
  };
  await eachInSlices(count, look, signal);
  return found;
}
