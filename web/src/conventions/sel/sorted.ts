/** Binary search in sorted coordinates, which reads only some parts of large ones. */
import type { Coordinates } from "./coordinates.js";

/** Numbers in rising order, regardless of their stored direction. */
export interface Rising {
  readonly length: number;
  readonly isReversed: boolean;
  at(position: number): Promise<number>;
}

/**
 * Returns a rising view of coordinates; undefined if they are not sorted. A single part is checked entirely;
 * of several parts, the first and the last are checked here, the others when they are read.
 */
export async function risingView(coordinates: Coordinates): Promise<Rising | undefined> {
  const { length, partLength } = coordinates;
  if (length === 0) return { length, isReversed: false, at: () => Promise.reject(new RangeError("empty")) };
  const last = Math.ceil(length / partLength) - 1;
  const [head, tail] = (await Promise.all([coordinates.part(0), coordinates.part(last)])) as [
    ArrayLike<number>,
    ArrayLike<number>,
  ];
  const isReversed = head[0]! > tail[tail.length - 1]!;
  const order = new PartOrder(isReversed);
  if (!order.fits(last, tail) || !order.fits(0, head)) return undefined;
  const at = async (position: number): Promise<number> => {
    const index = isReversed ? length - 1 - position : position;
    const number = Math.floor(index / partLength);
    const part = (await coordinates.part(number)) as ArrayLike<number>;
    if (!order.fits(number, part)) throw new UnsortedError();
    return part[index - number * partLength]!;
  };
  return { length, isReversed, at };
}

/** Checks that all parts read so far are sorted in one direction, within and between parts. */
class PartOrder {
  readonly #ends = new Map<number, readonly [first: number, last: number]>();

  constructor(private readonly isReversed: boolean) {}

  fits(number: number, part: ArrayLike<number>): boolean {
    if (this.#ends.has(number)) return true;
    const sign = this.isReversed ? -1 : 1;
    const [first, last] = [sign * part[0]!, sign * part[part.length - 1]!];
    for (const [other, ends] of this.#ends)
      if (other < number ? !(ends[1] <= first) : !(last <= ends[0])) return false;
    if (!isRising(part, sign)) return false;
    this.#ends.set(number, [first, last]);
    return true;
  }
}

/** Thrown if a part in the middle is not sorted. */
export class UnsortedError extends Error {}

/** Whether numbers rise, or fall for a sign of −1; NaN does neither. */
function isRising(part: ArrayLike<number>, sign: number): boolean {
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < part.length; i++) {
    const value = sign * part[i]!;
    if (!(value >= before)) return false;
    before = value;
  }
  return true;
}

/**
 * Returns the first position whose value is at least (or, with `isAbove`, above) the label; the length if
 * there is none.
 */
export async function firstPosition(view: Rising, label: number, isAbove = false): Promise<number> {
  let [low, high] = [0, view.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2); // lengths may have more than 32 bits
    const value = await view.at(middle);
    if (isAbove ? value > label : value >= label) high = middle;
    else low = middle + 1;
  }
  return low;
}
