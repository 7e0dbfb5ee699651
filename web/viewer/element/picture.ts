/** Draws the main panel as an image: title, rulers, picture, overlay, legend. */
import { boxAround, paintElement } from "../base/snapshot.js";
import { type Box, CanvasSurface, type Surface } from "../base/surface.js";

/** Margin in CSS pixels. */
export const margin = 16;

/** Maximum width and height of a picture in pixels, as of canvases in browsers. */
const maxSide = 16_384;
const maxPixels = 2 ** 27;

/** Elements that only make sense on the page. */
const leftOut =
  ".zw-crumbs, .zw-tools, .zw-status, .zw-progress, .zw-readout, .zw-cursor, .zw-mark, .zw-clip-handles, button, input, select";

/** The parts of a main panel that pictures show. */
export function pictureParts(mainPanel: HTMLElement, isTitled = true): HTMLElement[] {
  const names = [...(isTitled ? [".zw-head"] : []), ".zw-view", ".zw-legend"];
  return names.flatMap((name) => {
    const found = mainPanel.querySelector<HTMLElement>(name);
    return found?.checkVisibility() ? [found] : [];
  });
}

/** Draws parts of a main panel onto a surface that `make` creates for their box. */
export function drawPicture<S extends Surface>(
  mainPanel: HTMLElement,
  parts: readonly HTMLElement[],
  make: (box: Box) => S,
): S {
  const box = boxAround(parts, margin);
  const surface = make(box);
  surface.begin(1);
  surface.fill(box, getComputedStyle(mainPanel).backgroundColor);
  for (const part of parts) paintElement(surface, part, (element) => element.matches(leftOut));
  surface.end();
  return surface;
}

/** @param scale pixels per CSS pixel */
export function drawCanvas(
  mainPanel: HTMLElement,
  parts: readonly HTMLElement[],
  scale: number,
): HTMLCanvasElement {
  const { width, height } = boxAround(parts, margin);
  const [x, y] = [Math.round(width * scale), Math.round(height * scale)];
  if (x > maxSide || y > maxSide || x * y > maxPixels)
    throw new RangeError(`the picture must have at most ${maxSide} pixels a side, got ${x} × ${y}`);
  return drawPicture(mainPanel, parts, (box) => new CanvasSurface(box, scale)).canvas;
}

/** The main panel as PNG, in device pixels. */
export function exportPicture(mainPanel: HTMLElement): Promise<Blob> {
  const scale = Math.max(1, window.devicePixelRatio || 1);
  return pngOf(drawCanvas(mainPanel, pictureParts(mainPanel), scale));
}

export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))),
      "image/png",
    );
  });
}

/** Maximum length of a file name, without its extension. */
const maxFileName = 100;

/** A file name without characters that operating systems reject. */
export function fileName(title: string, extension = "png"): string {
  const plain = title
    .slice(0, maxFileName)
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return `${plain || "view"}.${extension}`;
}
