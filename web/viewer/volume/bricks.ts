/**
 * Bricks: cubes of voxels that are requested, uploaded and skipped as a whole. A level is divided into bricks of
 * `side` voxels; each is stored with a border of one voxel, so that interpolation needs no neighbour.
 */

import type { Numbers } from "../base/plane.js";

/** Along x, y and z: the last axis of an array in C order is x. */
export type Vec3 = readonly [x: number, y: number, z: number];

export interface Box {
  readonly from: Vec3;
  readonly to: Vec3;
}

/** Voxels of a brick along each axis. */
export const side = 64;

/** Voxels of the parts of a brick, each stored with its border. Rows along x stay whole, so that uploads are few. */
export const partShape: Vec3 = [side, side / 2, side / 2];
export const partsPerBrick = 4;

/** A level of a volume. */
export interface VolumeLevel {
  /** Voxels along each axis. */
  readonly shape: Vec3;
  /** Position and size of its voxels, in voxels of level 0. */
  readonly origin: Vec3;
  readonly factor: Vec3;
}

export interface Brick {
  readonly level: number;
  /** Index among the bricks of its level. */
  readonly at: Vec3;
}

/** Values of a part of a stored brick. */
export interface Voxels {
  /** Index in the stored brick, and number of voxels. */
  readonly into: Vec3;
  readonly size: Vec3;
  readonly values: Numbers;
  readonly offset: number;
  /** Distances between neighbours along x, y and z. */
  readonly strides: Vec3;
}

/** Whether all voxels of a part have a value. */
export function isFilled({ values, offset, strides, size }: Voxels, value: number): boolean {
  // Equal voxels of a block are one element.
  const count = map3((i) => (strides[i] === 0 ? 1 : size[i]!));
  for (let z = 0; z < count[2]; z++)
    for (let y = 0; y < count[1]; y++)
      for (let x = 0; x < count[0]; x++)
        if (values[offset + x * strides[0] + y * strides[1] + z * strides[2]] !== value) return false;
  return true;
}

/** The first voxel of a part. */
export const partOrigin = (part: number): Vec3 => [0, (part & 1) * partShape[1], (part >> 1) * partShape[2]];

/** Cuts voxels of a stored brick to a part with its border, in which they are placed; undefined if none are left. */
export function voxelsOfPart(voxels: Voxels, part: number): Voxels | undefined {
  const { into, size, offset, strides } = voxels;
  const origin = partOrigin(part);
  const skipped = map3((i) => Math.max(0, origin[i]! - into[i]!));
  const start = map3((i) => into[i]! + skipped[i]! - origin[i]!);
  const length = map3((i) => Math.min(size[i]! - skipped[i]!, partShape[i]! + 2 - start[i]!));
  if (length.some((count) => count <= 0)) return undefined;
  return { ...voxels, into: start, size: length, offset: offset + dot(skipped, strides) };
}

export const brickKey = ({ level, at }: Brick): string => `${level} ${at.join()}`;

export const map3 = (make: (axis: number) => number): Vec3 => [make(0), make(1), make(2)];

export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Number of bricks of a level along each axis. */
export const brickGrid = ({ shape }: VolumeLevel): Vec3 => map3((axis) => Math.ceil(shape[axis]! / side));

/** The bounds of a brick in voxels of level 0; may extend beyond the volume. */
export function brickBox({ origin, factor }: VolumeLevel, at: Vec3): Box {
  const edge = (step: number) => map3((axis) => origin[axis]! + (at[axis]! + step) * side * factor[axis]!);
  return { from: edge(0), to: edge(1) };
}

/**
 * The bricks of a finer level that lie in a brick: those whose middle does. Bricks at the edge also take those
 * beyond, because the levels' lengths are rounded.
 * @returns the first index and the one after the last, along each axis
 */
