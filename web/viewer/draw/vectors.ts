/** Draws points, lines and areas with a 2-D context, and finds those under the pointer. */
import type { Matrix } from "../base/matrix.js";
import type { Features, Paths, Points } from "../source/features.js";

/** Red, green, blue as 0xrrggbb. */
export type Color = number;

export interface VectorScene {
  readonly features: Pick<Features, "points" | "paths">;
  /** From coordinates to device pixels. */
  readonly matrix: Matrix;
  readonly colorOf: (feature: number) => Color;
  /** Diameter of points, and width of lines, in device pixels. */
  readonly size: number;
  readonly lineWidth: number;
  /** 0 to 1. */
  readonly opacity: number;
  /** Whether a feature is drawn and found. Default: all. */
  readonly isShown?: ((feature: number) => boolean) | undefined;
}

/** Opacity of the inside of areas, as a part of that of their outlines. */
const fillShare = 0.25;
/** Paths smaller than this many device pixels are drawn as squares; closer vertices are skipped. */
const leastPath = 1.5;
const leastStep = 0.7;
/** Symbols of up to this diameter, in device pixels, and smaller circles are copied from a mask. */
const largestMask = 64;
const largestCircle = 8;

const css = (color: Color): string => `#${color.toString(16).padStart(6, "0")}`;

const placeX = ([a, , c, , e]: Matrix, x: number, y: number): number => a * x + c * y + e;
const placeY = ([, b, , d, , f]: Matrix, x: number, y: number): number => b * x + d * y + f;
const scaleOf = ([a, b, c, d]: Matrix): number => Math.sqrt(Math.abs(a * d - b * c));

export function drawVectors(context: CanvasRenderingContext2D, scene: VectorScene): void {
  drawPaths(context, scene);
  drawPoints(context, scene);
  context.globalAlpha = 1;
}

/** Draws one feature in white: a point as a ring with a dark edge. */
export function drawFeature(context: CanvasRenderingContext2D, scene: VectorScene, feature: number): void {
  const { features, matrix, size, lineWidth } = scene;
  drawPaths(context, { ...scene, colorOf: () => 0xffffff, isShown: (one) => one === feature });
  const { points } = features;
  const scale = scaleOf(matrix);
  context.globalAlpha = 1;
  context.lineWidth = lineWidth;
  for (let i = points.features.indexOf(feature); i >= 0; i = points.features.indexOf(feature, i + 1)) {
    const [x, y] = [points.xy[2 * i]!, points.xy[2 * i + 1]!];
    const radius = points.radii ? points.radii[i]! * scale : size / 2;
    context.beginPath();
    context.arc(placeX(matrix, x, y), placeY(matrix, x, y), radius + lineWidth / 2, 0, 2 * Math.PI);
    // Inside, the point keeps its colour.
    context.strokeStyle = "#ffffff";
    context.stroke();
    context.beginPath();
    context.arc(placeX(matrix, x, y), placeY(matrix, x, y), radius + 1.5 * lineWidth, 0, 2 * Math.PI);
    context.strokeStyle = "#000000";
    context.stroke();
  }
}

function drawPaths(context: CanvasRenderingContext2D, scene: VectorScene): void {
  const { features, opacity, lineWidth, isShown = () => true } = scene;
  const { paths } = features;
  const [areas, lines] = [new Map<Color, Path2D>(), new Map<Color, Path2D>()];
  const size = { width: context.canvas.width, height: context.canvas.height };
  for (let path = 0; path < paths.features.length; path++) {
    const list = paths.isRing[path] ? areas : lines;
    if (!isShown(paths.features[path]!) || !isSeen(paths, path, scene.matrix, size, lineWidth)) continue;
    const color = scene.colorOf(paths.features[path]!);
    const outline = list.get(color) ?? new Path2D();
    list.set(color, outline);
    addPath(outline, paths, path, scene.matrix);
  }
  context.lineWidth = lineWidth;
  context.lineJoin = "round";
  for (const [color, outline] of areas) {
    context.fillStyle = css(color);
    context.globalAlpha = opacity * fillShare;
    context.fill(outline);
  }
  context.globalAlpha = opacity;
  for (const [color, outline] of [...areas, ...lines]) {
    context.strokeStyle = css(color);
    context.stroke(outline);
  }
}

