/** Chooses the bricks to show: as fine as the picture resolves and the budget allows. */
import { placeOf, type VolumeSpace, voxelLength } from "./affine.js";
import {
  type Box,
  type Brick,
  brickBox,
  brickGrid,
  brickKey,
  bricksWithin,
  eachIndex,
  map3,
  side,
  type VolumeLevel,
} from "./bricks.js";
import { corners, projector, type VisiblePart, type VolumeViewpoint, visiblePart } from "./camera.js";

/**
 * A level suffices if its voxels measure at most `max` device pixels. A finer level in use stays until
 * they measure less than `min`, so that small movements do not change levels back and forth.
 */
const voxelPixels = { max: 1.4, min: 1.2 };

/** Maximum number of bricks of a finer level within a brick: each must be measured for every picture. */
const maxWithin = 2 ** 18;

const bricksOf = ({ from, to }: Box): number => (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);

export interface BrickChoice {
  /** All bricks of the coarsest level, then the others from the middle of the picture outwards. */
  readonly bricks: readonly Brick[];
  /** Number of bricks that exceeded the limit. */
  readonly leftOut: number;
  /** The finest level in use. */
  readonly finest: number;
}

interface Candidate {
  readonly brick: Brick;
  /** Distance from the middle of the picture, in device pixels. */
  readonly distance: number;
  /** Length of its voxels along their longest axis, in device pixels. */
  readonly voxel: number;
}

/**
 * @param levels finest first
 * @param limit maximum number of bricks, not counting the coarsest level
 * @param isUsed whether a brick was chosen for the previous picture
 */
export function chooseBricks(
  levels: readonly VolumeLevel[],
  view: VolumeViewpoint,
  limit: number,
  isUsed: (key: string) => boolean,
): BrickChoice {
  const coarsest = levels.length - 1;
  const base: Brick[] = [];
  eachIndex({ from: [0, 0, 0], to: brickGrid(levels[coarsest]!) }, (at) =>
    base.push({ level: coarsest, at }),
  );
  const candidateOf = candidates(levels, view);
  let open = base.flatMap((brick) => candidateOf(brick) ?? []);
  const leaves: Candidate[] = [];
  let leftOut = 0;
  for (let level = coarsest; level > 0; level--) {
    const next: Candidate[] = [];
    open.sort((a, b) => a.distance - b.distance);
    for (const [i, candidate] of open.entries()) {
      const finer: Candidate[] = [];
      const within = bricksWithin(levels[level]!, candidate.brick.at, levels[level - 1]!);
      const isLarge = bricksOf(within) > maxWithin;
      if (!isLarge)
        eachIndex(within, (at) => {
          const found = candidateOf({ level: level - 1, at });
          if (found) finer.push(found);
        });
      const isInUse = () => finer.some(({ brick }) => isUsed(brickKey(brick)));
      const isFine = candidate.voxel <= voxelPixels.max && !(candidate.voxel > voxelPixels.min && isInUse());
      const others = open.length - i - 1;
      if (isFine || isLarge || leaves.length + next.length + finer.length + others > limit) {
        leaves.push(candidate);
        if (!isFine) leftOut += isLarge ? bricksOf(within) : finer.length;
      } else next.push(...finer);
    }
    open = next;
  }
  const chosen = [...leaves, ...open].sort((a, b) => a.distance - b.distance).map(({ brick }) => brick);
  return {
    bricks: [...base, ...chosen.filter(({ level }) => level < coarsest)],
    leftOut,
    finest: chosen.reduce((least, { level }) => Math.min(least, level), coarsest),
  };
}

/** Returns a function that measures a brick in the picture; undefined if it is not visible. */
function candidates(levels: readonly VolumeLevel[], view: VolumeViewpoint) {
  const { width, height, space } = view;
  const part = visiblePart(view);
  const project = projector(view);
  const measure = boxMeasure(view);
  const lengths = map3((i) => voxelLength(space, i));
  return (brick: Brick): Candidate | undefined => {
    const box = brickBox(levels[brick.level]!, brick.at);
    if (isCutAway(box, part, space)) return undefined;
    const scale = measure(box);
    if (scale === undefined) return undefined;
    const middle = project(map3((i) => (box.from[i]! + box.to[i]!) / 2));
    const distance = Math.hypot(middle.x - width / 2, middle.y - height / 2);
    const [from, to] = [placeOf(space, box.from), placeOf(space, box.to)];
    const longest = Math.max(...map3((i) => (Math.abs(to[i]! - from[i]!) / side) * lengths[i]!));
    return { brick, distance, voxel: longest * scale };
  };
}

/** Whether no point of a box is drawn. */
function isCutAway({ from, to }: Box, { box, normal, offset }: VisiblePart, space: VolumeSpace): boolean {
  const [first, last] = [placeOf(space, from), placeOf(space, to)];
  let greatest = 0;
  for (let i = 0; i < 3; i++) {
    if (to[i]! <= box.from[i]! || from[i]! >= box.to[i]!) return true;
    greatest += Math.max(first[i]! * normal[i]!, last[i]! * normal[i]!);
  }
  return greatest <= offset;
}

/**
 * Returns a function that gives the greatest number of device pixels per unit of space in a box; undefined if the
 * box is outside the picture.
 */
function boxMeasure(view: VolumeViewpoint): (box: Box) => number | undefined {
  const { width, height } = view;
  const project = projector(view);
  return (box) => {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    let [scale, near, far] = [0, 0, 0];
    for (const corner of corners(box)) {
      const at = project(corner);
      left = Math.min(left, at.x);
      right = Math.max(right, at.x);
      top = Math.min(top, at.y);
      bottom = Math.max(bottom, at.y);
      scale = Math.max(scale, at.scale);
      if (at.depth > 0) far++;
      else near++;
    }
    if (near > 0) return far > 0 ? Number.POSITIVE_INFINITY : undefined;
    return right < 0 || left > width || bottom < 0 || top > height ? undefined : scale;
  };
}
