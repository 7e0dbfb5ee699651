/** Two axes as an image: one canvas pixel per element, scaled by the browser. */
import type { ZarrArray } from "zarr-wasm";
import { axisName, axisText, fillRuler } from "./axes.js";
import { type ColormapName, colorTable } from "./colormaps.js";
import { Frame } from "./frame.js";
import type { Picture } from "./picture.js";
import type { PointerCallbacks } from "./pointer.js";
import { paintLabels, paintPlane } from "./render.js";

/** No side of a picture is drawn shorter than this, in CSS pixels, however long the other one is. */
const shortestSide = 56;

export class ImageView {
  readonly #frame: Frame;
  #shown: { picture: Picture; array: ZarrArray } | undefined;

  constructor(callbacks: PointerCallbacks) {
    this.#frame = new Frame(callbacks, () => this.#layout());
  }

  get element(): HTMLElement {
    return this.#frame.element;
  }
  get pointer() {
    return this.#frame.pointer;
  }

  show(
    array: ZarrArray,
    picture: Picture,
    colormap: ColormapName,
    [low, high]: readonly [number, number],
  ): void {
    const { plane } = picture;
    const { canvas, box, pointer } = this.#frame;
    if (canvas.width !== plane.columns || canvas.height !== plane.rows) {
      canvas.width = plane.columns;
      canvas.height = plane.rows;
    }
    const image = new ImageData(plane.columns, plane.rows);
    const pixels = new Uint32Array(image.data.buffer);
    if (colormap === "labels") paintLabels(plane, colorTable(colormap), pixels);
    else paintPlane(plane, colorTable(colormap), low, high, pixels);
    canvas.getContext("2d")!.putImageData(image, 0, 0);
    pointer.setGrid(plane.rows, plane.columns);
    this.#shown = { picture, array };
    const [down, across] = this.#titles();
    box.setAttribute(
      "aria-label",
      `Image of a slice. Down ${down}. Across ${across}. Arrow keys read values.`,
    );
    this.#layout();
  }

  dispose(): void {
    this.#frame.dispose();
  }

  #titles(): string[] {
    const { picture, array } = this.#shown!;
    return picture.slice.plan.axes.map((plan) =>
      axisText(axisName(array.dimensionNames, plan.axis), plan, array.shape[plan.axis]!),
    );
  }

  /** Fits the picture into its room: elements square, and a whole number of device pixels where they are large. */
  #layout(): void {
    if (!this.#shown) return;
    const [down, across] = this.#shown.picture.slice.plan.axes;
    const { canvas } = this.#frame;
    // Beside the ticks' digits stands the title.
    this.#frame.setRulerWidth(Math.max(52, 32 + 7 * String(down!.stop).length));
    const { room } = this.#frame;
    const [rows, columns] = [down!.stop - down!.start, across!.stop - across!.start];
    const fitted = Math.min(room.width / columns, room.height / rows);
    const ratio = window.devicePixelRatio || 1;
    const scale = fitted * ratio >= 2 ? Math.floor(fitted * ratio) / ratio : fitted;
    const width = Math.min(room.width, Math.max(shortestSide, columns * scale));
    const height = Math.min(room.height, Math.max(shortestSide, rows * scale));
    // Drawn smaller than it is, a picture needs the browser's filter; enlarged, its elements stay sharp.
    canvas.classList.toggle("zw-reduced", width * ratio < canvas.width || height * ratio < canvas.height);
    this.#frame.setSize(width, height);
    const [downTitle, acrossTitle] = this.#titles();
    fillRuler(this.#frame.across, "across", acrossTitle!, across!, width);
    fillRuler(this.#frame.down, "down", downTitle!, down!, height);
  }
}
