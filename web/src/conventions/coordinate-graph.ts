/**
 * Coordinate systems and transformations of OME-Zarr 0.6 images and scenes. The implementation is loaded on
 * first use. Spec: OME-Zarr 0.6rc0, "coordinateSystems", "coordinateTransformations", "scene"; RFC-5.
 */
import type { ZarrGroup } from "../hierarchy/group.js";
import { lazy } from "../util/lazy.js";

import type { CoordinateGraph } from "./ome/coordinate-types.js";

const transforms = lazy("conventions", () => import("./part.js"));

/**
 * Reads the coordinate systems and transformations of an OME-Zarr 0.6 image or scene. If a group has several
 * images, the first one is used. Opens the groups of the images that transformations refer to.
 *
 * @throws NotFound (not-ome) for a group that is neither, and for missing images; InvalidMetadata (bad-ome)
 *   for transformations without a type, between unknown coordinate systems, or from a system to itself;
 *   Unsupported (ome-version) for versions before 0.6, which do not name coordinate systems, and after it;
 *   LimitExceeded (too-many-transformations); the errors of `open`.
 */
export async function coordinateGraph(
  group: ZarrGroup,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<CoordinateGraph> {
  return (await transforms()).readGraph(group, options);
}
