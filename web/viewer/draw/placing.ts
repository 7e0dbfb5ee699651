/**
 * Places tiles on the canvas, in device pixels, with every edge on a whole pixel, so that adjacent tiles
 * leave no gap.
 */
import type { Rectangle } from "../model/camera.js";
import type { Scene } from "./renderer.js";

export interface Placed {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Placing {
  readonly width: number;
  readonly height: number;
  /** Device pixels of a rectangle of the world; `top` is below `bottom` if rows go up. */
  place(world: Rectangle): Placed;
  /** The same without rounding. */
  exact(world: Rectangle): Placed;
  isSeen(placed: Placed): boolean;
  /** The part of a place on the canvas, with its top above its bottom. */
  seenPart(placed: Placed): Placed;
}

export const intersection = (a: Rectangle, b: Rectangle): Rectangle => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});

export function placing({
  size,
  ratio,
  camera,
  aspect,
}: Pick<Scene, "size" | "ratio" | "camera" | "aspect">): Placing {
  const width = Math.max(1, Math.round(size.width * ratio));
  const height = Math.max(1, Math.round(size.height * ratio));
  const across = camera.scale * ratio;
  const down = across * aspect;
  // Every edge is rounded the same way, with the world's corner on a whole pixel as in `aligned`.
  const left = Math.round(width / 2 - camera.column * across);
  const top = Math.round(height / 2 - camera.row * down);
  return {
    width,
    height,
    place: (world) => ({
      left: Math.round(left + world.left * across),
      top: Math.round(top + world.top * down),
      right: Math.round(left + world.right * across),
      bottom: Math.round(top + world.bottom * down),
    }),
    exact: (world) => ({
      left: left + world.left * across,
      top: top + world.top * down,
      right: left + world.right * across,
      bottom: top + world.bottom * down,
    }),
    isSeen: (placed) =>
      placed.left < width &&
      placed.right > 0 &&
      placed.right > placed.left &&
      Math.min(placed.top, placed.bottom) < height &&
      Math.max(placed.top, placed.bottom) > 0,
    seenPart: ({ left: from, right, top: above, bottom }) => ({
      left: Math.max(0, from),
      right: Math.min(right, width),
      top: Math.max(0, Math.min(above, bottom)),
      bottom: Math.min(Math.max(above, bottom), height),
    }),
  };
}
