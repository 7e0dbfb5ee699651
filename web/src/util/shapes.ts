/** Shapes, strides and boxes of arrays. */

/** Returns the strides of a C-order array, in units of `unit` (1 for elements, the item size for bytes). */
export function stridesOf(shape: readonly number[], unit = 1): number[] {
  const strides = new Array<number>(shape.length);
  let stride = unit;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

/** Returns the number of elements of a shape. */
export function countOf(shape: readonly number[]): number {
  return shape.reduce((count, length) => count * length, 1);
}

/** Yields every index of a shape in C order; one empty index if there are no axes. */
export function* indices(shape: readonly number[]): Generator<readonly number[]> {
  if (countOf(shape) === 0) return;
  const at = shape.map(() => 0);
  for (;;) {
    yield at;
    let axis = shape.length - 1;
    while (axis >= 0 && ++at[axis]! === shape[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}

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
