/** Selections by label: from the coordinates of dimensions. What does it is loaded when it is first called. */

import type { ZarrArray } from "../../hierarchy/array.js";
import type { ZarrGroup } from "../../hierarchy/group.js";
import type { Selection } from "../../plan/selection.js";
import { lazy } from "../../util/lazy.js";
import { channelAxis, isMultiscales, multiscales } from "../ome/ome.js";
import { decodeCF } from "../xarray/cf.js";
import { dimensionsOf, measuresLongitude } from "../xarray/xarray.js";

/**
 * What the part that is loaded uses of the conventions. It is given to it, for what both the entry and a part import
 * is loaded from the start by every program (see util/lazy.ts).
 */
const conventions = { decodeCF, dimensionsOf, measuresLongitude, multiscales, isMultiscales, channelAxis };

export type Conventions = typeof conventions;

const labels = lazy("selections by label", () => import("../../lazy/labels.js"));

/**
 * What an element is called by its coordinate: a number in the coordinate's units, decoded as `decodeCF` does; for times
 * a `Date`, milliseconds since 1970 or a text such as "2020", "2020-01", "2020-01-15" or "2020-01-15T06:30" (UTC where
 * it has no zone); for coordinates that are texts, and channels, the text.
 */
export type Label = number | bigint | string | Date;

/**
 * The wanted elements along one dimension:
 *
 * - a label: its element, and the dimension goes. A text that is less exact than a time names a period: its elements
 *   are a slice, but for a whole date or time that is the coordinate of the only element in it.
 * - `[from, to]`: elements whose coordinates lie between the two, both included, in whichever direction the
 *   coordinates run. Of longitudes the first is the western end. Of coordinates that are texts: these elements.
 * - `{ start, stop, step }`: the same with an open end where one is null, every `step`th element.
 * - `{ each: [...] }`: the element of each label, in the order of the list.
 * - null: everything.
 */
export type LabelSelection =
  | Label
  | readonly [from: Label, to: Label]
  | readonly string[]
  | { readonly start: Label | null; readonly stop: Label | null; readonly step?: number | null }
  | { readonly each: readonly Label[] }
  | null;

export interface SelOptions {
  /**
   * Which element a single label means: "exact" (default) the one with this coordinate; "nearest" the one whose
   * coordinate is nearest to it, of two the one with the larger coordinate; "pad" where there is none, the one before
   * the place where it would stand. For texts, and for `[from, to]`, it makes no difference.
   */
  method?: "exact" | "nearest" | "pad" | undefined;
  /** Farthest that the coordinate of "nearest" and "pad" may lie from the label, in its units; milliseconds for times. */
  tolerance?: number | undefined;
  /** Of an OME-Zarr image, the level that the selection is for. Default: 0, the finest. */
  level?: number | undefined;
  signal?: AbortSignal | undefined;
}

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
  return (await labels()).select(node, wanted, options, conventions);
}
