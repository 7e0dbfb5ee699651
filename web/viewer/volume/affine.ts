/** The space of a volume: its voxels are boxes, or sheared and turned by a matrix. */
import type { AxisPlaces } from "../model/axis-places.js";
import { dot, map3, type Vec3, type VolumeLevel } from "./bricks.js";

/** Rows. */
type Matrix3 = readonly [Vec3, Vec3, Vec3];

/** The space of a volume: voxels of level 0, and the distances between them. */
export interface VolumeSpace {
  readonly extent: Vec3;
  /** Lengths of a voxel in units of the shortest; negative along axes that run backwards. */
  readonly spacing: Vec3;
  /** From voxels to space and back, unless axes are at right angles and not turned. */
  readonly affine?: { readonly matrix: Matrix3; readonly inverse: Matrix3 } | undefined;
  /**
   * The places of voxels along axes with unequal distances, which the others lack. Places are in voxels of equal
   * length; all other functions of a space take places.
   */
  readonly places?: readonly (AxisPlaces | undefined)[] | undefined;
}

/** The place of a coordinate along an axis, in voxels of level 0. */
export const placeAlong = ({ places }: VolumeSpace, axis: number, at: number): number =>
  places?.[axis]?.toWorld(at) ?? at;

/** The place of a point in voxels of level 0. */
export const placeOf = (space: VolumeSpace, point: Vec3): Vec3 =>
  space.places ? map3((i) => placeAlong(space, i, point[i]!)) : point;

/** The point in voxels of level 0 at a place. */
export const pointAtPlace = ({ places }: VolumeSpace, place: Vec3): Vec3 =>
  places ? map3((i) => places[i]?.toElement(place[i]!) ?? place[i]!) : place;

/** Minimum length of a voxel that samples resolve, in voxels of equal length. */
const leastResolved = 1 / 16;

/** Distance of samples that meet every voxel of a level. */
export const shortestWay = (space: VolumeSpace, { factor }: VolumeLevel): number =>
  Math.min(
    ...map3((i) => {
      const smallest = Math.max(space.places?.[i]?.smallest ?? 1, leastResolved);
      return Math.abs(factor[i]!) * faceDistance(space, i) * smallest;
    }),
  );

const times = (matrix: Matrix3, a: Vec3): Vec3 => map3((i) => dot(matrix[i]!, a));
const column = (matrix: Matrix3, axis: number): Vec3 => map3((i) => matrix[i]![axis]!);

/** A point or direction in voxels of level 0. */
export const toSpace = ({ affine, spacing }: VolumeSpace, a: Vec3): Vec3 =>
  affine ? times(affine.matrix, a) : map3((i) => a[i]! * spacing[i]!);

export const toVoxels = ({ affine, spacing }: VolumeSpace, a: Vec3): Vec3 =>
  affine ? times(affine.inverse, a) : map3((i) => a[i]! / spacing[i]!);

/** The normal of a plane, for points in voxels of level 0. */
export const normalToVoxels = ({ affine, spacing }: VolumeSpace, normal: Vec3): Vec3 =>
  map3((axis) => (affine ? dot(column(affine.matrix, axis), normal) : normal[axis]! * spacing[axis]!));

/** Length of a voxel along an axis. */
export const voxelLength = ({ affine, spacing }: VolumeSpace, axis: number): number =>
  affine ? Math.hypot(...column(affine.matrix, axis)) : Math.abs(spacing[axis]!);

/** Distance of the two faces of a voxel that an axis passes through. */
export const faceDistance = ({ affine, spacing }: VolumeSpace, axis: number): number =>
  affine ? 1 / Math.hypot(...affine.inverse[axis]!) : Math.abs(spacing[axis]!);

/** Direction of an axis, and of the normal of the face at its end. */
export function axisDirections(
  { affine, spacing }: VolumeSpace,
  axis: number,
): { readonly along: Vec3; readonly normal: Vec3 } {
  const own = map3((i) => (i === axis ? Math.sign(spacing[i]!) : 0));
  if (!affine) return { along: own, normal: own };
  const unit = (a: Vec3) => map3((i) => a[i]! / Math.hypot(...a));
  return { along: unit(column(affine.matrix, axis)), normal: unit(affine.inverse[axis]!) };
}

/** The matrices of a space, column after column: to space, and back. */
export function spaceMatrices(space: VolumeSpace): readonly [number[], number[]] {
  const axes = [0, 1, 2].map((axis) => map3((i) => (i === axis ? 1 : 0)));
  return [axes.flatMap((axis) => toSpace(space, axis)), axes.flatMap((axis) => toVoxels(space, axis))];
}

/** Length of the longest diagonal of a volume. */
export const diagonal = (space: VolumeSpace): number =>
  Math.max(
    ...[0, 1, 2, 3].map((bits) =>
      Math.hypot(
        ...toSpace(
          space,
          map3((i) => space.extent[i]! * ((bits >> i) & 1 ? -1 : 1)),
        ),
      ),
    ),
  );

/** Maximum ratio of the length of a voxel and the distance of its faces: others would take too many samples. */
const maxRatio = 256;

/**
 * A space whose voxels have the matrix, which is scaled so that samples have a distance of about 1.
 * @returns undefined if the matrix is nearly singular
 */
export function affineSpace(extent: Vec3, matrix: Matrix3): VolumeSpace | undefined {
  const inverse = inverted(matrix);
  if (!inverse) return undefined;
  const plain: VolumeSpace = { extent, spacing: [1, 1, 1], affine: { matrix, inverse } };
  const least = Math.min(...map3((axis) => faceDistance(plain, axis)));
  const lengths = map3((axis) => voxelLength(plain, axis) / least);
  if (!(Math.max(...lengths) <= maxRatio)) return undefined;
  const scaled = (of: Matrix3, factor: number) => map3Rows((i) => map3((k) => of[i]![k]! * factor));
  return {
    extent,
    spacing: lengths,
    affine: { matrix: scaled(matrix, 1 / least), inverse: scaled(inverse, least) },
  };
}

const map3Rows = (make: (row: number) => Vec3): Matrix3 => [make(0), make(1), make(2)];

function inverted(matrix: Matrix3): Matrix3 | undefined {
  const minor = (i: number, k: number) => {
    const [a, b] = [matrix[(i + 1) % 3]!, matrix[(i + 2) % 3]!];
    return a[(k + 1) % 3]! * b[(k + 2) % 3]! - a[(k + 2) % 3]! * b[(k + 1) % 3]!;
  };
  const determinant = [0, 1, 2].reduce((sum, k) => sum + matrix[0][k]! * minor(0, k), 0);
  if (determinant === 0 || !Number.isFinite(determinant)) return undefined;
  return map3Rows((i) => map3((k) => minor(k, i) / determinant));
}
