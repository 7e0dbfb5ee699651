/** Writes OME-Zarr images. The implementation is loaded on first use. */

import type { Target } from "../edit/options.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";

import { lazy } from "../util/lazy.js";

import type { ImageData, MultiscaleOptions } from "./ome/multiscale-options.js";

const pyramids = lazy("conventions", () => import("./part.js"));

/**
 * Writes an OME-Zarr image: an array and successively smaller versions of it. An array that already lies
 * below the group stays in place as the finest level; any other array is copied. Each level is computed from
 * the one before in blocks of whole chunks or shards, so memory holds only a few of these and some 100 MiB,
 * however large the array is.
 *
 * @returns the image's group, for `multiscales`.
 * @throws InvalidArgument, Unsupported, AlreadyExists, ReadOnly, … as `create` does, before anything is
 *   written; then the errors of `get` and `set`: chunks written so far are complete, and the group is not an
 *   image until all of them are written.
 */
export async function writeMultiscale(
  target: Target,
  array: ZarrArray | ImageData,
  options: MultiscaleOptions = {},
): Promise<ZarrGroup> {
  return (await pyramids()).writeMultiscale(target, array, options);
}
