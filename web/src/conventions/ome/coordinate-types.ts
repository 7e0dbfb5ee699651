/** Coordinate systems of OME-Zarr, and mappings between them. */

import type { OmeAxis } from "./axes.js";

/**
 * A coordinate system: by `name`, and the `path` of its image's group where that is another one; or, by `path` alone, the
 * indices of a level's array. A text is a name.
 */
export type CoordinateReference =
  | string
  | { readonly name?: string | undefined; readonly path?: string | undefined };

/** A coordinate system, or the indices of an array. */
export interface CoordinateSpace {
  /** undefined for an array. */
  readonly name: string | undefined;
  /** Path, from the group that was asked, of the image or of the array; "" for that group itself. */
  readonly path: string;
  /** Of an array, those of its image's intrinsic coordinate system. */
  readonly axes: readonly OmeAxis[];
}

/** An entry of `coordinateTransformations`. */
export interface CoordinateTransformation {
  /** "scale", "affine", "displacements", …; may be one that this library does not know. */
  readonly type: string;
  readonly name: string | undefined;
  readonly input: CoordinateSpace;
  readonly output: CoordinateSpace;
}

/** What leads from one coordinate system to another. */
export interface CoordinateMapping {
  readonly input: CoordinateSpace;
  readonly output: CoordinateSpace;
  /** The transformations that it is made of, in their order, and which of them are used backwards. */
  readonly steps: readonly { readonly transformation: CoordinateTransformation; readonly inverse: boolean }[];
  /**
   * As many rows as the output has axes, each with one number per axis of the input and a last one that is added: the upper
   * rows of a matrix in homogeneous coordinates. undefined where a vector field is among the steps.
   */
  readonly matrix: readonly (readonly number[])[] | undefined;
  /**
   * Points in the output.
   * @param points coordinates of one point after the other, one per axis of the input.
   * @returns one per axis of the output; NaN for points beside a vector field.
   * @throws InvalidArgument for a number of coordinates that makes no whole points.
   */
  apply(points: ArrayLike<number>): Float64Array;
}

export interface MappingOptions {
  /** Used for vector fields in the place of what their metadata says. */
  interpolation?: "linear" | "nearest" | undefined;
  /** Most bytes that the vector fields of one mapping may take, as float64. Default: 256 MiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The coordinate systems of an image or a scene. */
export interface CoordinateGraph {
  /** Those of the group first, then of the images that it speaks of. */
  readonly spaces: readonly CoordinateSpace[];
  readonly transformations: readonly CoordinateTransformation[];
  /**
   * What leads from one coordinate system to another, over as few transformations as can be; of several such ways the one
   * whose transformations are listed first. Transformations are used backwards where they have an inverse. Reads parameters
   * that are stored as arrays, and vector fields.
   * @throws NotFound (no-coordinate-system) for one that is not there, (no-transformation) where no way leads; Unsupported
   *   (not-invertible) where one would lead only backwards over what has no inverse, (ome-transformation) for types and
   *   interpolations that are not known; InvalidMetadata (bad-ome) for transformations that are not valid; LimitExceeded
   *   (transformation-bytes); what `open` and `get` throw.
   */
  between(
    from: CoordinateReference,
    to: CoordinateReference,
    options?: MappingOptions,
  ): Promise<CoordinateMapping>;
}
