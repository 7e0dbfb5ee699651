/**
 * Renders a part of a page: canvases, text, backgrounds and simple borders of its visible elements. This is enough
 * for the viewer's own markup, and needs neither a library nor an exception in the page's policy.
 */
import type { Box, Point, Surface } from "./surface.js";

/** The smallest box around elements, with a margin in CSS pixels. */
export function boxAround(elements: readonly Element[], margin: number): Box {
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)) - margin;
  const top = Math.min(...boxes.map((box) => box.top)) - margin;
  const right = Math.max(...boxes.map((box) => box.right)) + margin;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + margin;
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * Draws elements onto a surface.
 * @param isLeftOut selects elements that are omitted with their descendants
 */
export function paintElement(
  surface: Surface,
  element: Element,
  isLeftOut: (element: Element) => boolean,
): void {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || isLeftOut(element)) return;
  const box = element.getBoundingClientRect();
  surface.begin(Number(style.opacity));
  paintBox(surface, box, style);
  if (style.overflow !== "visible" && style.overflow !== "") surface.clip(box);
  paintMark(surface, element, box);
  if (element instanceof HTMLCanvasElement && element.width > 0 && element.height > 0)
    surface.image(box, element, style.imageRendering === "pixelated");
  for (const child of element.childNodes) {
    if (child instanceof Element) paintElement(surface, child, isLeftOut);
    else if (child instanceof Text) paintText(surface, child, style);
  }
  surface.end();
}

/** Paints the `::after` box of an element without text: the ticks of rulers. */
function paintMark(surface: Surface, element: Element, box: DOMRect): void {
  const style = getComputedStyle(element, "::after");
  if (style.position !== "absolute" || style.backgroundColor === "rgba(0, 0, 0, 0)") return;
  const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(
    Number.parseFloat,
  );
  if (![left, top, width, height].every(Number.isFinite)) return;
  surface.fill(new DOMRect(box.left + left!, box.top + top!, width!, height!), style.backgroundColor);
}

function paintBox(surface: Surface, box: DOMRect, style: CSSStyleDeclaration): void {
  const { left, top, width, height } = box;
  if (style.backgroundColor !== "rgba(0, 0, 0, 0)") {
    const corners = polygonIn(box, style.clipPath);
    if (corners) surface.polygon(corners, style.backgroundColor);
    else surface.fill(box, style.backgroundColor, Number.parseFloat(style.borderTopLeftRadius) || 0);
  }
  paintGradient(surface, box, style.backgroundImage);
  paintChequers(surface, box, style);
  for (const side of ["Top", "Right", "Bottom", "Left"] as const) {
    const thickness = Number.parseFloat(style[`border${side}Width`]);
    if (thickness > 0 && style[`border${side}Style`] !== "none")
      paintSide(surface, box, side, thickness, style[`border${side}Color`]);
  }
  const outline = Number.parseFloat(style.outlineWidth);
  if (outline > 0 && style.outlineStyle === "solid") {
    const around = new DOMRect(left - outline, top - outline, width + 2 * outline, height + 2 * outline);
    for (const side of ["Top", "Right", "Bottom", "Left"] as const)
      paintSide(surface, around, side, outline, style.outlineColor);
  }
}

/** The corners of a `clip-path` whose places are percentages: the triangles of legends. */
function polygonIn({ left, top, width, height }: DOMRect, clipPath: string): Point[] | undefined {
  if (!clipPath.startsWith("polygon(")) return undefined;
  const places = clipPath.slice(8, -1).split(",");
  return places.map((place) => {
    const [x, y] = place.trim().split(/\s+/).map(Number.parseFloat) as [number, number];
    return { x: left + (x / 100) * width, y: top + (y / 100) * height };
  });
}

/** Paints a border inside a box. */
function paintSide(
  surface: Surface,
  { left, top, right, bottom, width, height }: DOMRect,
  side: "Top" | "Right" | "Bottom" | "Left",
  thickness: number,
  colour: string,
): void {
  const isAcross = side === "Top" || side === "Bottom";
  const x = side === "Right" ? right - thickness : left;
  const y = side === "Bottom" ? bottom - thickness : top;
  surface.fill(new DOMRect(x, y, isAcross ? width : thickness, isAcross ? thickness : height), colour);
}

/** Squares of two colours, the usual background of transparent areas. */
function paintChequers(
  surface: Surface,
  box: DOMRect,
  { backgroundImage, backgroundSize }: CSSStyleDeclaration,
): void {
  if (!backgroundImage.startsWith("repeating-conic-gradient(")) return;
  const [a, b] = [...new Set(backgroundImage.match(/rgba?\([^)]*\)/g))];
  const side = Number.parseFloat(backgroundSize) / 2;
  if (a && b && side > 0) surface.chequers(box, side, [b, a]);
}

/** A gradient from left to right whose stops have positions, as in colour bars. */
function paintGradient(surface: Surface, box: DOMRect, image: string): void {
  if (!image.startsWith("linear-gradient(to right, ")) return;
  const stops = [...image.matchAll(/(rgba?\([^)]*\)) ([\d.]+)%/g)];
  surface.gradient(
    box,
    stops.map(([, colour, percent]) => [Math.min(1, Number(percent) / 100), colour!]),
  );
}

/** Paints text line by line, as laid out; vertical text is rotated. */
function paintText(surface: Surface, node: Text, style: CSSStyleDeclaration): void {
  if (!node.data.trim()) return;
  const turn = style.writingMode.startsWith("vertical") ? (style.rotate === "180deg" ? -90 : 90) : 0;
  for (const { text, box } of textLines(node)) {
    const centre = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    surface.text(text.trim(), centre, style, turn);
  }
}

/** The lines of a text node with their boxes. */
function textLines(node: Text): { text: string; box: DOMRect }[] {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rects = [...range.getClientRects()];
  if (rects.length <= 1) return rects.map((box) => ({ text: node.data, box }));
  // Line breaks can only be found by measuring every word.
  const lines: { text: string; box: DOMRect }[] = [];
  for (const { index, 0: word } of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.trimEnd().length);
    const box = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last && Math.abs(last.box.top - box.top) < box.height / 2) {
      last.text += word;
      last.box = new DOMRect(last.box.left, last.box.top, box.right - last.box.left, last.box.height);
    } else lines.push({ text: word, box });
  }
  return lines;
}
