/** Labels, and options of selections by label. */

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
