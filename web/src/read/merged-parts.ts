/** Merges adjacent parts of an object into few reads. */

import type { Coalescing, StoredRange } from "./object-reader.js";

/** Parts of one object that are read with one request. */
export interface MergedParts<T> {
  readonly offset: number;
  readonly length: number;
  readonly members: readonly (readonly [T, StoredRange])[];
}

/** Merges parts of one object, in any order and possibly overlapping, into few reads. */
export function mergeParts<T>(
  parts: Iterable<readonly [T, StoredRange]>,
  { maxGap, maxBytes }: Coalescing,
): MergedParts<T>[] {
  const sorted = [...parts].sort(([, a], [, b]) => a.offset - b.offset);
  const merged: { offset: number; length: number; members: (readonly [T, StoredRange])[] }[] = [];
  for (const member of sorted) {
    const { offset, length } = member[1] as { offset: number; length: number };
    const last = merged.at(-1);
    const end = Math.max(offset + length, last ? last.offset + last.length : 0);
    const joins =
      last !== undefined && offset - (last.offset + last.length) <= maxGap && end - last.offset <= maxBytes;
    if (joins) {
      last.length = end - last.offset;
      last.members.push(member);
    } else {
      merged.push({ offset, length, members: [member] });
    }
  }
  return merged;
}
