/** The slices inside a volume. */
import { slicesAcross } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { placeAlong } from "./affine.js";
import { dot, map3, type Vec3 } from "./bricks.js";
import { type Plane, type VolumeViewpoint, visiblePart } from "./camera.js";

/** Maximum number of slices. */
export const maxSlices = 4;

export interface Slices {
  readonly planes: readonly Plane[];
  /** Index of the slice along x, y and z; undefined along axes without one. */
  readonly at: readonly (number | undefined)[];
}

/**
 * The planes of a state's slices: through the middle of the shown element, and the cut plane.
 * @param axes z, y, x
 */
export function volumeSlices(
  view: VolumeViewpoint,
  { slices, index, cut }: Pick<ViewState, "slices" | "index" | "cut">,
  axes: readonly [number, number, number],
): Slices {
  const at = [2, 1, 0].map((i) => (slices.includes(slicesAcross[i]!) ? index[axes[i]!] : undefined));
  const across = at.flatMap((place, axis): Plane[] =>
    place === undefined
      ? []
      : [{ normal: map3((i) => (i === axis ? 1 : 0)), offset: placeAlong(view.space, axis, place + 0.5) }],
  );
  return { planes: cut && slices.includes("cut") ? [...across, visiblePart(view)] : across, at };
}

/** Distance along a ray to a plane; NaN or infinite if they do not meet. */
export const planeDistance = ({ normal, offset }: Plane, start: Vec3, direction: Vec3): number =>
  (offset - dot(normal, start)) / dot(normal, direction);
