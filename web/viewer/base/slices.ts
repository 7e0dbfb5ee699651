/** Loops over long lists that do not block the page. */

import { inSlices, type Steps } from "#internal";

/** Duration of a slice, in milliseconds. */
const sliceTime = 20;

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
 * Returns the first indices that fit, at most `most`.
 * @throws the signal's reason.
 */
export function indicesWhere(
  count: number,
  isWanted: (index: number) => boolean,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  function* find(): Steps<number[]> {
    const found: number[] = [];
    for (let i = 0; i < count && found.length < most; i++) {
      if (i % stepSize === 0) yield;
      if (isWanted(i)) found.push(i);
    }
    return found;
  }
  return inSlices(find(), signal, sliceTime);
}
