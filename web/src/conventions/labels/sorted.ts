/** Sorted coordinates, searched by halves: of large ones only some parts are read. */
import type { Coordinates } from "./coordinates.js";

/** Numbers in rising order, whichever way they are stored. */
export interface Rising {
  readonly length: number;
  readonly isReversed: boolean;
  at(position: number): Promise<number>;
}

/**
 * A rising view of coordinates; undefined where those that are read are not sorted: all that lie in one part, else the
 * first and the last part. What lies between is checked as it is read.
 */
export async function risingView(coordinates: Coordinates): Promise<Rising | undefined> {
  const { length, partLength } = coordinates;
  if (length === 0) return { length, isReversed: false, at: () => Promise.reject(new RangeError("empty")) };
  const last = Math.ceil(length / partLength) - 1;
  const [head, tail] = (await Promise.all([coordinates.part(0), coordinates.part(last)])) as [
    ArrayLike<number>,
    ArrayLike<number>,
  ];
  const [lowest, highest] = [head[0]!, tail[tail.length - 1]!];
  const isReversed = lowest > highest;
  const isSorted = (part: ArrayLike<number>) => isRising(part, isReversed, lowest, highest);
  if (!isSorted(head) || !isSorted(tail)) return undefined;
  const checked = new Set<number>([0, last]);
  const at = async (position: number): Promise<number> => {
    const index = isReversed ? length - 1 - position : position;
    const number = Math.floor(index / partLength);
    const part = (await coordinates.part(number)) as ArrayLike<number>;
    if (!checked.has(number) && !isSorted(part)) throw new UnsortedError();
    checked.add(number);
    return part[index - number * partLength]!;
  };
  return { length, isReversed, at };
}

/** Thrown where a part in the middle turns out not to be sorted. */
export class UnsortedError extends Error {}

/** Whether a part runs one way between the first and the last of all; NaN never does. */
function isRising(part: ArrayLike<number>, isReversed: boolean, first: number, last: number): boolean {
  const sign = isReversed ? -1 : 1;
  let before = sign * first;
  for (let i = 0; i < part.length; i++) {
    const value = sign * part[i]!;
    if (!(value >= before)) return false;
    before = value;
  }
  return before <= sign * last;
}

/** The first position whose value is at least (or, with `isAbove`, above) the label; the length where there is none. */
export async function firstPosition(view: Rising, label: number, isAbove = false): Promise<number> {
  let [low, high] = [0, view.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = await view.at(middle);
    if (isAbove ? value > label : value >= label) high = middle;
    else low = middle + 1;
  }
  return low;
}
