/** Affine transformations of columns and rows. */
import type { AffineTransform, Bounds } from "./types.js";

type Point = readonly [number, number];

export function apply([a, b, c, d, e, f]: AffineTransform, [column, row]: Point): Point {
  return [a * column + b * row + c, d * column + e * row + f];
}

/** Returns the transformation from points to columns and rows. */
export function inverse([a, b, c, d, e, f]: AffineTransform): AffineTransform {
  const scale = 1 / (a * e - b * d);
  return [e * scale, -b * scale, (b * f - c * e) * scale, -d * scale, a * scale, (c * d - a * f) * scale];
}

/** Returns the transformation with its origin moved by a number of columns and rows. */
export function moved(transform: AffineTransform, by: Point): AffineTransform {
  const [a, b, , d, e] = transform;
  const [x, y] = apply(transform, by);
  return [a, b, x, d, e, y];
}

/** Returns the transformation for elements enlarged by two factors. */
export function scaled([a, b, c, d, e, f]: AffineTransform, [columns, rows]: Point): AffineTransform {
  return [a * columns, b * rows, c, d * columns, e * rows, f];
}

/** Returns the bounding box of a transformed box. */
export function boundsOf(transform: AffineTransform, [left, top, right, bottom]: Bounds): Bounds {
  const corners = [
    apply(transform, [left, top]),
    apply(transform, [right, top]),
    apply(transform, [left, bottom]),
    apply(transform, [right, bottom]),
  ];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Returns the size of an element along x and y. */
export function resolutionOf([a, b, , d, e]: AffineTransform): Point {
  return [Math.hypot(a, d), Math.hypot(b, e)];
}
