/** Chooses the slices and tiles that stand for all of an array. */

/**
 * Indices of at most `most` slices along axes with the given lengths: all slices if they are few, else evenly
 * spread ones. They do not depend on the slice in view, so that a shared link finds the same range.
 */
export function chosenSlices(lengths: readonly number[], most: number): number[][] {
  const total = lengths.reduce((a, b) => a * b, 1);
  if (total <= most) return Array.from({ length: total }, (_, i) => position(i, lengths));
  const [length] = lengths;
  if (lengths.length === 1)
    return Array.from({ length: most }, (_, i) => [Math.round((i * (length! - 1)) / Math.max(1, most - 1))]);
  const step = spread(lengths.length);
  const found = new Map<string, number[]>();
  for (let i = 0; i < most; i++) {
    const index = lengths.map((n, axis) => Math.floor(((0.5 + (i + 1) * step[axis]!) % 1) * n));
    found.set(index.join(), index);
  }
  return [...found.values()];
}

/** Index along every axis of the i-th slice in C order. */
function position(i: number, lengths: readonly number[]): number[] {
  const index = lengths.map(() => 0);
  for (let axis = lengths.length - 1, rest = i; axis >= 0; axis--) {
    index[axis] = rest % lengths[axis]!;
    rest = Math.floor(rest / lengths[axis]!);
  }
  return index;
}

/** Steps of an additive sequence that fills a box of any number of dimensions evenly (Roberts' R sequence). */
function spread(dimensions: number): number[] {
  let root = 2;
  for (let i = 0; i < 40; i++) root = (1 + root) ** (1 / (dimensions + 1));
  return Array.from({ length: dimensions }, (_, axis) => (1 / root) ** (axis + 1));
}
