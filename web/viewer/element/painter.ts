/** How a plane is drawn. */
import type { Layer } from "../model/layers.js";
import type { Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/wanted.js";
import type { Frame } from "./frame.js";
import type { Shown } from "./shown.js";

export interface Painter {
  /** @returns false where it has to go on in the next frame. */
  paint(frame: Frame, shown: Shown, view: Viewpoint, tilesOf: (layer: Layer) => readonly Tile[]): boolean;
  forget(blockKey: string): void;
  /** Memory that may be taken by what is made of tiles. */
  setBudget?(bytes: number): void;
  dispose(): void;
}
