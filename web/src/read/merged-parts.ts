/** Merges adjacent parts of an object into few reads. */

import type { Coalescing } from "./object-reader.js";

/** Parts of one object, by number. */
export interface Parts {
  readonly offsets: ArrayLike<number>;
  readonly lengths: ArrayLike<number>;
}

/** Parts of one object that are read with one request. */
export interface MergedParts {
  readonly offset: number;
  readonly length: number;
  /** Numbers of the parts, by offset. */
  readonly members: Uint32Array;
}

/**
 * Merges parts of one object, in any order and possibly overlapping, into few reads.
 * @param numbers the parts to read; sorted by offset in place.
 */
export function mergeParts(
  numbers: Uint32Array,
  { offsets, lengths }: Parts,
  { maxGap, maxBytes }: Coalescing,
): MergedParts[] {
  const isSorted = numbers.every((n, i) => i === 0 || offsets[numbers[i - 1]!]! <= offsets[n]!);
  if (!isSorted) numbers.sort((a, b) => offsets[a]! - offsets[b]!);
  const merged: MergedParts[] = [];
  for (let from = 0; from < numbers.length; ) {
    const offset = offsets[numbers[from]!]!;
    let end = offset;
    let to = from;
    for (; to < numbers.length; to++) {
      const n = numbers[to]!;
      const joined = Math.max(end, offsets[n]! + lengths[n]!);
      if (to > from && (offsets[n]! - end > maxGap || joined - offset > maxBytes)) break;
      end = joined;
    }
    merged.push({ offset, length: end - offset, members: numbers.subarray(from, to) });
    from = to;
  }
  return merged;
}
