/** What is viewed: one array, or the same data in several resolutions, with what is known of its meaning. */
import type { DType, Region, ZarrArray } from "zarr-wasm";

/** What an axis runs along, where metadata says so: by CF, by OME-Zarr, or by a name that nobody takes for another. */
export type AxisRole = "latitude" | "longitude" | "x" | "y" | "z" | "time" | "channel";

/** One dimension of a dataset. */
export interface DatasetAxis {
  readonly name: string | undefined;
  /** A longer name for people: "Latitude", "time of forecast". */
  readonly label?: string | undefined;
  readonly role?: AxisRole | undefined;
  /** "space", "time", "channel" or another, where a convention says so. */
  readonly type?: string | undefined;
  /** Unit of `scale` and of coordinates that are numbers. */
  readonly unit?: string | undefined;
  /** Elements of level 0. */
  readonly length: number;
  /** Units per element of level 0, where that is the same everywhere; negative where coordinates descend. */
  readonly scale?: number | undefined;
  /** Where the middle of element 0 lies, in units. */
  readonly translation?: number | undefined;
  /** True where elements with greater indices belong higher up when the axis goes down the picture: north is up. */
  readonly goesUp?: boolean | undefined;
  /** Coordinates of the elements of level 0, where there are any. */
  readonly coordinates?: AxisCoordinates | undefined;
}

/**
 * Coordinates along an axis: numbers in the axis' unit, milliseconds since 1970, or texts. Those of short axes, and those
 * that say which way is up, have been read when a dataset is handed out; others are read where they are asked for.
 */
export interface AxisCoordinates {
  readonly kind: "numbers" | "milliseconds" | "texts";
  /** The coordinate of an element; undefined for one that has not been read, or that is missing. */
  at(index: number): number | string | undefined;
  /** Reads what `at(index)` needs. Several calls share one request. @throws as `get` does. */
  read(index: number): Promise<void>;
}

/** What the two axes of a map are. */
export interface Geography {
  /** "degrees": latitude and longitude; "projected": y and x in the unit of their axes. */
  readonly kind: "degrees" | "projected";
  /** Which axes: latitude or y, longitude or x. */
  readonly vertical: number;
  readonly horizontal: number;
  /** Name or code of the reference system, where one is given: "EPSG:32633". */
  readonly crs: string | undefined;
}

/** Labels that belong to an image: integers that say which thing each element is a part of. */
export interface Labels {
  readonly name: string;
  /** In the store. */
  readonly path: string;
  /** What `open` gave, in the image's world: `levels` are placed in elements of the image's level 0. */
  readonly dataset: Dataset | undefined;
  /** For each axis of the labels, the image's axis of that name; −1 for one that the image does not have. */
  readonly imageAxes: readonly number[];
  open(): Promise<Dataset>;
}

/** The labels of an image, which are looked for when somebody asks. */
export interface LabelsList {
  /** What `find` gave. */
  readonly known: readonly Labels[] | undefined;
  find(): Promise<readonly Labels[]>;
}

/** One resolution. */
export interface Level {
  /** Elements of level 0 per element of this level, per axis. */
  readonly factor: readonly number[];
  /** Where this level's first element begins (its edge, not its centre), in elements of level 0, per axis. */
  readonly origin: readonly number[];
  /** The array, once it has been opened. */
  readonly array: ZarrArray | undefined;
  /** Opens it; several calls share one opening, and a failed one may be tried again. */
  open(): Promise<ZarrArray>;
}

/** A channel as the metadata describes it. */
export interface ChannelInfo {
  readonly label: string | undefined;
  /** "rrggbb". */
  readonly color: string | undefined;
  readonly active: boolean | undefined;
  /** Values at which the colours begin and end. */
  readonly window: readonly [low: number, high: number] | undefined;
}

export interface Dataset {
  /** What it is called where there is no better name: the last part of its address. */
  readonly title: string;
  /** True where the elements are labels: integers that are names of things, not amounts. */
  readonly isLabels?: boolean | undefined;
  readonly axes: readonly DatasetAxis[];
  readonly dtype: DType;
  /** Finest first; at least one. */
  readonly levels: readonly [Level, ...Level[]];
  /** The array of level 0, which is always open. */
  readonly array: ZarrArray;
  /** Which axis counts channels. */
  readonly channelAxis?: number | undefined;
  readonly channels?: readonly ChannelInfo[] | undefined;
  /** What the values are: "air temperature". */
  readonly label?: string | undefined;
  /** Unit of the decoded values. */
  readonly unit?: string | undefined;
  /** Stored values to those that are meant (CF: scale, offset, missing values); absent where they are the same. */
  readonly decode?: ((stored: Region) => Region) | undefined;
  /** What decoded values are: numbers where nothing else is said. */
  readonly decodedKind?: "numbers" | "milliseconds" | undefined;
  /** What in its metadata could not be followed, in sentences. */
  readonly problems?: readonly string[] | undefined;
  readonly geography?: Geography | undefined;
  readonly labels?: LabelsList | undefined;
  /** The state to begin with, in the terms of `WantedState`: what metadata or kind of the data suggest. */
  readonly hints?: Readonly<Record<string, unknown>> | undefined;
}

/** Lengths of level 0. */
export const shapeOf = ({ axes }: Dataset): readonly number[] => axes.map(({ length }) => length);