/** The corners of a path's bounds in device pixels. */
function placedBounds({ bounds }: Paths, path: number, matrix: Matrix) {
  const [left, top, right, bottom] = bounds.subarray(4 * path, 4 * path + 4) as unknown as [
    number,
    number,
    number,
    number,
  ];
  const xs = [
    placeX(matrix, left, top),
    placeX(matrix, right, bottom),
    placeX(matrix, left, bottom),
    placeX(matrix, right, top),
  ];
  const ys = [
    placeY(matrix, left, top),
    placeY(matrix, right, bottom),
    placeY(matrix, left, bottom),
    placeY(matrix, right, top),
  ];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

function isSeen(
  paths: Paths,
  path: number,
  matrix: Matrix,
  { width, height }: { width: number; height: number },
  margin: number,
): boolean {
  const { left, right, top, bottom } = placedBounds(paths, path, matrix);
  return right >= -margin && left <= width + margin && bottom >= -margin && top <= height + margin;
}

function addPath(outline: Path2D, paths: Paths, path: number, matrix: Matrix): void {
  const { left, right, top, bottom } = placedBounds(paths, path, matrix);
  if (right - left < leastPath && bottom - top < leastPath) {
    outline.rect(left, top, 1, 1);
    return;
  }
  const { xy, starts, isRing } = paths;
  const end = starts[path + 1]!;
  let [lastX, lastY] = [Number.NaN, Number.NaN];
  for (let i = starts[path]!; i < end; i++) {
    const x = placeX(matrix, xy[2 * i]!, xy[2 * i + 1]!);
    const y = placeY(matrix, xy[2 * i]!, xy[2 * i + 1]!);
    const isFirst = i === starts[path];
    if (!isFirst && i < end - 1 && Math.abs(x - lastX) < leastStep && Math.abs(y - lastY) < leastStep)
      continue;
    if (isFirst) outline.moveTo(x, y);
    else outline.lineTo(x, y);
    [lastX, lastY] = [x, y];
  }
  if (isRing[path]) outline.closePath();
}

/** Opacity, 0 to 255, of the pixels of a disc: by the share of each pixel inside. */
function discMask(diameter: number): { readonly side: number; readonly alpha: Uint8Array } {
  const side = Math.max(1, Math.ceil(diameter));
  const alpha = new Uint8Array(side * side);
  const [radius, middle] = [diameter / 2, side / 2];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const distance = Math.hypot(x + 0.5 - middle, y + 0.5 - middle);
      alpha[y * side + x] = Math.round(255 * Math.min(1, Math.max(0, radius - distance + 0.5)));
    }
  return { side, alpha };
}

let layer: HTMLCanvasElement | undefined;

/** Points are written pixel by pixel, which is faster than one path for each of many. */
function drawPoints(context: CanvasRenderingContext2D, scene: VectorScene): void {
  const { points } = scene.features;
  const { width, height } = context.canvas;
  if (points.features.length === 0) return;
  const { xy, radii, features } = points;
  const { colorOf, isShown } = scene;
  const [a, b, c, d, e, f] = scene.matrix;
  const image = new ImageData(width, height);
  const bytes = new Uint32Array(image.data.buffer);
  const scale = scaleOf(scene.matrix);
  const masks = new Map<number, ReturnType<typeof discMask>>();
  const large: number[] = [];
  for (let i = 0; i < features.length; i++) {
    const x = a * xy[2 * i]! + c * xy[2 * i + 1]! + e;
    const y = b * xy[2 * i]! + d * xy[2 * i + 1]! + f;
    const wanted = Math.max(radii ? 2 * radii[i]! * scale : scene.size, 1);
    if (!(x > -wanted && x < width + wanted && y > -wanted && y < height + wanted)) continue;
    if (isShown && !isShown(features[i]!)) continue;
    if (wanted > (radii ? largestCircle : largestMask)) {
      large.push(i);
      continue;
    }
    const diameter = Math.round(wanted);
    const mask = masks.get(diameter) ?? discMask(diameter);
    masks.set(diameter, mask);
    stamp(
      bytes,
      width,
      height,
      Math.round(x - mask.side / 2),
      Math.round(y - mask.side / 2),
      mask,
      colorOf(features[i]!),
    );
  }
  layer ??= document.createElement("canvas");
  if (layer.width !== width || layer.height !== height) Object.assign(layer, { width, height });
  layer.getContext("2d")!.putImageData(image, 0, 0);
  context.globalAlpha = scene.opacity;
  context.drawImage(layer, 0, 0);
  drawCircles(context, scene, large, points);
}

