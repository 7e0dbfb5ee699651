/** Draws the edges of a volume, with the names of its axes. */
import type { Vec3 } from "./bricks.js";
import { corners, projector, type VolumeViewpoint } from "./camera.js";

const edgeColor = "rgb(140 150 160 / 70%)";
const nameColor = "rgb(255 255 255 / 85%)";

/** @param names of the axes x, y and z */
export function drawOutline(
  context: CanvasRenderingContext2D,
  view: VolumeViewpoint,
  ratio: number,
  names: readonly string[],
): void {
  const { width, height, space } = view;
  if (context.canvas.width !== width || context.canvas.height !== height)
    Object.assign(context.canvas, { width, height });
  context.shadowBlur = 0;
  context.clearRect(0, 0, width, height);
  const project = projector(view);
  const points = corners({ from: [0, 0, 0], to: space.extent }).map(project);
  context.lineWidth = ratio;
  context.strokeStyle = edgeColor;
  context.beginPath();
  for (let from = 0; from < 8; from++)
    for (const bit of [1, 2, 4]) {
      const [a, b] = [points[from]!, points[from | bit]!];
      if (from & bit || a.depth <= 0 || b.depth <= 0) continue;
      context.moveTo(a.x, a.y);
      context.lineTo(b.x, b.y);
    }
  context.stroke();
  context.fillStyle = nameColor;
  context.shadowColor = "rgb(0 0 0 / 80%)";
  context.shadowBlur = 3 * ratio;
  context.font = `${12 * ratio}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const axis of [0, 1, 2]) {
    // Beside the middle of the edge from the origin.
    const at = [0, 1, 2].map((i) => (i === axis ? 0.5 : -0.03) * space.extent[i]!) as unknown as Vec3;
    const { x, y, depth } = project(at);
    if (depth > 0) context.fillText(names[axis]!, x, y);
  }
}