export function bricksWithin(outer: VolumeLevel, at: Vec3, inner: VolumeLevel): Box {
  const { from, to } = brickBox(outer, at);
  const [grid, innerGrid] = [brickGrid(outer), brickGrid(inner)];
  const index = (axis: number, edge: number) => {
    const place = (edge - inner.origin[axis]!) / (side * inner.factor[axis]!);
    return Math.min(Math.max(Math.ceil(place - 0.5), 0), innerGrid[axis]!);
  };
  return {
    from: map3((axis) => (at[axis] === 0 ? 0 : index(axis, from[axis]!))),
    to: map3((axis) => (at[axis] === grid[axis]! - 1 ? innerGrid[axis]! : index(axis, to[axis]!))),
  };
}

/** The brick of a coarser level that `bricksWithin` assigns a brick to. */
export function enclosingBrick(inner: VolumeLevel, at: Vec3, outer: VolumeLevel): Vec3 {
  const { from, to } = brickBox(inner, at);
  const grid = brickGrid(outer);
  return map3((axis) => {
    const middle = (from[axis]! + to[axis]!) / 2;
    const place = Math.floor((middle - outer.origin[axis]!) / (side * outer.factor[axis]!));
    return Math.min(Math.max(place, 0), grid[axis]! - 1);
  });
}

/** Calls a function for every index of a box. */
export function eachIndex({ from, to }: Box, call: (at: Vec3) => void): void {
  for (let z = from[2]; z < to[2]; z++)
    for (let y = from[1]; y < to[1]; y++) for (let x = from[0]; x < to[0]; x++) call([x, y, z]);
}

/** A run of voxels along an axis that lies in one block. */
interface Run {
  /** Index in the stored brick, whose border is at 0. */
  readonly into: number;
  /** First voxel of the level. */
  readonly from: number;
  readonly length: number;
  /** Block along the axis. */
  readonly block: number;
  /** Whether the block holds only a part of the border; if it is missing, voxel `inner` stands for it. */
  readonly isBorder: boolean;
  readonly inner: number;
}

/** Divides a brick with its border at the edges of blocks. Edges of the level are repeated beyond it. */
function axisRuns(index: number, length: number, block: number): Run[] {
  const first = index * side;
  const end = Math.min(first + side, length);
  const runs: Run[] = [];
  const add = (into: number, from: number, count: number) => {
    const isBorder = from + count <= first || from >= end;
    const inner = Math.min(Math.max(from, first), end - 1);
    runs.push({ into, from, length: count, block: Math.floor(from / block), isBorder, inner });
  };
  if (first === 0) add(0, 0, 1);
  for (let at = Math.max(first - 1, 0); at < Math.min(end + 1, length); ) {
    const next = Math.min((Math.floor(at / block) + 1) * block, end + 1, length);
    add(at - first + 1, at, next - at);
    at = next;
  }
  if (end === length) add(end - first + 1, length - 1, 1);
  return runs;
}

/** A part of a stored brick that comes from one block. */
export interface Piece {
  /** Index in the stored brick. */
  readonly into: Vec3;
  readonly size: Vec3;
  /** First voxel of the level. */
  readonly from: Vec3;
  /** Index of the block. */
  readonly block: Vec3;
  /** Voxels of the brick itself that stand for a border whose block is missing. */
  readonly spare: { readonly from: Vec3; readonly block: Vec3 } | undefined;
}

/** Divides a stored brick into parts of blocks, which have `blockShape` voxels. */
export function brickPieces({ shape }: VolumeLevel, at: Vec3, blockShape: Vec3): Piece[] {
  const runs = [0, 1, 2].map((axis) => axisRuns(at[axis]!, shape[axis]!, blockShape[axis]!));
  return runs[2]!.flatMap((z) =>
    runs[1]!.flatMap((y) =>
      runs[0]!.map((x): Piece => {
        const all = [x, y, z];
        const inner = map3((axis) => (all[axis]!.isBorder ? all[axis]!.inner : all[axis]!.from));
        return {
          into: map3((axis) => all[axis]!.into),
          size: map3((axis) => all[axis]!.length),
          from: map3((axis) => all[axis]!.from),
          block: map3((axis) => all[axis]!.block),
          spare: all.some(({ isBorder }) => isBorder)
            ? { from: inner, block: map3((axis) => Math.floor(inner[axis]! / blockShape[axis]!)) }
            : undefined,
        };
      }),
    ),
  );
}
