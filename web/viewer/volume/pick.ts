/** Finds the voxel that a pixel of a volume shows. */
import { type OpacityCurve, opacityAt } from "../model/channels.js";
import type { VolumeMode } from "../model/volume.js";
import { placeOf, pointAtPlace, shortestWay, type VolumeSpace } from "./affine.js";
import type { Blocks, VolumeElement } from "./blocks.js";
import { type Brick, map3, side, type Vec3, type VolumeLevel } from "./bricks.js";
import { castRays, type Plane, type VolumeViewpoint, visiblePart } from "./camera.js";
import { solid } from "./labels.js";
import type { PageTable } from "./pages.js";
import { planeDistance } from "./slices.js";

export interface PickSource {
  readonly levels: readonly VolumeLevel[];
  readonly pages: PageTable;
  readonly blocks: Blocks;
  /** Limits of the colours. */
  readonly low: number;
  readonly high: number;
  readonly slices: readonly Plane[];
  readonly curve: OpacityCurve | undefined;
  /** Of labels, which have no range. */
  readonly opacityOf?: ((label: number) => number) | undefined;
}

export interface Picked {
  readonly level: number;
  /** Index in the level. */
  readonly at: Vec3;
  /** Its centre, in voxels of level 0. */
  readonly centre: Vec3;
  readonly element: VolumeElement;
  /** The place of its value between the limits; a label. */
  readonly share: number;
}

interface Ray {
  readonly start: Vec3;
  readonly direction: Vec3;
  readonly enter: number;
  readonly leave: number;
}

/** The ray of a pixel in the part that is drawn, as places per unit of space. */
function pixelRay(view: VolumeViewpoint, x: number, y: number): Ray {
  const { from, right, down, forward, isPerspective } = castRays(view);
  const aside = map3((i) => (x - view.width / 2) * right[i]! + (y - view.height / 2) * down[i]!);
  const start = isPerspective ? from : map3((i) => from[i]! + aside[i]!);
  const direction = map3((i) => forward[i]! + (isPerspective ? aside[i]! : 0) || 1e-9);
  const { box, normal, offset } = visiblePart(view);
  const edges = [placeOf(view.space, box.from), placeOf(view.space, box.to)];
  let [enter, leave] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < 3; i++) {
    const ends = edges.map((edge) => (edge[i]! - start[i]!) / direction[i]!);
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

/** Weighs the samples of a ray by their share of the range. */
interface Weigher {
  /** The greatest weight wins; an infinite one ends the ray. */
  weigh(share: number): number;
  /** Whether a slice behind the samples decides the colour, after the weight and the share of the best. */
  isSliceSeen(weight: number, share: number): boolean;
}

function weigher(mode: VolumeMode, { curve, opacityOf }: PickSource): Weigher {
  if (opacityOf)
    return {
      weigh(label) {
        const opacity = label === 0 ? 0 : opacityOf(label);
        if (opacity > solid) return Number.POSITIVE_INFINITY;
        return opacity > 0 ? 0 : Number.NEGATIVE_INFINITY;
      },
      isSliceSeen: (weight) => weight !== Number.POSITIVE_INFINITY,
    };
  const cover = (share: number) => opacityAt(curve, share);
  if (mode === "surface")
    return {
      weigh: (share) => (share >= 0.5 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY),
      isSliceSeen: (weight) => weight !== Number.POSITIVE_INFINITY,
    };
  if (mode === "min") return { weigh: (share) => -share, isSliceSeen: (_, share) => cover(1 - share) < 0.5 };
  if (mode !== "composite") return { weigh: (share) => share, isSliceSeen: (_, share) => cover(share) < 0.5 };
  let clear = 1;
  const weigh = (share: number) => {
    const weight = clear * cover(share);
    clear -= weight;
    return weight > 0 ? weight : Number.NEGATIVE_INFINITY;
  };
  return { weigh, isSliceSeen: (weight) => clear > weight };
}

/** The voxel that decides the colour of a pixel; undefined if there is none. */
export function pickVoxel(
  view: VolumeViewpoint,
  [x, y]: readonly [x: number, y: number],
  mode: VolumeMode,
  source: PickSource,
): Picked | undefined {
  const { levels, pages } = source;
  const ray = pixelRay(view, x, y);
  const slice = nearestSlice(ray, source, view.space);
  const leave = slice?.distance ?? ray.leave;
  const shortest = levels.map((level) => shortestWay(view.space, level));
  const { weigh, isSliceSeen } = weigher(mode, source);
  let [best, found] = [Number.NEGATIVE_INFINITY, undefined as Picked | undefined];
  for (let t = ray.enter + shortest[0]! / 2; t < leave; ) {
    const point = pointAtPlace(view.space, placeAt(ray, t));
    const brick = brickAt(pages, point);
    t += shortest[brick?.level ?? 0]! / 2;
    const picked = brick && pickedAt(source, brick, point);
    const weight = picked ? weigh(picked.share) : Number.NEGATIVE_INFINITY;
    if (weight <= best) continue;
    best = weight;
    found = picked;
    if (weight === Number.POSITIVE_INFINITY) break;
  }
  return slice && (!found || isSliceSeen(best, found.share)) ? slice.picked : found;
}

/** The first slice on a ray that has a value there. */
function nearestSlice(
  ray: Ray,
  source: PickSource,
  space: VolumeSpace,
): { picked: Picked; distance: number } | undefined {
  const { start, direction, enter, leave } = ray;
  const hits = source.slices.flatMap((plane) => {
    const distance = planeDistance(plane, start, direction);
    if (!(distance >= enter - 1e-3 && distance < leave)) return [];
    // The cut plane may lie between two voxels, and one of them is cut away.
    const { normal } = plane;
    const length = Math.hypot(...normal);
    const place = map3((i) => placeAt(ray, distance)[i]! + (1e-3 * normal[i]!) / length ** 2);
    const point = pointAtPlace(space, place);
    const brick = brickAt(source.pages, point);
    const picked = brick && pickedAt(source, brick, point);
    return picked ? [{ picked, distance }] : [];
  });
  return hits.sort((a, b) => a.distance - b.distance)[0];
}

const placeAt = ({ start, direction }: Ray, t: number): Vec3 => map3((i) => start[i]! + t * direction[i]!);

const brickAt = (pages: PageTable, point: Vec3): Brick | undefined =>
  pages.brickAt(map3((i) => within(Math.floor(point[i]! / side), pages.grid[i]!)));

/** The element of a brick at a point; undefined if it is not at hand or NaN. */
function pickedAt(
  { levels, blocks, low, high, opacityOf }: PickSource,
  brick: Brick,
  point: Vec3,
): Picked | undefined {
  const at = voxelAt(levels[brick.level]!, point);
  const element = blocks.element(brick.level, at);
  if (!element || Number.isNaN(element.value)) return undefined;
  const share = opacityOf ? element.value : (element.value - low) / (high - low || 1);
  return { level: brick.level, at, centre: centreOf(brick, levels, at), element, share };
}

const within = (at: number, length: number): number => Math.min(Math.max(at, 0), length - 1);

const voxelAt = ({ shape, origin, factor }: VolumeLevel, point: Vec3): Vec3 =>
  map3((i) => within(Math.floor((point[i]! - origin[i]!) / factor[i]!), shape[i]!));

const centreOf = ({ level }: Brick, levels: readonly VolumeLevel[], voxel: Vec3): Vec3 =>
  map3((i) => levels[level]!.origin[i]! + (voxel[i]! + 0.5) * levels[level]!.factor[i]!);
