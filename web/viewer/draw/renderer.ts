/** Interface of renderers, which turn tiles into pixels. */
import type { Matrix } from "../base/matrix.js";
import type { Camera, Rectangle, Size } from "../model/camera.js";
import type { LayerStyle } from "../model/layers.js";
import type { Tile } from "../tiles/tile.js";

/** 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** A layer with its available tiles. */
export interface SceneLayer {
  readonly style: LayerStyle;
  /** Values of the first and the last colour. */
  readonly low: number;
  readonly high: number;
  /** In drawing order: coarse tiles first. */
  readonly tiles: readonly Tile[];
  /** Bounds of its plane. Default: those of the scene. */
  readonly extent?: Rectangle | undefined;
  /** From elements of its tiles and bounds to elements of the scene: x across, y down. Default: the identity. */
  readonly turn?: Matrix | undefined;
}

export interface Scene {
  /** Size of the canvas, in CSS pixels. */
  readonly size: Size;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly camera: Camera;
  readonly aspect: number;
  /** Bounds of the whole plane, whether or not it has been read. */
  readonly extent: Rectangle;
  /** Background of everything, and colour of parts that have not been read: red, green, blue. */
  readonly ground: Rgb;
  readonly paper: Rgb;
  readonly layers: readonly SceneLayer[];
  /** Whether another slice follows at once: pixels may show one element each, instead of the mean of several. */
  readonly isDraft?: boolean | undefined;
}

export interface Renderer {
  readonly kind: "webgl" | "canvas";
  /**
   * Draws a scene. New tiles take time: as many are added as fit into a frame.
   * @returns whether everything has been drawn; if not, call it again in the next frame.
   */
  draw(scene: Scene): boolean;
  /** Drops textures or images of a block that is no longer cached. */
  forget(blockKey: string): void;
  /** Bytes of the textures or images made of tiles, and their limit. */
  readonly bytes: number;
  budget: number;
  dispose(): void;
}

/** Time per frame for making new textures, in milliseconds. */
const makingTime = 6;
/** The same for drafts, which are shown as a whole. */
const draftTime = 40;

/** Remaining time of a frame. */
export interface MakingTime {
  left: number;
}

export const timeFor = ({ isDraft }: Scene): MakingTime => ({ left: isDraft ? draftTime : makingTime });

/** Colours of patterns, as red, green, blue. */
export const marks = {
  hatchLight: [255, 214, 204],
  hatchDark: [178, 32, 32],
  dot: [128, 134, 142],
} as const;

/** Distance between two lines of the hatching, and between two dots, in CSS pixels. */
export const hatchDistance = 8;
export const dotDistance = 8;
