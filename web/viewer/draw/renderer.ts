/** Interface of renderers, which turn tiles into pixels, and what decides between them. */
import type { Matrix } from "../base/matrix.js";
import type { Camera, Rectangle, Size } from "../model/camera.js";
import type { LayerStyle } from "../model/layers.js";
import type { Tile, TileGap } from "../tiles/tile.js";

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
  /** Background of everything, and of the plane: red, green, blue. */
  readonly ground: Rgb;
  readonly paper: Rgb;
  /** Lines of the soft hatching on the paper of parts that have not been read. */
  readonly unread: Rgb;
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
  /** Drops the textures of a block that is no longer cached. */
  forget(blockKey: string): void;
  /** Maximum bytes of the textures made of tiles. */
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

/** Distance between two lines of a hatching, and between two dots, in CSS pixels. */
export const hatchDistance = 8;

/** The pattern of a part without data: hatching of two colours, or dots. */
export interface Pattern {
  readonly light: Rgb | undefined;
  readonly dark: Rgb;
}

export const gapPattern = (kind: TileGap["kind"], { paper, unread }: Scene): Pattern =>
  kind === "damaged"
    ? { light: marks.hatchLight, dark: marks.hatchDark }
    : kind === "unread"
      ? { light: paper, dark: unread }
      : { light: undefined, dark: marks.dot };

let software: boolean | undefined;

/** Whether WebGL is emulated on the CPU: a 2-D canvas is several times faster then. */
export function isSoftware(): boolean {
  software ??= look();
  return software;
}

/**
 * Some browsers report it before creating a context, which takes them long; others only by the renderer's
 * name.
 */
function look(): boolean {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return true;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
