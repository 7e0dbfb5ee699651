/** Writing OME-Zarr images. What does it is loaded when it is first called. */

import type { Target } from "../edit/options.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";

import { lazy } from "../util/lazy.js";

import type { ImageData, MultiscaleOptions } from "./ome/multiscale-options.js";

const pyramids = lazy("conventions", () => import("./part.js"));

/**
 * Writes an OME-Zarr image: an array, and smaller and smaller versions of it. An array that lies below the group already
 * stays where it is and is the finest level; any other one is copied. Each level is made from the one before, in blocks of
 * whole chunks or shards, so that memory holds a few of these and some 100 MiB, however large the array is.
 *
 * @returns the image's group, for `multiscales`.
 * @throws InvalidArgument, Unsupported, AlreadyExists, ReadOnly, … as `create` does, before anything is written; then what
 *   `get` and `set` throw: every chunk that was written is whole, and the group is no image until all of them are.
 */
export async function writeMultiscale(
  target: Target,
  array: ZarrArray | ImageData,
  options: MultiscaleOptions = {},
): Promise<ZarrGroup> {
  return (await pyramids()).writeMultiscale(target, array, options);
}
