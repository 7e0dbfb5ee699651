/** Where the wanted part of a chunk goes in what a region is put together in. */
import type { Place } from "../engine/session.js";
import type { Projection } from "./projections.js";

/** A box of the result in memory of its own. */
export interface PlaceBox {
  /** Its first element in the result. */
  readonly origin: readonly number[];
  /** Distance between neighbours in it: in bytes, or in entries of a list. */
  readonly strides: readonly number[];
}

/** @param start the first element of what was read of the chunk, where that is not the chunk's. */
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
