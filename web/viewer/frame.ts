/** The frame around a picture: rulers above and to the left, a canvas, a pointer. */
import { h } from "./dom.js";
import { Pointer, type PointerCallbacks } from "./pointer.js";

export class Frame {
  readonly canvas = h("canvas", { class: "zw-canvas" });
  readonly box = h(
    "div",
    { class: "zw-box", tabindex: 0, role: "application", "aria-roledescription": "picture of an array" },
    this.canvas,
  );
  readonly across = h("div", { class: "zw-ruler zw-ruler-across", "aria-hidden": "true" });
  readonly down = h("div", { class: "zw-ruler zw-ruler-down", "aria-hidden": "true" });
  readonly element = h("div", { class: "zw-frame" }, this.across, this.down, this.box);
  readonly pointer: Pointer;
  readonly #observer: ResizeObserver;

  /** `layout` is called whenever the room for the picture changes. */
  constructor(callbacks: PointerCallbacks, layout: () => void) {
    this.pointer = new Pointer(this.box, callbacks);
    this.#observer = new ResizeObserver(layout);
    this.#observer.observe(this.element);
  }

  /** Room for the picture, in CSS pixels. */
  get room(): { width: number; height: number } {
    const width = this.element.clientWidth - this.down.offsetWidth;
    return { width: Math.max(width, 1), height: Math.max(240, Math.min(0.74 * window.innerHeight, 760)) };
  }

  /** Makes room for longer texts beside the picture. */
  setRulerWidth(width: number): void {
    this.down.style.width = `${width}px`;
  }

  setSize(width: number, height: number): void {
    for (const { style } of [this.box, this.across]) style.width = `${width}px`;
    for (const { style } of [this.box, this.down]) style.height = `${height}px`;
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}
