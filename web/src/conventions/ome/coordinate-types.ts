/** Types of OME-Zarr coordinate systems and the mappings between them. */

import type { OmeAxis } from "./axes.js";

/**
 * A coordinate system: by `name`, with the `path` of its image's group if that is another group; or, by
 * `path` alone, the indices of a level's array. A string is a name.
 */
export type CoordinateReference =
  | string
  | { readonly name?: string | undefined; readonly path?: string | undefined };

/** A coordinate system, or the indices of an array. */
export interface CoordinateSpace {
  /** Undefined for an array. */
  readonly name: string | undefined;
  /** Path of the image or array, relative to the group of the graph; "" for that group itself. */
  readonly path: string;
  /** Axes; for an array, those of its image's intrinsic coordinate system. */
  readonly axes: readonly OmeAxis[];
}

/** An entry of `coordinateTransformations`. */
export interface CoordinateTransformation {
  /** "scale", "affine", "displacements", …; may be a type that this library does not support. */
  readonly type: string;
  readonly name: string | undefined;
  readonly input: CoordinateSpace;
  readonly output: CoordinateSpace;
}

/** A mapping from one coordinate system to another. */
export interface CoordinateMapping {
  readonly input: CoordinateSpace;
  readonly output: CoordinateSpace;
  /** Transformations of the mapping, in order, and whether each is inverted. */
  readonly steps: readonly { readonly transformation: CoordinateTransformation; readonly inverse: boolean }[];
  /**
   * The upper rows of a matrix in homogeneous coordinates: one row per output axis, with one factor per input
   * axis and then an offset. Undefined if a step is a vector field.
   */
  readonly matrix: readonly (readonly number[])[] | undefined;
  /**
   * Maps points to the output.
   * @param points coordinates of one point after the other, one per axis of the input.
   * @returns one coordinate per axis of the output; NaN for points outside a vector field.
   * @throws InvalidArgument if the number of coordinates is not a multiple of the input axes.
   */
  apply(points: ArrayLike<number>): Float64Array;
}

export interface MappingOptions {
  /** Interpolation of vector fields. Default: as stated in their metadata. */
  interpolation?: "linear" | "nearest" | undefined;
  /** Maximum size in bytes of the vector fields of one mapping, as float64. Default: 256 MiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The coordinate systems of an image or a scene. */
export interface CoordinateGraph {
  /** Coordinate systems of the group first, then of the images that it refers to. */
  readonly spaces: readonly CoordinateSpace[];
  readonly transformations: readonly CoordinateTransformation[];
  /**
   * Returns the mapping from one coordinate system to another over the fewest transformations; of several
   * such paths, the one whose transformations are listed first. Transformations that have an inverse are also
   * used inverted. Reads parameters that are stored as arrays, and vector fields.
   * @throws NotFound (no-coordinate-system) for an unknown coordinate system, (no-transformation) if no path
   *   exists; Unsupported (not-invertible) if the only path needs an inverse that does not exist,
   *   (ome-transformation) for unknown types and interpolations; InvalidMetadata (bad-ome) for invalid
   *   transformations; LimitExceeded (transformation-bytes); the errors of `open` and `get`.
   */
  between(
    from: CoordinateReference,
    to: CoordinateReference,
    options?: MappingOptions,
  ): Promise<CoordinateMapping>;
}