/** Writes a disc; pixels of different opacity keep the greater one. Pixels are in the byte order of canvases. */
function stamp(
  pixels: Uint32Array,
  width: number,
  height: number,
  left: number,
  top: number,
  { side, alpha }: ReturnType<typeof discMask>,
  color: Color,
): void {
  const blueFirst = ((color & 255) << 16) | (color & 0xff00) | (color >> 16);
  for (let row = Math.max(0, -top); row < side && top + row < height; row++)
    for (let column = Math.max(0, -left); column < side && left + column < width; column++) {
      const at = (top + row) * width + left + column;
      const own = alpha[row * side + column]!;
      if (own > 0 && own >= pixels[at]! >>> 24) pixels[at] = ((own << 24) | blueFirst) >>> 0;
    }
}

/** Draws circles, and symbols that are too large for masks. */
function drawCircles(
  context: CanvasRenderingContext2D,
  scene: VectorScene,
  list: readonly number[],
  { xy, radii, features }: Points,
): void {
  const scale = scaleOf(scene.matrix);
  context.lineWidth = scene.lineWidth;
  for (const i of list) {
    const radius = radii ? radii[i]! * scale : scene.size / 2;
    context.beginPath();
    context.arc(
      placeX(scene.matrix, xy[2 * i]!, xy[2 * i + 1]!),
      placeY(scene.matrix, xy[2 * i]!, xy[2 * i + 1]!),
      radius,
      0,
      2 * Math.PI,
    );
    context.fillStyle = context.strokeStyle = css(scene.colorOf(features[i]!));
    context.globalAlpha = scene.opacity * (radii ? fillShare : 1);
    context.fill();
    context.globalAlpha = scene.opacity;
    if (radii) context.stroke();
  }
}

/** The topmost feature at a position in device pixels, within a distance for points and lines. */
export function featureAt(
  scene: Pick<VectorScene, "features" | "matrix" | "size" | "isShown">,
  x: number,
  y: number,
  distance: number,
): number | undefined {
  const { features, matrix } = scene;
  return pointAt(scene, x, y, distance) ?? pathAt(features.paths, matrix, x, y, distance);
}

function pointAt(
  {
    features: { points },
    matrix,
    size,
    isShown,
  }: Pick<VectorScene, "features" | "matrix" | "size" | "isShown">,
  x: number,
  y: number,
  distance: number,
): number | undefined {
  const { xy, radii, features } = points;
  const scale = scaleOf(matrix);
  const [a, b, c, d, e, f] = matrix;
  let [best, found] = [Infinity, -1];
  for (let i = 0; i < features.length; i++) {
    const dx = a * xy[2 * i]! + c * xy[2 * i + 1]! + e - x;
    const dy = b * xy[2 * i]! + d * xy[2 * i + 1]! + f - y;
    const reach = Math.max(distance, radii ? radii[i]! * scale : size / 2);
    const away = dx * dx + dy * dy;
    // Of equally near ones, the last is on top.
    if (away > reach * reach || away > best || (isShown && !isShown(features[i]!))) continue;
    [best, found] = [away, i];
  }
  return found < 0 ? undefined : features[found];
}

