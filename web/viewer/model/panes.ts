/** Geometry of panes: planes at right angles through one element, with one camera and one scale. */
import type { Dataset } from "../source/dataset.js";
import type { Camera } from "./camera.js";
import { depthAxis } from "./layers.js";
import type { ViewState } from "./state.js";

/** The axis through the picture, and the picture's own axes: z, y and x of the names of panes. */
export type PaneAxes = readonly [depth: number, down: number, across: number];

/** A plane beside the picture, which is "xy". */
export type SidePlaneName = "xz" | "yz";

/** Returns undefined if a state shows a single plane. */
export function paneAxes(dataset: Dataset, state: ViewState): PaneAxes | undefined {
  const [down, across] = state.axes;
  const depth = depthAxis(dataset, state);
  if (state.planes.length < 2 || down === undefined || across === undefined || depth === undefined)
    return undefined;
  return [depth, down, across];
}

/** The axes that a pane shows, down and across. */
export const sideAxes = (name: SidePlaneName, [depth, down, across]: PaneAxes): readonly [number, number] =>
  name === "xz" ? [depth, across] : [down, depth];

/** Height and depth of a drawn element, divided by its width. */
export interface ElementSides {
  readonly down: number;
  readonly depth: number;
}

/** The camera of all panes, with the scale of the picture. */
export interface SpaceCamera extends Camera {
  readonly depth: number;
}

/** The camera of a pane. */
export const sideCamera = (name: SidePlaneName, camera: SpaceCamera, sides: ElementSides): Camera =>
  name === "xz"
    ? { row: camera.depth, column: camera.column, scale: camera.scale }
    : { row: camera.row, column: camera.depth, scale: camera.scale * sides.depth };

/**
 * The camera of all panes after one of them has moved. Zooming keeps the shown element in place along the axis
 * that the pane does not show.
 * @param shown position of the shown element along that axis
 */
export function movedCamera(
  name: SidePlaneName,
  { row, column, scale: own }: Camera,
  before: SpaceCamera,
  sides: ElementSides,
  shown: number,
): SpaceCamera {
  const scale = name === "xz" ? own : own / sides.depth;
  const kept = (centre: number) => shown + (centre - shown) * (before.scale / scale);
  return name === "xz"
    ? { row: kept(before.row), column, depth: row, scale }
    : { row, column: kept(before.column), depth: column, scale };
}

/** Centre along the third axis until it is moved: the middle, or the shown element if not all are in view. */
export function restingDepth(shown: number, length: number, visible: number): number {
  if (visible >= length) return length / 2;
  return Math.min(Math.max(shown, visible / 2), length - visible / 2);
}

/** Limits of the share of the grid's width and height for the panes beside the picture. */
const limits = { least: 0.18, most: 0.8 };

/** Shares of the grid's width and height for the panes beside and below the picture. */
export function paneShares(
  lengths: { readonly depth: number; readonly down: number; readonly across: number },
  sides: ElementSides,
): { beside: number; below: number } {
  const depth = lengths.depth * sides.depth;
  const share = (other: number) => Math.min(Math.max(depth / (depth + other), limits.least), limits.most);
  return { beside: share(lengths.across), below: share(lengths.down * sides.down) };
}
