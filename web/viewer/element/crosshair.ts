/** Two lines through the element that planes share. Dragging a line, or the point where they cross, moves it. */
import { h } from "../base/dom.js";
import type { Cell } from "./cell-reading.js";
import { cellAt } from "./plane-geometry.js";
import type { PlaneView } from "./plane-view.js";

export class Crosshair {
  readonly #down = this.#part("down", (to, { row }) => ({ row, column: to.column }));
  readonly #across = this.#part("across", (to, { column }) => ({ row: to.row, column }));
  readonly #centre = this.#part("centre", (to) => to);
  readonly #label = h("div", { class: "zw-pane-label" });
  readonly #parts = [this.#down, this.#across, this.#centre, this.#label];
  #plane: PlaneView | undefined;
  #at: Cell | undefined;

  constructor(private readonly onMove: (cell: Cell) => void) {}

  /** @param text position of the plane */
  place(plane: PlaneView, at: Cell | undefined, text: string): void {
    if (this.#down.parentElement !== plane.frame.overlay) plane.frame.overlay.append(...this.#parts);
    this.#plane = plane;
    this.#at = at;
    const centre = at && plane.centreOf(at);
    for (const part of this.#parts) part.hidden = !centre;
    if (!centre) return;
    if (this.#label.textContent !== text) this.#label.textContent = text;
    for (const part of [this.#down, this.#centre]) part.style.left = `${centre.x}px`;
    for (const part of [this.#across, this.#centre]) part.style.top = `${centre.y}px`;
  }

  #part(name: string, moved: (to: Cell, from: Cell) => Cell): HTMLElement {
    const part = h("div", { class: `zw-cross zw-cross-${name}` });
    part.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.stopPropagation(); // the picture stays
      part.setPointerCapture(event.pointerId);
    });
    part.addEventListener("pointermove", (event) => {
      if (part.hasPointerCapture(event.pointerId)) this.#move(event, moved);
    });
    return part;
  }

  #move({ clientX, clientY }: PointerEvent, moved: (to: Cell, from: Cell) => Cell): void {
    const { content, viewpoint, frame } = this.#plane!;
    const from = this.#at;
    if (!content || !viewpoint || !from) return;
    const { left, top } = frame.box.getBoundingClientRect();
    const to = cellAt(content, viewpoint, { x: clientX - left, y: clientY - top });
    const cell = to && moved(to, from);
    if (cell && (cell.row !== from.row || cell.column !== from.column)) this.onMove(cell);
  }

  remove(): void {
    for (const part of this.#parts) part.remove();
  }
}
