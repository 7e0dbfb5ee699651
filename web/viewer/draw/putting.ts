/** Pictures into their places: filtered along each axis where they are drawn smaller, sharp where larger. */
import { contextOf } from "./pictures.js";
import type { Placed } from "./placing.js";

export class Putter {
  /** Pictures that have been made smaller along one axis only: contexts filter along both or none. */
  readonly #half = document.createElement("canvas");

  /** @param isSharp no filter at all: colours between two are those of something else. */
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
    // What is not a number shows the ground, and not what was drawn before.
    context.clearRect(left, Math.min(top, bottom), width, height);
    // Rows that go up: the picture upside down.
    if (bottom < top) context.setTransform(1, 0, 0, -1, 0, top + bottom);
    context.drawImage(source, left, Math.min(top, bottom), width, height);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  #halved(image: ImageBitmap | HTMLCanvasElement, width: number, height: number): HTMLCanvasElement {
    Object.assign(this.#half, { width, height });
    contextOf(this.#half).drawImage(image, 0, 0, width, height);
    return this.#half;
  }
}
