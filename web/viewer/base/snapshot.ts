/**
 * Renders a part of a page as an image: canvases, text, backgrounds and simple borders of its visible
 * elements. This is enough for the viewer's own markup, and needs neither a library nor an exception in the
 * page's policy.
 */

/**
 * Draws elements onto a new canvas.
 * @param scale pixels of the result per CSS pixel
 * @param isLeftOut selects elements that are omitted with their descendants
 */
export function snapshot(
  elements: readonly Element[],
  { background, margin, scale }: { background: string; margin: number; scale: number },
  isLeftOut: (element: Element) => boolean,
): HTMLCanvasElement {
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)) - margin;
  const top = Math.min(...boxes.map((box) => box.top)) - margin;
  const right = Math.max(...boxes.map((box) => box.right)) + margin;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + margin;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round((right - left) * scale));
  canvas.height = Math.max(1, Math.round((bottom - top) * scale));
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  context.fillStyle = background;
  context.fillRect(0, 0, right - left, bottom - top);
  context.translate(-left, -top);
  for (const element of elements) paint(context, element, isLeftOut);
  return canvas;
}

function paint(
  context: CanvasRenderingContext2D,
  element: Element,
  isLeftOut: (element: Element) => boolean,
): void {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || isLeftOut(element)) return;
  const box = element.getBoundingClientRect();
  context.save();
  context.globalAlpha *= Number(style.opacity);
  paintBox(context, box, style);
  if (style.overflow !== "visible" && style.overflow !== "") clip(context, box);
  paintMark(context, element, box);
  if (element instanceof HTMLCanvasElement) paintCanvas(context, element, box, style);
  for (const child of element.childNodes) {
    if (child instanceof Element) paint(context, child, isLeftOut);
    else if (child instanceof Text) paintText(context, child, style);
  }
  context.restore();
}

/** Paints the `::after` box of an element without text: the ticks of rulers. */
function paintMark(context: CanvasRenderingContext2D, element: Element, box: DOMRect): void {
  const style = getComputedStyle(element, "::after");
  if (style.position !== "absolute" || style.backgroundColor === "rgba(0, 0, 0, 0)") return;
  const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(
    Number.parseFloat,
  );
  if (![left, top, width, height].every(Number.isFinite)) return;
  context.fillStyle = style.backgroundColor;
  context.fillRect(box.left + left!, box.top + top!, width!, height!);
}

function clip(context: CanvasRenderingContext2D, { left, top, width, height }: DOMRect): void {
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
}

function paintBox(context: CanvasRenderingContext2D, box: DOMRect, style: CSSStyleDeclaration): void {
  const { left, top, width, height } = box;
  if (style.backgroundColor !== "rgba(0, 0, 0, 0)") {
    context.fillStyle = style.backgroundColor;
    context.beginPath();
    context.roundRect(left, top, width, height, Number.parseFloat(style.borderTopLeftRadius) || 0);
    context.fill();
  }
  paintGradient(context, box, style.backgroundImage);
  paintChequers(context, box, style);
  for (const side of ["Top", "Right", "Bottom", "Left"] as const) {
    const thickness = Number.parseFloat(style[`border${side}Width`]);
    if (thickness > 0 && style[`border${side}Style`] !== "none")
      paintSide(context, box, side, thickness, style[`border${side}Color`]);
  }
  const outline = Number.parseFloat(style.outlineWidth);
  if (outline > 0 && style.outlineStyle === "solid") {
    const around = new DOMRect(left - outline, top - outline, width + 2 * outline, height + 2 * outline);
    for (const side of ["Top", "Right", "Bottom", "Left"] as const)
      paintSide(context, around, side, outline, style.outlineColor);
  }
}

/** Paints a border inside a box. */
function paintSide(
  context: CanvasRenderingContext2D,
  { left, top, right, bottom, width, height }: DOMRect,
  side: "Top" | "Right" | "Bottom" | "Left",
  thickness: number,
  colour: string,
): void {
  context.fillStyle = colour;
  if (side === "Top") context.fillRect(left, top, width, thickness);
  else if (side === "Bottom") context.fillRect(left, bottom - thickness, width, thickness);
  else context.fillRect(side === "Left" ? left : right - thickness, top, thickness, height);
}

/** Squares of two colours, the usual background of transparent areas. */
function paintChequers(
  context: CanvasRenderingContext2D,
  { left, top, width, height }: DOMRect,
  { backgroundImage, backgroundSize }: CSSStyleDeclaration,
): void {
  if (!backgroundImage.startsWith("repeating-conic-gradient(")) return;
  const [a, b] = [...new Set(backgroundImage.match(/rgba?\([^)]*\)/g))];
  const side = Number.parseFloat(backgroundSize) / 2;
  if (!a || !b || !(side > 0)) return;
  context.save();
  clip(context, new DOMRect(left, top, width, height));
  for (const [colour, odd] of [
    [a, 1],
    [b, 0],
  ] as const) {
    context.fillStyle = colour;
    for (let row = 0; row * side < height; row++)
      for (let column = (row + odd) % 2; column * side < width; column += 2)
        context.fillRect(left + column * side, top + row * side, side, side);
  }
  context.restore();
}

/** A gradient from left to right whose stops have positions, as in colour bars. */
function paintGradient(
  context: CanvasRenderingContext2D,
  { left, top, width, height }: DOMRect,
  image: string,
): void {
  if (!image.startsWith("linear-gradient(to right, ")) return;
  const gradient = context.createLinearGradient(left, 0, left + width, 0);
  for (const [, colour, percent] of image.matchAll(/(rgba?\([^)]*\)) ([\d.]+)%/g))
    gradient.addColorStop(Math.min(1, Number(percent) / 100), colour!);
  context.fillStyle = gradient;
  context.fillRect(left, top, width, height);
}

function paintCanvas(
  context: CanvasRenderingContext2D,
  canvas: HTMLCanvasElement,
  { left, top, width, height }: DOMRect,
  style: CSSStyleDeclaration,
): void {
  if (canvas.width === 0 || canvas.height === 0) return;
  context.imageSmoothingEnabled = style.imageRendering !== "pixelated";
  context.drawImage(canvas, left, top, width, height);
}

/** Paints text line by line, as laid out; vertical text is rotated. */
function paintText(context: CanvasRenderingContext2D, node: Text, style: CSSStyleDeclaration): void {
  if (!node.data.trim()) return;
  context.fillStyle = style.color;
  context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.textBaseline = "middle";
  for (const { text, box } of textLines(node)) {
    context.save();
    context.translate(box.left + box.width / 2, box.top + box.height / 2);
    if (style.writingMode.startsWith("vertical"))
      context.rotate(style.rotate === "180deg" ? -Math.PI / 2 : Math.PI / 2);
    context.textAlign = "center";
    context.fillText(text.trim(), 0, 0);
    context.restore();
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
