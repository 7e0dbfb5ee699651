/** Draws over a volume: its edges with the lengths of its axes, the clip box, a measured line, the voxel under the pointer. */
import { pointAtPlace } from "./affine.js";
import { type Box, map3, type Vec3 } from "./bricks.js";
import { corners, projector, type VolumeViewpoint, visiblePart } from "./camera.js";
import { drawCube } from "./cube.js";
import type { Slices } from "./slices.js";

const edgeColor = "rgb(140 150 160 / 70%)";
const textColor = "rgb(255 255 255 / 90%)";
const outlineColor = "rgb(0 0 0 / 70%)";

export interface VolumeLabels {
  /** Names of the axes x, y and z, and their lengths with units. */
  readonly names: readonly string[];
  readonly lengths: readonly string[];
  /** A bar of a round length, at most `room` wide. All widths are in CSS pixels. */
  scaleBar(
    pixelsPerVoxel: number,
    room: number,
  ): { readonly width: number; readonly text: string } | undefined;
  /** The distance of two points, in voxels of level 0, with its unit. */
  distance(from: Vec3, to: Vec3): string;
}

/** Points in voxels of level 0. */
export interface VolumeMarks {
  /** Under the pointer. */
  readonly point: Vec3 | undefined;
  readonly slices: Slices["at"];
  /** The point in which the lines of the crosshair meet. */
  readonly cross: Vec3 | undefined;
  /** None, the first, or both ends of a measured line. */
  readonly measured: readonly Vec3[];
}

export function drawOutline(
  context: CanvasRenderingContext2D,
  view: VolumeViewpoint,
  ratio: number,
  labels: VolumeLabels,
  { point, slices, cross, measured }: VolumeMarks,
): void {
  const { width, height, space } = view;
  if (context.canvas.width !== width || context.canvas.height !== height)
    Object.assign(context.canvas, { width, height });
  context.clearRect(0, 0, width, height);
  context.textAlign = "center";
  context.textBaseline = "middle";
  drawCube(context, view, ratio, labels.names);
  context.lineWidth = ratio;
  context.strokeStyle = edgeColor;
  drawEdges(context, view, { from: [0, 0, 0], to: space.extent });
  drawSlices(context, view, slices);
  if (view.clip) {
    context.setLineDash([4 * ratio, 3 * ratio]);
    drawEdges(context, view, visiblePart(view).box);
    context.setLineDash([]);
  }
  context.save();
  context.fillStyle = context.strokeStyle = textColor;
  context.shadowColor = "rgb(0 0 0 / 80%)";
  context.shadowBlur = 3 * ratio;
  context.font = `${12 * ratio}px system-ui, sans-serif`;
  drawLengths(context, view, ratio, labels);
  context.lineWidth = 1.5 * ratio;
  if (point) drawMark(context, view, ratio, point, 6);
  drawMeasured(context, view, ratio, measured);
  if (cross) drawCross(context, view, ratio, cross);
  context.restore();
}

/** The edges of the slices across the axes. */
function drawSlices(context: CanvasRenderingContext2D, view: VolumeViewpoint, slices: Slices["at"]): void {
  const { box } = visiblePart(view);
  for (const [axis, at] of slices.entries()) {
    if (at === undefined || at + 0.5 < box.from[axis]! || at + 0.5 > box.to[axis]!) continue;
    const flat = (edge: Vec3) => map3((i) => (i === axis ? at + 0.5 : edge[i]!));
    drawEdges(context, view, { from: flat(box.from), to: flat(box.to) });
  }
}

function drawEdges(context: CanvasRenderingContext2D, view: VolumeViewpoint, box: Box): void {
  const points = corners(box);
  drawLines(
    context,
    view,
    points.flatMap((from, i) =>
      [1, 2, 4].flatMap((bit) => (i & bit ? [] : [[from, points[i | bit]!] as const])),
    ),
  );
}

/** Lines between points, except those that reach behind the eye. */
function drawLines(
  context: CanvasRenderingContext2D,
  view: VolumeViewpoint,
  lines: readonly (readonly [from: Vec3, to: Vec3])[],
): void {
  const project = projector(view);
  context.beginPath();
  for (const [from, to] of lines) {
    const [a, b] = [project(from), project(to)];
    if (a.depth <= 0 || b.depth <= 0) continue;
    context.moveTo(a.x, a.y);
    context.lineTo(b.x, b.y);
  }
  context.stroke();
}

/** Lines along the axes, from one end of the volume to the other. */
function drawCross(context: CanvasRenderingContext2D, view: VolumeViewpoint, ratio: number, at: Vec3): void {
  context.lineWidth = ratio;
  const end = (axis: number, edge: number) => map3((i) => (i === axis ? edge : at[i]!));
  const { extent } = view.space;
  drawLines(
    context,
    view,
    extent.map((length, axis) => [end(axis, 0), end(axis, length)] as const),
  );
}

/** Draws text with a dark outline: the voxels below it may be as bright as the text. */
function drawText(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  ratio: number,
): void {
  context.save();
  context.lineWidth = 3 * ratio;
  context.lineJoin = "round";
  context.strokeStyle = outlineColor;
  context.strokeText(text, x, y);
  context.restore();
  context.fillText(text, x, y);
}

/** Beside the middle of the edges from the origin. */
function drawLengths(
  context: CanvasRenderingContext2D,
  view: VolumeViewpoint,
  ratio: number,
  { lengths }: VolumeLabels,
): void {
  const project = projector(view);
  for (const axis of [0, 1, 2]) {
    const place = map3((i) => (i === axis ? 0.5 : -0.04) * view.space.extent[i]!);
    const { x, y, depth } = project(pointAtPlace(view.space, place));
    if (depth > 0) drawText(context, lengths[axis]!, x, y, ratio);
  }
}

/** Light on dark, visible on any colour. */
function drawMeasured(
  context: CanvasRenderingContext2D,
  view: VolumeViewpoint,
  ratio: number,
  ends: readonly Vec3[],
): void {
  for (const [width, color] of [
    [4, outlineColor],
    [1.5, textColor],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = width * ratio;
    for (const end of ends) drawMark(context, view, ratio, end, 4);
    const [from, to] = ends;
    if (from && to) drawLines(context, view, [[from, to]]);
  }
}

/** A circle. @param radius in CSS pixels */
function drawMark(
  context: CanvasRenderingContext2D,
  view: VolumeViewpoint,
  ratio: number,
  point: Vec3,
  radius: number,
): void {
  const { x, y, depth } = projector(view)(point);
  if (depth <= 0) return;
  context.beginPath();
  context.arc(x, y, radius * ratio, 0, 2 * Math.PI);
  context.stroke();
}
