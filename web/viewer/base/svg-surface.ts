/** Draws into an SVG document: shapes and text as vectors, canvases as PNG images. */
import type { Box, Point, Surface, TextStyle } from "./surface.js";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Characters that XML 1.0 does not allow, not even as references; lone surrogates cannot be encoded. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const escaped = (text: string | number) =>
  String(text)
    .replace(notInXml, "\ufffd")
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Numbers with a hundredth of a pixel. */
const written = (value: string | number) =>
  escaped(typeof value === "number" ? Number(value.toFixed(2)) : value);

function tag(name: string, attributes: Attributes, content?: string): string {
  const list = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${written(value)}"`],
  );
  return content === undefined
    ? `<${name}${list.join("")}/>`
    : `<${name}${list.join("")}>${content}</${name}>`;
}

const rectangle = ({ left, top, width, height }: Box): Attributes => ({ x: left, y: top, width, height });

/** SVG 1.1 has no colours with opacity. */
function paint(name: "fill" | "stop-color", colour: string): Attributes {
  const [red, green, blue, alpha = "1"] = colour.match(/[\d.]+/g) ?? [];
  const isPlain = /^rgba?\(/.test(colour) && blue !== undefined;
  if (!isPlain || alpha === "1") return { [name]: isPlain ? `rgb(${red},${green},${blue})` : colour };
  return { [name]: `rgb(${red},${green},${blue})`, [`${name.split("-")[0]}-opacity`]: alpha };
}

export class SvgSurface implements Surface {
  readonly #parts: string[] = [];
  /** Number of open elements of each group. */
  readonly #open: number[] = [];
  #ids = 0;

  constructor(private readonly box: Box) {}

  begin(opacity: number): void {
    this.#open.push(0);
    if (opacity < 1) this.#group({ opacity });
  }

  end(): void {
    this.#parts.push("</g>".repeat(this.#open.pop() ?? 0));
  }

  #group(attributes: Attributes): void {
    this.#parts.push(tag("g", attributes).replace(/\/>$/, ">"));
    this.#open[this.#open.length - 1]!++;
  }

  #define(name: string, attributes: Attributes, content: string): string {
    const id = `a${++this.#ids}`;
    this.#parts.push(tag("defs", {}, tag(name, { id, ...attributes }, content)));
    return `url(#${id})`;
  }

  clip(box: Box): void {
    this.#group({ "clip-path": this.#define("clipPath", {}, tag("rect", rectangle(box))) });
  }

  fill(box: Box, colour: string, radius = 0): void {
    this.#parts.push(tag("rect", { ...rectangle(box), rx: radius || undefined, ...paint("fill", colour) }));
  }

  polygon(points: readonly Point[], colour: string): void {
    const list = points.map(({ x, y }) => `${written(x)},${written(y)}`).join(" ");
    this.#parts.push(tag("polygon", { points: list, ...paint("fill", colour) }));
  }

  gradient(box: Box, stops: readonly (readonly [number, string])[]): void {
    const list = stops.map(([offset, colour]) =>
      tag("stop", { offset: String(offset), ...paint("stop-color", colour) }),
    );
    this.#parts.push(
      tag("rect", { ...rectangle(box), fill: this.#define("linearGradient", {}, list.join("")) }),
    );
  }

  chequers(box: Box, side: number, [even, odd]: readonly [string, string]): void {
    const { left: x, top: y } = box;
    const square = (at: number) =>
      tag("rect", { x: at, y: side - at, width: side, height: side, ...paint("fill", odd) });
    const pattern = { x, y, width: 2 * side, height: 2 * side, patternUnits: "userSpaceOnUse" };
    this.fill(box, even);
    const fill = this.#define("pattern", pattern, square(0) + square(side));
    this.#parts.push(tag("rect", { ...rectangle(box), fill }));
  }

  image(box: Box, canvas: HTMLCanvasElement, isPixelated: boolean): void {
    const href = canvas.toDataURL();
    this.#parts.push(
      tag("image", {
        ...rectangle(box),
        preserveAspectRatio: "none",
        "image-rendering": isPixelated ? "pixelated" : undefined,
        href,
      }),
    );
  }

  text(text: string, { x, y }: Point, style: TextStyle, turn: number): void {
    const size = Number.parseFloat(style.fontSize);
    const { fontStyle, fontWeight, fontFamily } = style;
    const attributes = {
      // The middle of small letters and digits.
      transform: `translate(${written(x)} ${written(y)})${turn === 0 ? "" : ` rotate(${turn})`}`,
      y: size * 0.35,
      "text-anchor": "middle",
      "font-family": fontFamily,
      "font-size": size,
      "font-weight": fontWeight === "400" ? undefined : fontWeight,
      "font-style": fontStyle === "normal" ? undefined : fontStyle,
      ...paint("fill", style.color),
    };
    this.#parts.push(tag("text", attributes, escaped(text)));
  }

  /** The document. */
  toString(): string {
    const { left, top, width, height } = this.box;
    const attributes = {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: [left, top, width, height].map(written).join(" "),
    };
    return `${tag("svg", attributes, this.#parts.join("\n"))}\n`;
  }
}
