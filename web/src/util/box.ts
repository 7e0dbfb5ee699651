/** Boxes of positions in a grid: of elements, of chunks, or of stored objects. */

/** Positions from `from` up to, but not including, `to` along each axis. */
export interface Box {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Yields every position in a box in C order, each as a new array; one empty position if there are no axes. */
export function* positionsIn({ from, to }: Box): Generator<number[]> {
  if (from.some((start, axis) => start >= to[axis]!)) return;
  const at = [...from];
  for (;;) {
    yield [...at];
    let axis = at.length - 1;
    while (axis >= 0 && ++at[axis]! >= to[axis]!) at[axis] = from[axis--]!;
    if (axis < 0) return;
  }
}
