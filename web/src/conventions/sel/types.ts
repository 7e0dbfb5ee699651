/** Labels and the options of selections by label. */

import { describeValue, invalidSelection, type ZarrError } from "../../util/errors.js";

/**
 * A label of an element: a number in the coordinate's units, as decoded by `decodeCF`; for times, a `Date`,
 * milliseconds since 1970 or a string such as "2020", "2020-01", "2020-01-15" or "2020-01-15T06:30" (UTC
 * unless it has a zone); for string coordinates and channels, the string.
 */
export type Label = number | bigint | string | Date;

/**
 * The elements to select along one dimension:
 *
 * - a label: its element; the dimension is dropped. A string less precise than a time names a period and
 *   selects its elements as a slice, except if it is a full date or time equal to the coordinate of the only
 *   element in it.
 * - `[from, to]`: elements whose coordinates lie between the two, both inclusive, in either direction of the
 *   coordinates. For longitudes, the first is the western end. For string coordinates: these elements.
 * - `{ start, stop, step }`: the same, with an open end for null, every `step`th element.
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
   * How a single label is matched. "exact" (default): the element with this coordinate. "nearest": the
   * element with the nearest coordinate, of two the larger. "pad": like "exact", but if there is no such
   * element, the one before its place. Does not apply to strings and `[from, to]`.
   */
  method?: "exact" | "nearest" | "pad" | undefined;
  /**
   * Maximum distance of the coordinate found by "nearest" and "pad" from the label, in its units;
   * milliseconds for times.
   */
  tolerance?: number | undefined;
  /** Level of an OME-Zarr image to select from. Default: 0, the finest. */
  level?: number | undefined;
  signal?: AbortSignal | undefined;
}

function sized(label: unknown): string {
  if (typeof label === "string") return JSON.stringify(label.slice(0, 80));
  return label instanceof Date && !Number.isNaN(label.getTime()) ? label.toISOString() : describeValue(label);
}

export const noSuchLabel = (name: string, label: unknown, why = ""): ZarrError =>
  invalidSelection(`"${name}" has no element at ${sized(label)}${why}`, { code: "no-such-label" });

export const notALabel = (name: string, label: unknown, wanted: string): ZarrError =>
  invalidSelection(`${sized(label)} is no label of "${name}": ${wanted}`, { code: "not-a-label" });

export const noSuchDimension = (name: string, known: readonly (string | null)[]): ZarrError =>
  invalidSelection(
    `"${name}" names no dimension; there ${known.length === 1 ? "is" : "are"} ${known.map((n) => JSON.stringify(n)).join(", ") || "none with a name"}`,
    { code: "no-such-dimension" },
  );

export const noCoordinates = (name: string, why: string): ZarrError =>
  invalidSelection(`"${name}" has no coordinates to select by: ${why}`, { code: "no-coordinates" });

export const unsorted = (name: string, what: string): ZarrError =>
  invalidSelection(`the coordinates of "${name}" are not sorted, which ${what} needs`, {
    code: "unsorted-coordinates",
  });
