/** Places the selected part of a chunk in a box of the result. */
import type { Place } from "../engine/session.js";
import type { Projection } from "./projections.js";

/** A box of the result in separate memory. */
export interface PlaceBox {
  /** First element of the box in the result. */
  readonly origin: readonly number[];
  /** Distance between neighbours in the box: in bytes, or in entries of a list. */
  readonly strides: readonly number[];
}

/** @param start first element that was read of the chunk, if not the chunk's first. */
export function placeOf(
  projections: readonly Projection[],
  start: readonly number[] | undefined,
  { origin, strides }: PlaceBox,
): Place {
  let offset = 0;
  const axes = projections.map((projection, axis) => {
    const stride = strides[axis]!;
    offset += (projection.out - origin[axis]!) * stride;
    const first = projection.start - (start?.[axis] ?? 0);
    return [first, projection.step, projection.count, stride] as const;
  });
  return { offset, axes };
}
