/** One axis as a line: values over indices. */
import type { ZarrArray } from "zarr-wasm";
import { axisName, axisText, fillRuler, fillValueRuler } from "./axes.js";
import { Frame } from "./frame.js";
import type { Picture } from "./picture.js";
import type { PointerCallbacks } from "./pointer.js";
import type { Plane } from "./render.js";

interface Shown {
  readonly array: ZarrArray;
  readonly picture: Picture;
  readonly limits: readonly [low: number, high: number];
  readonly format: (value: number) => string;
}

export class LineView {
  readonly #frame: Frame;
  readonly #scheme = window.matchMedia("(prefers-color-scheme: dark)");
  readonly #redraw = () => this.#layout();
  #shown: Shown | undefined;

  constructor(callbacks: PointerCallbacks) {
    this.#frame = new Frame(callbacks, this.#redraw);
    this.#frame.element.classList.add("zw-frame-line");
    // The line is drawn in a colour of the style sheet.
    this.#scheme.addEventListener("change", this.#redraw);
  }

  get element(): HTMLElement {
    return this.#frame.element;
  }
  get pointer() {
    return this.#frame.pointer;
  }

  show(shown: Shown): void {
    this.#shown = shown;
    this.#frame.pointer.setGrid(1, shown.picture.plane.columns);
    this.#frame.box.setAttribute(
      "aria-label",
      `Plot of a line. ${this.#title(shown)}. Arrow keys read values.`,
    );
    this.#layout();
  }

  dispose(): void {
    this.#scheme.removeEventListener("change", this.#redraw);
    this.#frame.dispose();
  }

  #title({ array, picture }: Shown): string {
    const [plan] = picture.slice.plan.axes;
    return axisText(axisName(array.dimensionNames, plan!.axis), plan!, array.shape[plan!.axis]!);
  }

  #layout(): void {
    const shown = this.#shown;
    if (!shown) return;
    const { canvas } = this.#frame;
    const [low, high] = paddedLimits(shown.limits);
    const widest = Math.max(shown.format(low).length, shown.format(high).length);
    this.#frame.setRulerWidth(Math.max(52, 7 * widest + 18));
    const { room } = this.#frame;
    const ratio = window.devicePixelRatio || 1;
    const height = Math.min(room.height, 320);
    this.#frame.setSize(room.width, height);
    canvas.width = Math.round(room.width * ratio);
    canvas.height = Math.round(height * ratio);
    drawLine(canvas, shown.picture.plane, low, high, ratio);
    fillRuler(
      this.#frame.across,
      "across",
      this.#title(shown),
      shown.picture.slice.plan.axes[0]!,
      room.width,
    );
    fillValueRuler(this.#frame.down, low, high, height, shown.format);
  }
}

/** The limits with some room above and below; a range without extent gets one. */
function paddedLimits([low, high]: readonly [number, number]): [number, number] {
  const margin = high > low ? (high - low) * 0.06 : Math.abs(low) * 0.1 || 1;
  return [low - margin, high + margin];
}

/** Draws values as a line: each at the middle of its share of the width, with gaps where there is no number. */
function drawLine(canvas: HTMLCanvasElement, plane: Plane, low: number, high: number, ratio: number): void {
  const context = canvas.getContext("2d")!;
  const { width, height } = canvas;
  const { values, columns, columnStride } = plane;
  context.clearRect(0, 0, width, height);
  context.strokeStyle = getComputedStyle(canvas).color;
  context.lineWidth = 1.5 * ratio;
  context.lineJoin = "round";
  context.beginPath();
  let isDrawing = false;
  for (let i = 0; i < columns; i++) {
    const value = values[i * columnStride]!;
    const x = ((i + 0.5) / columns) * width;
    const y = height * (1 - (value - low) / (high - low));
    if (!Number.isFinite(y)) isDrawing = false;
    else if (isDrawing) context.lineTo(x, y);
    else {
      // A dot's worth of line, so that a number between two gaps is seen, too.
      context.moveTo(x - ratio / 2, y);
      context.lineTo(x + ratio / 2, y);
      isDrawing = true;
    }
  }
  context.stroke();
}
