/** The frame around a picture: rulers above and to the left, a canvas, a cursor, a mark. */
import { h } from "../base/dom.js";
import type { Size } from "../model/camera.js";

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
    { class: "zw-box", tabindex: 0, role: "application", "aria-roledescription": "picture of an array" },
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
