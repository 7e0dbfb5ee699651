/**
 * Places tiles on the canvas, in device pixels, with every edge on a whole pixel, so that adjacent tiles
 * leave no gap.
 */
import { applied, type Matrix, product } from "../base/matrix.js";
import type { Rectangle } from "../model/camera.js";
import type { Tile } from "../tiles/tile.js";
import type { Scene, SceneLayer } from "./renderer.js";

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
    seenPart: ({ left: from, right, top: above, bottom }) => ({
      left: Math.max(0, from),
      right: Math.min(right, width),
      top: Math.max(0, Math.min(above, bottom)),
      bottom: Math.min(Math.max(above, bottom), height),
    }),
  };
}

/** A tile on the canvas. */
export interface PlacedTile {
  readonly tile: Tile;
  /** From columns and rows of the tile to device pixels. */
  readonly matrix: Matrix;
  /** The part of the tile inside the plane: coarse levels may extend beyond its edge. In columns and rows. */
  readonly seen: Rectangle;
  /** Whether rows are not rows of the canvas. */
  readonly isTurned: boolean;
}

export function placedTile(tile: Tile, layer: SceneLayer, scene: Scene, { exact }: Placing): PlacedTile {
  const { world, plane } = tile;
  const square = exact({ left: 0, top: 0, right: 1, bottom: 1 });
  const toPixels: Matrix = [
    square.right - square.left,
    0,
    0,
    square.bottom - square.top,
    square.left,
    square.top,
  ];
  const [x, y] = [(world.right - world.left) / plane.columns, (world.bottom - world.top) / plane.rows];
  const part = intersection(world, layer.extent ?? (layer.turn ? world : scene.extent));
  return {
    tile,
    matrix: product(layer.turn ? product(toPixels, layer.turn) : toPixels, [
      x,
      0,
      0,
      y,
      world.left,
      world.top,
    ]),
    seen: {
      left: (part.left - world.left) / x,
      right: (part.right - world.left) / x,
      top: (part.top - world.top) / y,
      bottom: (part.bottom - world.top) / y,
    },
    isTurned: layer.turn !== undefined,
  };
}

/** The pixels of a tile on the canvas; those around it if it is turned. */
export function pixelBox(
  { tile, matrix, seen, isTurned }: PlacedTile,
  { extent }: SceneLayer,
  scene: Scene,
  { width, height, place, seenPart }: Placing,
): Placed {
  if (!isTurned) return intersection(seenPart(place(tile.world)), seenPart(place(extent ?? scene.extent)));
  const places = cornersOf(seen).map(([x, y]) => applied(matrix, x, y));
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  return {
    left: Math.max(0, Math.floor(Math.min(...xs))),
    right: Math.min(width, Math.ceil(Math.max(...xs))),
    top: Math.max(0, Math.floor(Math.min(...ys))),
    bottom: Math.min(height, Math.ceil(Math.max(...ys))),
  };
}

/** Boxes of tiles that layers above the first draw onto plain paper: these layers do not cover what is below. */
export function paperBoxes(scene: Scene, where: Placing): Placed[] {
  const covering = scene.layers.filter(
    ({ style, turn }, i) => i > 0 && !turn && style.kind !== "labels" && style.blend !== "mask",
  );
  const boxes = covering.flatMap((layer) =>
    layer.tiles.map((tile) => pixelBox(placedTile(tile, layer, scene, where), layer, scene, where)),
  );
  return boxes.filter(({ left, top, right, bottom }) => right > left && bottom > top);
}

/** Numbers of samples along the sides of a pixel, whose mean is shown. */
export type Grain = readonly [across: 1 | 2, down: 1 | 2];

/** Two samples where elements are smaller than pixels; one of labels: a mixed colour would be another label's. */
export function grainOf({ matrix: [a, b, c, d], isTurned }: PlacedTile, { style }: SceneLayer): Grain {
  if (style.kind === "labels") return [1, 1];
  const along = (length: number) => (length < 0.95 ? 2 : 1);
  const sides = [along(Math.hypot(a, b)), along(Math.hypot(c, d))] as const;
  return isTurned && sides.includes(2) ? [2, 2] : sides;
}

export const cornersOf = ({ left, right, top, bottom }: Rectangle) =>
  [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ] as const;

/** The pixels of a part of an upright tile, in columns and rows: its edges are whole pixels, like the edges of the tile. */
export function partPlace({ tile }: PlacedTile, part: Rectangle, { place }: Placing): Placed {
  const { left, right, top, bottom } = place(tile.world);
  const x = (column: number) => left + Math.round((column * (right - left)) / tile.plane.columns);
  const y = (row: number) => top + Math.round((row * (bottom - top)) / tile.plane.rows);
  return { left: x(part.left), right: x(part.right), top: y(part.top), bottom: y(part.bottom) };
}
