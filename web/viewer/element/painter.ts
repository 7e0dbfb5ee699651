/** Interface of painters, which draw a plane. */
import type { Point } from "../input/gestures.js";
import type { Layer } from "../model/layers.js";
import type { RowId } from "../source/row-id.js";
import type { Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Frame } from "./frame.js";
import type { PlaneContent } from "./plane-geometry.js";

/** A point or shape under the pointer. */
export interface Described {
  readonly text: string;
  /** The row of a point of an embedding. */
  readonly row?: number;
}

export interface Painter {
  /** @returns false if it must continue in the next frame. */
  paint(
    frame: Frame,
    shown: PlaneContent,
    view: Viewpoint,
    tilesOf: (layer: Layer) => readonly Tile[],
  ): boolean;
  forget(blockKey: string): void;
  /** Describes the point or shape at a position in the box. */
  describe?(at: Point | undefined): Described | undefined;
  /** The integer that identifies the observation at a position in the box. */
  observationAt?(at: Point): RowId | undefined;
  /** Position of the next observation in a direction, for keys. */
  beside?(from: Point, way: Point): Point | undefined;
  /** Sets the memory limit of data made from tiles. */
  setBudget?(bytes: number): void;
  dispose(): void;
}
