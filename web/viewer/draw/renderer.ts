/** What draws: tiles in, pixels out. */
import type { Camera, Rectangle, Size } from "../model/camera.js";
import type { LayerStyle } from "../model/layers.js";
import type { Tile } from "../tiles/tile.js";

/** 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** A layer with the tiles at hand. */
export interface SceneLayer {
  readonly style: LayerStyle;
  /** Values at which the colours begin and end. */
  readonly low: number;
  readonly high: number;
  /** In the order in which they are drawn: coarse ones first, those on top of them last. */
  readonly tiles: readonly Tile[];
}

export interface Scene {
  /** Of the canvas, in CSS pixels. */
  readonly size: Size;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly camera: Camera;
  readonly aspect: number;
  /** All that there is to be drawn, read or not. */
  readonly extent: Rectangle;
  /** Behind everything, and where nothing has been read yet: red, green, blue. */
  readonly ground: Rgb;
  readonly paper: Rgb;
  readonly layers: readonly SceneLayer[];
}

export interface Renderer {
  readonly kind: "webgl" | "canvas";
  /** False where the canvas has lost its context, and nothing can be drawn until it is restored. */
  readonly isAlive: boolean;
  /**
   * Draws a scene. Tiles that are new cost time: of these only so many are taken as fit into a frame.
   * @returns whether all of it has been drawn; if not, it is to be called again in the next frame.
   */
  draw(scene: Scene): boolean;
  /** Forgets what was made of tiles that are no longer kept. */
  forget(blockKey: string): void;
  /** Bytes of textures or pictures that were made of tiles, and how many there may be. */
  readonly bytes: number;
  budget: number;
  dispose(): void;
}

/** Milliseconds of a frame that may go into new textures. */
export const makingTime = 6;

/** How much of it is left. */
export interface MakingTime {
  left: number;
}

/** Colours of what is not a value of the range, as red, green, blue. */
export const marks = {
  /** Mixed half and half with the end of the map below and above the range, and pure for infinities. */
  below: [56, 118, 255],
  above: [255, 64, 48],
  hatchLight: [255, 214, 204],
  hatchDark: [178, 32, 32],
  dot: [128, 134, 142],
} as const;

/** CSS pixels between two lines of the hatching, and between two dots. */
export const hatchDistance = 8;
export const dotDistance = 8;
