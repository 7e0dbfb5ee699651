/**
 * Coordinate systems of OME-Zarr 0.6 and what leads from one to another, in images and scenes. What reads and composes
 * transformations is loaded when it is first called.
 * Spec: OME-Zarr 0.6rc0, "coordinateSystems", "coordinateTransformations", "scene"; RFC-5.
 */
import type { ZarrGroup } from "../hierarchy/group.js";
import { lazy } from "../util/lazy.js";

import type { CoordinateGraph } from "./ome/coordinate-types.js";

const transforms = lazy("conventions", () => import("./part.js"));

/**
 * Reads the coordinate systems and transformations of an OME-Zarr image or scene of version 0.6. Of a group with several
 * images the first counts. Opens the groups of the images that transformations refer to.
 *
 * @throws NotFound (not-ome) for a group that is neither, and for images that are not there; InvalidMetadata (bad-ome) for
 *   transformations without a type, from or to what is no coordinate system, or from one to itself; Unsupported
 *   (ome-version) before 0.6, which has no names for coordinate systems, and after it; LimitExceeded
 *   (too-many-transformations); what `open` throws.
 */
export async function coordinateGraph(
  group: ZarrGroup,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<CoordinateGraph> {
  return (await transforms()).readGraph(group, options);
}
