/** What is read, and what is drawn of it. */
import type { Region } from "zarr-wasm";
import type { Plane } from "../base/plane.js";
import type { Rectangle } from "../model/camera.js";

/** Why a part of a block is not its data. */
export interface Gap {
  readonly kind: "missing" | "damaged";
  /** The part, in elements of the array, per axis. */
  readonly start: readonly number[];
  readonly stop: readonly number[];
  /** What went wrong with a damaged one. */
  readonly error?: unknown;
}

/** Elements of whole chunks, as the array has them: what is cached. */
export interface Block {
  readonly key: string;
  /** Its first element, in elements of the array. */
  readonly start: readonly number[];
  /** In the array's data type and order of axes; may hang over the array's end. */
  readonly region: Region;
  readonly gaps: readonly Gap[];
  /** Memory that it takes. */
  readonly bytes: number;
}

/** A part of a tile that is not data: rows and columns of the tile. */
export interface TileGap {
  readonly kind: Gap["kind"];
  readonly error?: unknown;
  readonly rows: readonly [start: number, stop: number];
  readonly columns: readonly [start: number, stop: number];
}

/** A plane of a block: what is drawn. The same object for as long as its block is kept. */
export interface Tile {
  /** Tells it from all others: block, plane, and which number of the elements. */
  readonly key: string;
  readonly level: number;
  /** Where it lies, in elements of level 0. */
  readonly world: Rectangle;
  /** Its numbers: of the whole tile, clipped to the array. */
  readonly plane: Plane;
  readonly block: Block;
  /** Position in the block's region of the tile's element [row, column]. */
  readonly offsetOf: (row: number, column: number) => number;
  /** Index along the shown axes of element [0, 0], in elements of the level's array. */
  readonly origin: readonly [row: number, column: number];
  readonly gaps: readonly TileGap[];
}
