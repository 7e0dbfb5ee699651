/** A dataset: one array, or the same data at several resolutions, with the meaning of its axes and values. */

import type { DType, Region, ZarrArray } from "zarr-wasm";
import type { CellGrid } from "zarr-wasm/conventions";
import type { LabelColors } from "../base/label-colors.js";
import type { Once } from "../base/memo.js";
import type { Observations } from "./observations.js";
import type { Spaces } from "./spaces.js";

/** The meaning of an axis, if declared: by CF, by OME-Zarr, or by an unambiguous name. */
export type AxisRole = "latitude" | "longitude" | "x" | "y" | "z" | "time" | "channel";

/** One dimension of a dataset. */
export interface DatasetAxis {
  readonly name: string | undefined;
  /** A longer display name: "Latitude", "time of forecast". */
  readonly label?: string | undefined;
  readonly role?: AxisRole | undefined;
  /** "space", "time", "channel" or another type, if a convention declares it. */
  readonly type?: string | undefined;
  /** Unit of `scale` and of numeric coordinates. */
  readonly unit?: string | undefined;
  /** Length in elements of level 0. */
  readonly length: number;
  /** Units per element of level 0, if constant; negative for descending coordinates. */
  readonly scale?: number | undefined;
  /** Position of the centre of element 0, in units. */
  readonly translation?: number | undefined;
  /** True if greater indices are drawn higher up when the axis is vertical: north is up. */
  readonly goesUp?: boolean | undefined;
  /** Coordinates of the elements of level 0, if there are any. */
  readonly coordinates?: AxisCoordinates | undefined;
}

/**
 * Coordinates along an axis: numbers in the axis unit, milliseconds since 1970, or strings. The coordinates
 * of short axes, and those that determine the direction, are read before a dataset is returned; others on
 * demand.
 */
export interface AxisCoordinates {
  readonly kind: "numbers" | "milliseconds" | "texts";
  /** A sentence on missing coordinates, if some have been read. */
  readonly problem?: string | undefined;
  /** The coordinate of an element; undefined if missing or not read yet. */
  at(index: number): number | string | undefined;
  /** Ticks at round coordinates of instants; undefined unless they ascend and have been read. */
  ticks?(first: number, last: number, most: number): { at: number; text: string }[] | undefined;
  /** Shorter labels of consecutive ticks of instants. */
  brief?(labels: readonly string[]): readonly string[];
  /** Reads the data for `at(index)`. Concurrent calls share one request. @throws as `get` does. */
  read(index: number): Promise<void>;
}

/** The meaning of a map's two axes. */
export interface Geography {
  /** "degrees": latitude and longitude; "projected": y and x in the unit of their axes. */
  readonly kind: "degrees" | "projected";
  /** Indices of the axes: latitude or y, longitude or x. */
  readonly vertical: number;
  readonly horizontal: number;
  /** Name or code of the reference system, if known: "EPSG:32633". */
  readonly crs: string | undefined;
  /** Converts longitude and latitude to the coordinates of projected axes, if the system is stated. */
  readonly converter?: Once<PointConverter> | undefined;
}

/** Conversions of points; undefined where a reference system has no place. */
export interface PointConverter {
  forward(longitude: number, latitude: number): readonly [x: number, y: number] | undefined;
  inverse(x: number, y: number): readonly [longitude: number, latitude: number] | undefined;
}

/** Longitudes and latitudes of every element of two axes: a curvilinear grid. */
export interface GridPositions {
  /** The axes of the dataset, in the order of the arrays: rows and columns. */
  readonly axes: readonly [rows: number, columns: number];
  /** Degrees, row by row; undefined before `read`. NaN where unknown. */
  readonly known: { readonly longitudes: Float64Array; readonly latitudes: Float64Array } | undefined;
  /** Concurrent calls share one attempt; a failed one can be retried. @throws as `get` does. */
  read(): Promise<void>;
}

/** Cells on the globe along one dimension, which is folded into the axes `axis` and the next (`folds.ts`). */
export interface CellAxis {
  readonly grid: CellGrid;
  readonly axis: number;
  readonly columns: number;
  readonly rowsPerChunk: number;
}

