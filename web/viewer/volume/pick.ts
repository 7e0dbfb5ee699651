/** Finds the voxel that a pixel of a volume shows. */
import type { VolumeMode } from "../model/volume.js";
import type { Blocks, VolumeElement } from "./blocks.js";
import { type Brick, map3, side, type Vec3, type VolumeLevel } from "./bricks.js";
import { castRays, type VolumeViewpoint, visiblePart } from "./camera.js";
import type { PageTable } from "./pages.js";

export interface PickSource {
  readonly levels: readonly VolumeLevel[];
  readonly pages: PageTable;
  readonly blocks: Blocks;
  /** Limits of the colours. */
  readonly low: number;
  readonly high: number;
}

export interface Picked {
  readonly level: number;
  /** Index in the level. */
  readonly at: Vec3;
  /** Its centre, in voxels of level 0. */
  readonly centre: Vec3;
  readonly element: VolumeElement;
  /** The place of its value between the limits. */
  readonly share: number;
}

interface Ray {
  readonly start: Vec3;
  readonly direction: Vec3;
  readonly enter: number;
  readonly leave: number;
}

/** The ray of a pixel in the part that is drawn, in voxels of level 0 per unit of space. */
function pixelRay(view: VolumeViewpoint, x: number, y: number): Ray {
  const { from, right, down, forward, isPerspective } = castRays(view);
  const aside = map3((i) => (x - view.width / 2) * right[i]! + (y - view.height / 2) * down[i]!);
  const start = isPerspective ? from : map3((i) => from[i]! + aside[i]!);
  const direction = map3((i) => forward[i]! + (isPerspective ? aside[i]! : 0) || 1e-9);
  const { box, normal, offset } = visiblePart(view);
  let [enter, leave] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < 3; i++) {
    const ends = [box.from, box.to].map((edge) => (edge[i]! - start[i]!) / direction[i]!);
    enter = Math.max(enter, Math.min(...ends));
    leave = Math.min(leave, Math.max(...ends));
  }
  const product = (a: Vec3) => a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2];
  const [toward, behind] = [product(direction), product(start) - offset];
  if (toward > 0) enter = Math.max(enter, -behind / toward);
  else if (toward < 0) leave = Math.min(leave, -behind / toward);
  else if (behind < 0) leave = enter;
  return { start, direction, enter, leave };
}

/** Weight of a sample by its share of the range; the greatest wins. Ends the ray if it is infinite. */
function weigher(mode: VolumeMode): (share: number) => number {
  let clear = 1;
  if (mode === "min") return (share) => -share;
  if (mode === "surface")
    return (share) => (share >= 0.5 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY);
  if (mode !== "composite") return (share) => share;
  return (share) => {
    const opacity = Math.min(Math.max(share, 0), 1) ** 2;
    const weight = clear * opacity;
    clear -= weight;
    return weight > 0 ? weight : Number.NEGATIVE_INFINITY;
  };
}

/** The voxel that decides the colour of a pixel; undefined if there is none. */
export function pickVoxel(
  view: VolumeViewpoint,
  [x, y]: readonly [x: number, y: number],
  mode: VolumeMode,
  source: PickSource,
): Picked | undefined {
  const { levels, pages, low, high } = source;
  const { start, direction, enter, leave } = pixelRay(view, x, y);
  const shortest = levels.map(({ factor }) =>
    Math.min(...map3((i) => Math.abs(factor[i]! * view.space.spacing[i]!))),
  );
  const weigh = weigher(mode);
  let [best, found] = [Number.NEGATIVE_INFINITY, undefined as Picked | undefined];
  for (let t = enter + shortest[0]! / 2; t < leave; ) {
    const point = map3((i) => start[i]! + t * direction[i]!);
    const brick = pages.brickAt(map3((i) => within(Math.floor(point[i]! / side), pages.grid[i]!)));
    t += shortest[brick?.level ?? 0]! / 2;
    const voxel = brick && voxelAt(levels[brick.level]!, point);
    const element = voxel && source.blocks.element(brick.level, voxel);
    if (!element || Number.isNaN(element.value)) continue;
    const share = (element.value - low) / (high - low || 1);
    const weight = weigh(share);
    if (weight <= best) continue;
    best = weight;
    found = { level: brick.level, at: voxel, centre: centreOf(brick, levels, voxel), element, share };
    if (weight === Number.POSITIVE_INFINITY) break;
  }
  return found;
}

const within = (at: number, length: number): number => Math.min(Math.max(at, 0), length - 1);

const voxelAt = ({ shape, origin, factor }: VolumeLevel, point: Vec3): Vec3 =>
  map3((i) => within(Math.floor((point[i]! - origin[i]!) / factor[i]!), shape[i]!));

const centreOf = ({ level }: Brick, levels: readonly VolumeLevel[], voxel: Vec3): Vec3 =>
  map3((i) => levels[level]!.origin[i]! + (voxel[i]! + 0.5) * levels[level]!.factor[i]!);
