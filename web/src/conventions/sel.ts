/** Selections by label: from the coordinates of dimensions. What does it is loaded when it is first called. */
import type { ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import type { Selection } from "../plan/selection.js";
import { lazy } from "../util/lazy.js";

import type { LabelSelection, SelOptions } from "./sel/types.js";

const labels = lazy("conventions", () => import("./part.js"));

/**
 * Makes a selection for `get` from labels.
 *
 * Labels are looked up by the names of dimensions (or of other coordinates with one dimension, as xarray stores them)
 * in the arrays that lie beside the array, or in the group; in OME-Zarr images by names or types of axes, in their units,
 * channels by their `omero` labels. Coordinates of more than 1 MiB are searched by halves, and a few chunks of them are
 * read; they must be sorted then. Longitudes are found on axes from 0 to 360 and from −180 to 180 alike. Coordinates
 * of float32 are compared with labels rounded to it.
 *
 * @param node an array, or the group of arrays with common dimensions.
 * @returns entries by dimension name for a group; one entry per dimension for an array and for an OME-Zarr image.
 * @throws InvalidSelection (no-such-label) for a label that is not there, (no-such-dimension) for what no dimension is
 *   named, (no-coordinates) for a dimension without coordinates, (not-a-label) for labels of the wrong kind,
 *   (unsorted-coordinates) where "pad" or the size needs sorted ones; InvalidArgument for wrong options; what `open`,
 *   `get` and `decodeCF` throw.
 */
export async function sel(
  node: ZarrArray | ZarrGroup,
  wanted: Readonly<Record<string, LabelSelection>>,
  options: SelOptions = {},
): Promise<NonNullable<Selection>> {
  return (await labels()).select(node, wanted, options);
}