/**
 * The nearest point in a direction, for keys: at most 45° away from it. Distances across the direction count twice.
 * Without a direction, the nearest of all. Positions are in device pixels.
 */
export function pointBeside(
  { features: { points }, matrix, isShown }: VectorScene,
  from: { readonly x: number; readonly y: number },
  way: { readonly x: number; readonly y: number },
): { readonly feature: number; readonly x: number; readonly y: number } | undefined {
  const { xy, features } = points;
  const [a, b, c, d, e, f] = matrix;
  const isAnyWay = way.x === 0 && way.y === 0;
  let [best, found] = [Infinity, -1];
  for (let i = 0; i < features.length; i++) {
    const dx = a * xy[2 * i]! + c * xy[2 * i + 1]! + e - from.x;
    const dy = b * xy[2 * i]! + d * xy[2 * i + 1]! + f - from.y;
    const [along, aside] = [dx * way.x + dy * way.y, Math.abs(dx * way.y - dy * way.x)];
    if (!isAnyWay && (along < 0.5 || aside > along)) continue;
    const distance = isAnyWay ? Math.hypot(dx, dy) : along + 2 * aside;
    if (distance >= best || (isShown && !isShown(features[i]!))) continue;
    [best, found] = [distance, i];
  }
  if (found < 0) return undefined;
  const [x, y] = [xy[2 * found]!, xy[2 * found + 1]!];
  return { feature: features[found]!, x: placeX(matrix, x, y), y: placeY(matrix, x, y) };
}

function pathAt(paths: Paths, matrix: Matrix, x: number, y: number, distance: number): number | undefined {
  const { features, isRing } = paths;
  for (let last = features.length - 1; last >= 0; ) {
    const feature = features[last]!;
    let isInside = false;
    for (; last >= 0 && features[last] === feature; last--) {
      if (!isSeen(paths, last, shifted(matrix, -x, -y), { width: 0, height: 0 }, distance)) continue;
      if (isRing[last]) isInside = isInside !== crosses(paths, last, matrix, x, y);
      else if (lineDistance(paths, last, matrix, x, y) <= distance) return feature;
    }
    if (isInside) return feature;
  }
  return undefined;
}

const shifted = ([a, b, c, d, e, f]: Matrix, x: number, y: number): Matrix => [a, b, c, d, e + x, f + y];

/** Whether a ray from a position crosses a ring an odd number of times. */
function crosses({ xy, starts }: Paths, path: number, matrix: Matrix, x: number, y: number): boolean {
  let isOdd = false;
  const [from, to] = [starts[path]!, starts[path + 1]!];
  for (let i = from, k = to - 1; i < to; k = i++) {
    const [x1, y1] = [placeX(matrix, xy[2 * i]!, xy[2 * i + 1]!), placeY(matrix, xy[2 * i]!, xy[2 * i + 1]!)];
    const [x2, y2] = [placeX(matrix, xy[2 * k]!, xy[2 * k + 1]!), placeY(matrix, xy[2 * k]!, xy[2 * k + 1]!)];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isOdd = !isOdd;
  }
  return isOdd;
}

function lineDistance({ xy, starts }: Paths, path: number, matrix: Matrix, x: number, y: number): number {
  let best = Infinity;
  for (let i = starts[path]! + 1; i < starts[path + 1]!; i++) {
    const [x1, y1] = [
      placeX(matrix, xy[2 * i - 2]!, xy[2 * i - 1]!),
      placeY(matrix, xy[2 * i - 2]!, xy[2 * i - 1]!),
    ];
    const [dx, dy] = [
      placeX(matrix, xy[2 * i]!, xy[2 * i + 1]!) - x1,
      placeY(matrix, xy[2 * i]!, xy[2 * i + 1]!) - y1,
    ];
    const share = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    best = Math.min(best, Math.hypot(x1 + share * dx - x, y1 + share * dy - y));
  }
  return best;
}
