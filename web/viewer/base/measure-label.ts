/** A measured distance beside its end, with a button that clears it. */
import { text } from "../language/text.js";
import { button, h, setHidden } from "./dom.js";

export class MeasureLabel {
  readonly #text = h("output");
  readonly element: HTMLElement;

  constructor(onClear: () => void) {
    const { clear, clearKey } = text.measure;
    const attributes = { class: undefined, "aria-label": clear, title: clearKey };
    this.element = h(
      "div",
      { class: "zw-measure", hidden: true },
      this.#text,
      button("×", onClear, attributes),
    );
  }

  /** @param text undefined hides the label */
  say(text: string | undefined): void {
    setHidden(this.element, text === undefined);
    if (text !== undefined && this.#text.textContent !== text) this.#text.textContent = text;
  }

  /** Beside a point, within the picture. Lengths are CSS pixels. */
  place(size: { readonly width: number; readonly height: number }, at: { x: number; y: number }): void {
    const { style, offsetWidth, offsetHeight } = this.element;
    const inside = (at: number, length: number, room: number) => Math.max(0, Math.min(at, room - length));
    style.left = `${inside(at.x + 10, offsetWidth, size.width)}px`;
    style.top = `${inside(at.y + 10, offsetHeight, size.height)}px`;
  }
}
