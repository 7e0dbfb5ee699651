/** Blocks, the units of reading, and tiles, the units of drawing. */
import type { Region } from "zarr-wasm";
import type { Plane } from "../base/plane.js";
import type { Rectangle } from "../model/camera.js";

/** Reason why a part of a block has no data. */
export interface Gap {
  readonly kind: "missing" | "damaged";
  /** Bounds of the part in elements of the array, per axis. */
  readonly start: readonly number[];
  readonly stop: readonly number[];
  /** The error of a damaged chunk. */
  readonly error?: unknown;
}

/** Elements of whole chunks, as stored in the array. Blocks are cached. */
export interface Block {
  readonly key: string;
  /** Index of its first element in the array. */
  readonly start: readonly number[];
  /** In the array's data type and order of axes; may extend beyond the array's end. */
  readonly region: Region;
  readonly gaps: readonly Gap[];
  /** Memory usage. */
  readonly bytes: number;
}

/** A part of a tile without data: rows and columns of the tile. */
export interface TileGap {
  /** "unread" in tiles that are gathered from others (draw/warp.ts). */
  readonly kind: Gap["kind"] | "unread";
  readonly error?: unknown;
  readonly rows: readonly [start: number, stop: number];
  readonly columns: readonly [start: number, stop: number];
}

/** A plane of a block, the unit of drawing. The same object for as long as its block is cached. */
export interface Tile {
  /** Unique key: block, plane, and part of the elements. */
  readonly key: string;
  readonly level: number;
  /** Bounds in elements of level 0. */
  readonly world: Rectangle;
  /** The numbers of the whole tile, clipped to the array. */
  readonly plane: Plane;
  readonly block: Block;
  /** Position in the block's region of the tile's element [row, column]. */
  readonly offsetOf: (row: number, column: number) => number;
  /** Index along the shown axes of element [0, 0], in elements of the level's array. */
  readonly origin: readonly [row: number, column: number];
  readonly gaps: readonly TileGap[];
}
