/** The camera of a volume: orbits a point, with parallel or perspective projection. */
import { type Orbit, type VolumeClip, type VolumeCut, zoomRange } from "../model/volume.js";
import {
  diagonal,
  normalToVoxels,
  placeOf,
  pointAtPlace,
  toSpace,
  toVoxels,
  type VolumeSpace,
} from "./affine.js";
import { type Box, dot, map3, type Vec3 } from "./bricks.js";

/** A picture of a volume: its size is in device pixels. */
export interface VolumeViewpoint {
  readonly space: VolumeSpace;
  readonly orbit: Orbit;
  readonly width: number;
  readonly height: number;
  readonly clip?: VolumeClip | null;
  readonly cut?: VolumeCut | null;
}

/** The places whose product with `normal` is `offset`. */
export interface Plane {
  readonly normal: Vec3;
  readonly offset: number;
}

/**
 * The part of a volume that is drawn: inside a box in voxels of level 0, and on the side of a plane to which its
 * normal points.
 */
export interface VisiblePart extends Plane {
  readonly box: Box;
}

/**
 * The rays of a picture, as places. The ray of a pixel (u, v), counted from the middle to the right and
 * down, starts at `from + u·right + v·down` and has the direction `forward`; in perspective it starts at `from`
 * and has the direction `forward + u·right + v·down`.
 */
export interface Rays {
  readonly from: Vec3;
  readonly right: Vec3;
  readonly down: Vec3;
  readonly forward: Vec3;
  readonly isPerspective: boolean;
  /** Length of `right` and `down` in space, if `forward` has a length of 1. */
  readonly pixel: number;
}

/** Tangent of half the vertical angle of view. */
const halfView = Math.tan((20 * Math.PI) / 180);

const plus = (a: Vec3, factor: number, b: Vec3): Vec3 => map3((i) => a[i]! + factor * b[i]!);
const scaled = (factor: number, a: Vec3): Vec3 => map3((i) => factor * a[i]!);

/** Directions of the picture in space, where y points down and z away at a yaw and pitch of 0. */
export function basis({ yaw, pitch }: Pick<Orbit, "yaw" | "pitch">): {
  right: Vec3;
  down: Vec3;
  forward: Vec3;
} {
  const [a, b] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  const [sinA, cosA, sinB, cosB] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b)];
  return {
    right: [cosA, 0, -sinA],
    down: [-sinB * sinA, cosB, -sinB * cosA],
    forward: [cosB * sinA, sinB, cosB * cosA],
  };
}

/** The part of a volume that a clip box and a cut plane leave. */
export function visiblePart({ space, clip, cut }: VolumeViewpoint): VisiblePart {
  const { extent } = space;
  const box: Box = {
    from: map3((i) => Math.min(clip?.from[i] ?? 0, extent[i]!)),
    to: map3((i) => Math.min(clip?.to[i] ?? extent[i]!, extent[i]!)),
  };
  if (!cut) return { box, normal: [0, 0, 0], offset: -1 };
  const { forward } = basis(cut);
  const normal = normalToVoxels(space, forward);
  const middle = map3((i) => extent[i]! / 2);
  return { box, normal, offset: dot(normal, middle) + (cut.depth * diagonal(space)) / 2 };
}

/** Device pixels per unit of space, at the centre of the orbit. */
export const pixelScale = ({ space, orbit, width, height }: VolumeViewpoint): number =>
  (Math.min(width, height) / diagonal(space)) * orbit.zoom;

const centre = ({ space, orbit }: VolumeViewpoint): Vec3 =>
  toSpace(space, orbit.center ? placeOf(space, orbit.center) : map3((i) => space.extent[i]! / 2));

/** The eye, and the distance from it to the centre of the orbit; in a parallel projection outside the volume. */
function eyeOf(view: VolumeViewpoint): { eye: Vec3; distance: number } {
  const { orbit, space, height } = view;
  const far = 2 * diagonal(space);
  const distance = orbit.isPerspective ? height / 2 / halfView / pixelScale(view) : far;
  return { eye: plus(centre(view), -distance, basis(orbit).forward), distance };
}

export function castRays(view: VolumeViewpoint): Rays {
  const { space, orbit, height } = view;
  const { right, down, forward } = basis(orbit);
  const { isPerspective } = orbit;
  const pixel = isPerspective ? (2 * halfView) / height : 1 / pixelScale(view);
  const voxels = (a: Vec3): Vec3 => toVoxels(space, a);
  return {
    from: voxels(eyeOf(view).eye),
    right: voxels(scaled(pixel, right)),
    down: voxels(scaled(pixel, down)),
    forward: voxels(forward),
    isPerspective,
    pixel,
  };
}

export interface Projected {
  /** Device pixels from the upper left corner. */
  readonly x: number;
  readonly y: number;
  /** Distance in the direction of view; not visible unless positive. */
  readonly depth: number;
  /** Device pixels per unit of space. */
  readonly scale: number;
}

/** Returns a function that projects points, in voxels of level 0. */
export function projector(view: VolumeViewpoint): (point: Vec3) => Projected {
  const { space, orbit, width, height } = view;
  const { right, down, forward } = basis(orbit);
  const { eye, distance } = eyeOf(view);
  const plain = pixelScale(view);
  return (point) => {
    const way = plus(toSpace(space, placeOf(space, point)), -1, eye);
    const depth = dot(way, forward);
    const scale = orbit.isPerspective ? (plain * distance) / depth : plain;
    return {
      x: width / 2 + scale * dot(way, right),
      y: height / 2 + scale * dot(way, down),
      depth,
      scale,
    };
  };
}

/** The corners of a box; bit i of an index chooses the end along axis i. */
export const corners = ({ from, to }: Box): Vec3[] =>
  Array.from({ length: 8 }, (_, bits) => map3((i) => ((bits >> i) & 1 ? to : from)[i]!));

/** Turns the camera by a drag in CSS pixels. */
export function turned(orbit: Orbit, dx: number, dy: number): Orbit {
  const yaw = (((orbit.yaw - dx * 0.4 + 540) % 360) + 360) % 360;
  return { ...orbit, yaw: yaw - 180, pitch: Math.min(Math.max(orbit.pitch + dy * 0.4, -90), 90) };
}

/** Moves the volume by device pixels. */
export function shifted(view: VolumeViewpoint, dx: number, dy: number): Orbit {
  const { right, down } = basis(view.orbit);
  const scale = pixelScale(view);
  const moved = plus(plus(centre(view), -dx / scale, right), -dy / scale, down);
  const [own, { extent }] = [pointAtPlace(view.space, toVoxels(view.space, moved)), view.space];
  const center = map3((i) => Math.min(Math.max(own[i]!, 0), extent[i]!));
  return { ...view.orbit, center };
}

export const nearer = (orbit: Orbit, factor: number): Orbit => ({
  ...orbit,
  zoom: Math.min(Math.max(orbit.zoom * factor, zoomRange.least), zoomRange.most),
});
