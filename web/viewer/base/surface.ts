/** Where pictures of elements are drawn: a canvas, or an SVG document (svg-surface.ts). Lengths are CSS pixels. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Font and colour of text, as in computed styles. */
export type TextStyle = Pick<
  CSSStyleDeclaration,
  "color" | "fontStyle" | "fontWeight" | "fontSize" | "fontFamily"
>;

export interface Surface {
  /** Starts a group, which `end` closes. */
  begin(opacity: number): void;
  end(): void;
  /** Clips the rest of the group. */
  clip(box: Box): void;
  fill(box: Box, colour: string, radius?: number): void;
  polygon(points: readonly Point[], colour: string): void;
  /** A gradient from left to right. */
  gradient(box: Box, stops: readonly (readonly [at: number, colour: string])[]): void;
  /** Squares of two colours. */
  chequers(box: Box, side: number, colours: readonly [string, string]): void;
  image(box: Box, canvas: HTMLCanvasElement, isPixelated: boolean): void;
  /** Text around a point. @param turn in degrees, clockwise */
  text(text: string, at: Point, style: TextStyle, turn: number): void;
}

export class CanvasSurface implements Surface {
  readonly canvas = document.createElement("canvas");
  readonly #context = this.canvas.getContext("2d")!;

  /** @param scale pixels per CSS pixel */
  constructor({ left, top, width, height }: Box, scale: number) {
    this.canvas.width = Math.max(1, Math.round(width * scale));
    this.canvas.height = Math.max(1, Math.round(height * scale));
    this.#context.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
  }

  begin(opacity: number): void {
    this.#context.save();
    this.#context.globalAlpha *= opacity;
  }

  end(): void {
    this.#context.restore();
  }

  clip({ left, top, width, height }: Box): void {
    this.#context.beginPath();
    this.#context.rect(left, top, width, height);
    this.#context.clip();
  }

  fill({ left, top, width, height }: Box, colour: string, radius = 0): void {
    const context = this.#context;
    context.fillStyle = colour;
    if (radius === 0) {
      // Browsers align the edges of boxes to whole pixels.
      const { a: scale, e, f } = context.getTransform();
      const aligned = (at: number, shift: number) => Math.round(at * scale + shift);
      const [x, y] = [aligned(left, e), aligned(top, f)];
      const [right, bottom] = [aligned(left + width, e), aligned(top + height, f)];
      const size = [
        Math.max(right - x, width > 0 ? 1 : 0),
        Math.max(bottom - y, height > 0 ? 1 : 0),
      ] as const;
      context.fillRect((x - e) / scale, (y - f) / scale, size[0] / scale, size[1] / scale);
      return;
    }
    context.beginPath();
    context.roundRect(left, top, width, height, radius);
    context.fill();
  }

  polygon(points: readonly Point[], colour: string): void {
    const context = this.#context;
    context.fillStyle = colour;
    context.beginPath();
    for (const { x, y } of points) context.lineTo(x, y);
    context.fill();
  }

  gradient({ left, top, width, height }: Box, stops: readonly (readonly [number, string])[]): void {
    const gradient = this.#context.createLinearGradient(left, 0, left + width, 0);
    for (const [at, colour] of stops) gradient.addColorStop(at, colour);
    this.#context.fillStyle = gradient;
    this.#context.fillRect(left, top, width, height);
  }

  chequers(box: Box, side: number, [even, odd]: readonly [string, string]): void {
    const context = this.#context;
    context.save();
    this.clip(box);
    this.fill(box, even);
    context.fillStyle = odd;
    for (let row = 0; row * side < box.height; row++)
      for (let column = (row + 1) % 2; column * side < box.width; column += 2)
        context.fillRect(box.left + column * side, box.top + row * side, side, side);
    context.restore();
  }

  /** Pixels of a canvas that has the resolution of this one are copied one by one. */
  image({ left, top, width, height }: Box, canvas: HTMLCanvasElement, isPixelated: boolean): void {
    const context = this.#context;
    const { a: scale, e, f } = context.getTransform();
    context.save();
    context.resetTransform();
    context.imageSmoothingEnabled = !isPixelated;
    const [x, y] = [Math.round(left * scale + e), Math.round(top * scale + f)];
    context.drawImage(canvas, x, y, Math.round(width * scale), Math.round(height * scale));
    context.restore();
  }

  text(text: string, { x, y }: Point, style: TextStyle, turn: number): void {
    const context = this.#context;
    context.save();
    context.translate(x, y);
    context.rotate((turn * Math.PI) / 180);
    context.fillStyle = style.color;
    context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    context.textAlign = "center";
    // The middle of a line of text on a page, whose parts are whole pixels, is not that of its em square.
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = context.measureText(text);
    context.fillText(text, 0, (Math.round(above) - Math.round(below)) / 2);
    context.restore();
  }
}

/** Length of the signature and of the first chunk, IHDR. */
const headBytes = 33;

/** A PNG with a `pHYs` chunk, which programs use to size the picture on paper. */
export async function withDensity(png: Blob, dotsPerInch: number): Promise<Blob> {
  const bytes = new Uint8Array(await png.arrayBuffer());
  const parts = [bytes.subarray(0, headBytes), densityChunk(dotsPerInch), bytes.subarray(headBytes)];
  return new Blob(parts, { type: "image/png" });
}

/** Pixels per metre along both axes. */
function densityChunk(dotsPerInch: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(21));
  const perMetre = Math.round(dotsPerInch / 0.0254);
  view.setUint32(0, 9);
  view.setUint32(4, 0x70485973); // "pHYs"
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  view.setUint8(16, 1); // the unit is the metre
  const bytes = new Uint8Array(view.buffer);
  view.setUint32(17, checksum(bytes.subarray(4, 17)));
  return bytes;
}

/** CRC-32, bit by bit. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
