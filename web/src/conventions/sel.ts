/** Selections by label, from the coordinates of dimensions. The implementation is loaded on first use. */
import type { ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import type { Selection } from "../plan/selection.js";
import { lazy } from "../util/lazy.js";

import type { LabelSelection, SelOptions } from "./sel/types.js";

const labels = lazy("conventions", () => import("./part.js"));

/**
 * Converts labels to a selection for `get`.
 *
 * Labels are looked up by the names of dimensions, or of other one-dimensional coordinates as stored by
 * xarray, in arrays next to the given array or in the given group. In OME-Zarr images, they are looked up by
 * names or types of axes, in the axes' units, and channels by their `omero` labels. Coordinates of more than
 * 1 MiB must be sorted: they are found by binary search, which reads only a few chunks. Longitudes match on
 * axes from 0 to 360 as well as from −180 to 180. For float32 coordinates, labels are rounded to float32.
 *
 * @param node an array, or the group of arrays with common dimensions.
 * @returns entries by dimension name for a group; one entry per dimension for an array and for an OME-Zarr
 *   image.
 * @throws InvalidSelection (no-such-label) for a missing label, (no-such-dimension) for an unknown name,
 *   (no-coordinates) for a dimension without coordinates, (not-a-label) for labels of the wrong kind,
 *   (unsorted-coordinates) if "pad" or the size requires sorted ones; InvalidArgument for invalid options;
 *   the errors of `open`, `get` and `decodeCF`.
 */
export async function sel(
  node: ZarrArray | ZarrGroup,
  wanted: Readonly<Record<string, LabelSelection>>,
  options: SelOptions = {},
): Promise<NonNullable<Selection>> {
  return (await labels()).select(node, wanted, options);
}
