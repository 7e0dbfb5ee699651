/** Draws tiles as drafts: every pixel is one element, painted at its place without a filter. */
import type { Numbers, Plane } from "../base/plane.js";
import type { Tile } from "../tiles/tile.js";
import { paintValues } from "./pictures.js";
import type { Placed } from "./placing.js";
import type { SceneLayer } from "./renderer.js";

/**
 * Draws the draft of a tile.
 * @returns false if it has none: it is magnified, or not wholly within the plane
 */
export function drawDraft(
  context: CanvasRenderingContext2D,
  { plane }: Tile,
  layer: SceneLayer,
  placed: Placed,
  bounds: Placed,
): boolean {
  if (layer.style.kind === "labels" || !isWithin(placed, bounds)) return false;
  const draft = draftPlane(plane, placed, context.canvas);
  if (!draft) return false;
  const { rows, columns } = draft.plane;
  if (rows === 0 || columns === 0) return true;
  const image = new ImageData(columns, rows);
  paintValues(draft.plane, layer, new Uint32Array(image.data.buffer));
  context.putImageData(image, draft.left, draft.top);
  return true;
}

function isWithin({ left, right, top, bottom }: Placed, bounds: Placed): boolean {
  const [least, most] = [Math.min(bounds.top, bounds.bottom), Math.max(bounds.top, bounds.bottom)];
  const isBeside = left < bounds.left || right > bounds.right;
  return !isBeside && Math.min(top, bottom) >= least && Math.max(top, bottom) <= most;
}

/**
 * The elements under the centres of the visible pixels of a plane, one per pixel, and the place of the first one.
 * Undefined if the plane is magnified.
 */
export function draftPlane(
  { values, offset, rows, columns, rowStride, columnStride }: Plane,
  placed: Placed,
  { width, height }: { readonly width: number; readonly height: number },
): { left: number; top: number; plane: Plane } | undefined {
  const [top, bottom] = [Math.min(placed.top, placed.bottom), Math.max(placed.top, placed.bottom)];
  if (placed.right - placed.left > columns || bottom - top > rows) return undefined;
  const across = centres(placed.left, placed.right, width, columns);
  const down = centres(top, bottom, height, rows);
  const [count, offsets] = [across.at.length, across.at.map((column) => column * columnStride)];
  const out = new (values.constructor as new (length: number) => Numbers)(down.at.length * count);
  let at = 0;
  for (const element of down.at) {
    // Rows go up if the top is below the bottom.
    const row = placed.bottom < placed.top ? rows - 1 - element : element;
    const start = offset + row * rowStride;
    for (let i = 0; i < count; i++) out[at++] = values[start + offsets[i]!]!;
  }
  const size = { rows: down.at.length, columns: count, rowStride: count, columnStride: 1 };
  return { left: across.first, top: down.first, plane: { values: out, offset: 0, ...size } };
}

/** The first visible pixel from `start` to `stop`, and the elements under the centres of it and the following. */
function centres(start: number, stop: number, size: number, count: number) {
  const first = Math.max(0, start);
  const step = count / (stop - start);
  const at = new Int32Array(Math.max(0, Math.min(size, stop) - first));
  for (let i = 0; i < at.length; i++)
    at[i] = Math.min(count - 1, Math.floor((first + i + 0.5 - start) * step));
  return { first, at };
}
