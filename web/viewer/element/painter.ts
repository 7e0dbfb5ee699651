/** Interface of painters, which draw a plane. */
import type { Layer } from "../model/layers.js";
import type { Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/wanted.js";
import type { Frame } from "./frame.js";
import type { Shown } from "./shown.js";

export interface Painter {
  /** @returns false if it must continue in the next frame. */
  paint(frame: Frame, shown: Shown, view: Viewpoint, tilesOf: (layer: Layer) => readonly Tile[]): boolean;
  forget(blockKey: string): void;
  /** Sets the memory limit of data made from tiles. */
  setBudget?(bytes: number): void;
  dispose(): void;
}
