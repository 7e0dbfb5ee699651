/** Binary search. */

/** Returns the first index below `count` that passes a test, which all later ones pass as well; `count` if none does. */
export function firstIndex(count: number, passes: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
