/** The value of an element under the pointer. */
import type { Layer } from "../model/layers.js";
import type { Tile, TileGap } from "../tiles/tile.js";

/** An element of the plane, in elements of level 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The value of an element in one layer. */
export interface Reading {
  readonly layer: Layer;
  readonly tile: Tile;
  /** Position in the tile. */
  readonly row: number;
  readonly column: number;
  readonly gap: TileGap | undefined;
}

/** @param at a position in elements of the layer. @param tile contains it */
export function readCell(layer: Layer, tile: Tile, { row, column }: Cell): Reading {
  const { world, plane } = tile;
  const place = (at: number, from: number, to: number, count: number) =>
    Math.min(Math.floor(((at - from) / (to - from)) * count), count - 1);
  const own = {
    row: place(row, world.top, world.bottom, plane.rows),
    column: place(column, world.left, world.right, plane.columns),
  };
  const gap = tile.gaps.find(
    ({ rows, columns }) =>
      own.row >= rows[0] && own.row < rows[1] && own.column >= columns[0] && own.column < columns[1],
  );
  return { layer, tile, ...own, gap };
}
