/** The frame around a picture (rulers, canvas, cursor, mark), the clock of its drawings, and the interface of its painter. */
import { h } from "../base/dom.js";
import type { Point } from "../input/gestures.js";
import { text } from "../language/text.js";
import type { Size } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { RowId } from "../source/row-id.js";
import type { Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { PlaneContent } from "./plane-geometry.js";

/** Style of a box without the style sheet, and with it. */
const bounds = { height: "400px", overflow: "hidden" };
const noBounds = { height: "", overflow: "" };

let hasWarned = false;

export class Frame {
  readonly canvas = h("canvas", { class: "zw-canvas" });
  readonly cursor = h("div", { class: "zw-cursor", hidden: true });
  readonly mark = h("div", { class: "zw-mark", hidden: true });
  /** Overlay without pointer events: scale bars, graticules. */
  readonly overlay = h("div", { class: "zw-overlay" });
  readonly box = h(
    "div",
    { class: "zw-box", tabindex: 0, role: "application", "aria-roledescription": text.picture.role },
    this.canvas,
    this.overlay,
    this.cursor,
    this.mark,
  );
  readonly across = h("div", { class: "zw-ruler zw-ruler-across", "aria-hidden": "true" });
  readonly down = h("div", { class: "zw-ruler zw-ruler-down", "aria-hidden": "true" });
  readonly element = h("div", { class: "zw-frame", dir: "ltr" }, this.across, this.down, this.box);
  readonly #observer: ResizeObserver;
  readonly #layout: () => void;
  #size: Size = { width: 0, height: 0 };

  /** `layout` is called whenever the box has been resized. */
  constructor(layout: () => void) {
    this.#layout = layout;
    this.#observer = new ResizeObserver(([entry]) => this.#lay(entry!.contentRect));
    this.#observer.observe(this.box);
  }

  /** Measures the box after it has been inserted: a resize observer reports one frame later. */
  measure(): void {
    if (this.#size.width === 0) this.#lay(this.box.getBoundingClientRect());
  }

  #lay({ width, height }: Size): void {
    const { ratio } = this;
    const whole = (length: number) => Math.round(length * ratio) / ratio;
    const size = { width: whole(width), height: whole(height) };
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.#bound();
    for (const { style } of [this.canvas, this.overlay])
      Object.assign(style, { width: `${size.width}px`, height: `${size.height}px` });
    this.#layout();
  }

  /** Without the style sheet, the canvas would give the box its height, and both would grow with each layout. */
  #bound(): void {
    const isStyled = getComputedStyle(this.box).getPropertyValue("--zw-sans") !== "";
    Object.assign(this.box.style, isStyled ? noBounds : bounds);
    if (isStyled || hasWarned) return;
    hasWarned = true;
    console.warn("zarr-wasm: the viewer has no style sheet; load zarr-wasm-viewer/style.css");
  }

  /**
   * Size of the canvas in CSS pixels; undefined before layout. Rounded to whole device pixels, or browsers
   * would stretch the picture.
   */
  get size(): Size {
    return this.#size;
  }

  /** Device pixels per CSS pixel; figures set their own. */
  get ratio(): number {
    const own = this.element.closest<HTMLElement>("[data-ratio]")?.dataset["ratio"];
    return Number(own) || window.devicePixelRatio || 1;
  }

  /** Makes room for longer labels beside the picture. */
  setRulerWidth(width: number): void {
    const text = `${width}px`;
    if (this.down.style.width !== text) this.down.style.width = text;
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}

/**
 * Milliseconds between two frames that only show new data: three quarters of the time go to reading it. The
 * first data are shown immediately, and the next soon after, however long a frame takes.
 */
const restBetweenArrivals = { least: 50, most: 250, frames: 4 };

export class FrameClock {
  #request = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = 0;
  /** Duration of the last frame in milliseconds, with the browser's compositing. */
  #frameTime = 0;
  /** Frames that only showed new data. */
  #arrivals = 0;

  constructor(private readonly draw: () => void) {}

  /** Draws in the next frame. */
  drawNow(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.draw();
    });
  }

  /** Draws new data, at a limited rate. */
  drawSoon(): void {
    if (this.#request !== 0 || this.#soon !== undefined) return;
    const { least, most, frames } = restBetweenArrivals;
    const longest = Math.min(most, least * this.#arrivals++);
    const rest = Math.min(Math.max(least, frames * this.#frameTime), longest);
    const wait = Math.max(0, rest - (performance.now() - this.#drawnAt));
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.drawNow();
    }, wait);
  }

  /** Called when a frame begins. */
  begin(): void {
    const drawnAt = performance.now();
    this.#drawnAt = drawnAt;
    requestAnimationFrame(() => {
      this.#frameTime = performance.now() - drawnAt;
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    clearTimeout(this.#soon);
  }
}

/** A point or shape under the pointer. */
export interface Described {
  readonly text: string;
  /** The row of a point of an embedding. */
  readonly row?: number;
}

export interface Painter {
  /** @returns false if it must continue in the next frame. */
  paint(shown: PlaneContent, view: Viewpoint, tilesOf: (layer: Layer) => readonly Tile[]): boolean;
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
