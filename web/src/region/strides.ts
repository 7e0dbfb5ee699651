/** Shapes and strides. */

/** Strides of a C-order array, in units of `unit` (1 for elements, the item size for bytes). */
export function stridesOf(shape: readonly number[], unit = 1): number[] {
  const strides = new Array<number>(shape.length);
  let stride = unit;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

/** Number of elements of a shape. */
export function countOf(shape: readonly number[]): number {
  return shape.reduce((count, length) => count * length, 1);
}
