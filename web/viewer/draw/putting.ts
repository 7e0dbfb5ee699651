/** Draws images into their places: filtered along each axis where they shrink, sharp where they grow. */
import { drawingContext } from "./pictures.js";
import type { Placed } from "./placing.js";

export class Putter {
  /** Images shrunk along one axis only: contexts filter along both axes or none. */
  readonly #half = document.createElement("canvas");

  /** @param isSharp disables filters, for labels: a mixed colour would stand for another label. */
  put(
    context: CanvasRenderingContext2D,
    image: ImageBitmap | HTMLCanvasElement,
    { left, right, top, bottom }: Placed,
    isSharp: boolean,
  ): void {
    const [width, height] = [right - left, Math.abs(bottom - top)];
    const isNarrower = width < image.width && !isSharp;
    const isLower = height < image.height && !isSharp;
    const isHalved = (isNarrower && height > image.height) || (isLower && width > image.width);
    const source = isHalved
      ? this.#halved(image, Math.min(width, image.width), Math.min(height, image.height))
      : image;
    context.imageSmoothingEnabled = (isNarrower || isLower) && !isHalved;
    // Values that are not numbers show the ground, not earlier drawings.
    context.clearRect(left, Math.min(top, bottom), width, height);
    // Rows go up: the image is flipped.
    if (bottom < top) context.setTransform(1, 0, 0, -1, 0, top + bottom);
    context.drawImage(source, left, Math.min(top, bottom), width, height);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  #halved(image: ImageBitmap | HTMLCanvasElement, width: number, height: number): HTMLCanvasElement {
    Object.assign(this.#half, { width, height });
    drawingContext(this.#half).drawImage(image, 0, 0, width, height);
    return this.#half;
  }
}