/** Labels of an image: integers that assign each element to an object. */
export interface Labels {
  readonly name: string;
  /** Path in the store. */
  readonly path: string;
  /**
   * The result of `open`, in the image's coordinates: `levels` are placed in elements of the image's level 0.
   */
  readonly dataset: Dataset | undefined;
  /** For each axis of the labels, the image's axis of the same name; −1 if the image lacks it. */
  readonly imageAxes: readonly number[];
  open(): Promise<Dataset>;
}

/** The labels of an image, found on demand. */
export interface LabelsList {
  /** The result of `find`. */
  readonly known: readonly Labels[] | undefined;
  find(): Promise<readonly Labels[]>;
}

/** Metadata of single labels. */
export interface LabelInfo {
  readonly colors: LabelColors | undefined;
  /** Properties of a label, as text; undefined if there are none. */
  properties(label: number | bigint): string | undefined;
  /** The properties as a table. */
  readonly table: Observations | undefined;
}

/** One resolution. */
export interface Level {
  /** Elements of level 0 per element of this level, per axis. */
  readonly factor: readonly number[];
  /**
   * Origin of this level (the edge of its first element, not its centre), in elements of level 0, per axis.
   */
  readonly origin: readonly number[];
  /** The array, once it has been opened. */
  readonly array: ZarrArray | undefined;
  /** Opens the array. Concurrent calls share one attempt; a failed one can be retried. */
  open(): Promise<ZarrArray>;
}

/** A channel described by the metadata. */
export interface ChannelInfo {
  readonly label: string | undefined;
  /** "rrggbb". */
  readonly color: string | undefined;
  readonly active: boolean | undefined;
  /** Values of the first and the last colour. */
  readonly window: readonly [low: number, high: number] | undefined;
}

/** The points of a scatter plot. */
export interface Embedding {
  /** Coordinates of the observations, by axis. */
  readonly columns: readonly Float64Array[];
  readonly observations: Observations;
}

export interface Dataset {
  /** Fallback name: the last part of its address. */
  readonly title: string;
  /** True if the elements are labels: integers that identify objects, not quantities. */
  readonly isLabels?: boolean | undefined;
  /** Colours and properties of labels. */
  readonly labelInfo?: LabelInfo | undefined;
  readonly axes: readonly DatasetAxis[];
  readonly dtype: DType;
  /** Finest first; at least one. */
  readonly levels: readonly [Level, ...Level[]];
  /** The array of level 0, always open. */
  readonly array: ZarrArray;
  /** Index of the channel axis. */
  readonly channelAxis?: number | undefined;
  readonly channels?: readonly ChannelInfo[] | undefined;
  /** Name of the quantity: "air temperature". */
  readonly label?: string | undefined;
  /** Unit of the decoded values. */
  readonly unit?: string | undefined;
  /** Decodes stored values (CF: scale, offset, missing values); absent if they need no decoding. */
  readonly decode?: ((stored: Region) => Region) | undefined;
  /** Minimum and maximum of all decoded values, as declared by metadata. */
  readonly actualRange?: readonly [low: number, high: number] | undefined;
  /** Kind of decoded values. Default: "numbers". */
  readonly decodedKind?: "numbers" | "milliseconds" | undefined;
  /** Sentences on metadata that could not be interpreted. */
  readonly problems?: readonly string[] | undefined;
  /** Rows: from positions along the axes, in their units, to a space in which they are sheared or turned. */
  readonly affine?: readonly (readonly number[])[] | undefined;
  /** Coordinate systems that other sources may share. */
  readonly spaces?: Spaces | undefined;
  readonly geography?: Geography | undefined;
  readonly positions?: GridPositions | undefined;
  readonly cells?: CellAxis | undefined;
  readonly labels?: LabelsList | undefined;
  /** The points of a scatter plot, which has no elements: its axes are the columns of an embedding. */
  readonly embedding?: Embedding | undefined;
  /** The initial state, in the terms of `WantedState`, as suggested by metadata or the kind of data. */
  readonly hints?: Readonly<Record<string, unknown>> | undefined;
}

/** Lengths of level 0. */
export const datasetShape = ({ axes }: Dataset): readonly number[] => axes.map(({ length }) => length);
