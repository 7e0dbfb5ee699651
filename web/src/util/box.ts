/** Boxes of positions in a grid: of elements, of chunks, or of stored objects. */

/** From `from` up to, not including, `to` along each axis. */
export interface Box {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Every position in a box in C order, each an array of its own; one empty position for no axes. */
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
