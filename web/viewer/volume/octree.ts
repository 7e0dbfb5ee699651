/** Chooses the bricks to show: as fine as the picture resolves and the budget allows. */
import {
  type Brick,
  brickBox,
  brickGrid,
  brickKey,
  bricksWithin,
  eachIndex,
  map3,
  type VolumeLevel,
} from "./bricks.js";
import { corners, projector, type VolumeViewpoint } from "./camera.js";

/**
 * A level suffices if its voxels measure at most `max` device pixels. A finer level in use stays until
 * they measure less than `min`, so that small movements do not change levels back and forth.
 */
const voxelPixels = { max: 1.4, min: 1.2 };

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
  /** Length of its longest voxel in device pixels. */
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
      eachIndex(bricksWithin(levels[level]!, candidate.brick.at, levels[level - 1]!), (at) => {
        const found = candidateOf({ level: level - 1, at });
        if (found) finer.push(found);
      });
      const isInUse = () => finer.some(({ brick }) => isUsed(brickKey(brick)));
      const isFine = candidate.voxel <= voxelPixels.max && !(candidate.voxel > voxelPixels.min && isInUse());
      const others = open.length - i - 1;
      if (isFine || leaves.length + next.length + finer.length + others > limit) {
        leaves.push(candidate);
        if (!isFine) leftOut += finer.length;
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
  const project = projector(view);
  const { width, height, space } = view;
  return (brick: Brick): Candidate | undefined => {
    const level = levels[brick.level]!;
    const box = brickBox(level, brick.at);
    const seen = corners(box).map(project);
    const isNear = seen.some(({ depth }) => depth <= 0);
    const [xs, ys] = [seen.map(({ x }) => x), seen.map(({ y }) => y)];
    const isOutside =
      Math.max(...xs) < 0 || Math.min(...xs) > width || Math.max(...ys) < 0 || Math.min(...ys) > height;
    if (isNear ? seen.every(({ depth }) => depth <= 0) : isOutside) return undefined;
    const middle = project(map3((i) => (box.from[i]! + box.to[i]!) / 2));
    const longest = Math.max(...map3((i) => Math.abs(level.factor[i]! * space.spacing[i]!)));
    const scale = isNear ? Number.POSITIVE_INFINITY : Math.max(...seen.map((one) => one.scale));
    const distance = Math.hypot(middle.x - width / 2, middle.y - height / 2);
    return { brick, distance, voxel: longest * scale };
  };
}
