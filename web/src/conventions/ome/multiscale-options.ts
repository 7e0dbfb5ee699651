/** Options of `writeMultiscale`. */
import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";
import type { FillScalar } from "../../dtypes/fill-source.js";
import type { NumpyDescr } from "../../dtypes/numpy.js";
import type { DataTypeJson } from "../../dtypes/v3-json.js";
import type { CodecInput, NewAttributes } from "../../edit/options.js";

import type { Progress } from "../../read/assemble.js";

import type { Limits } from "../../util/limits.js";
import type { WorkerPool } from "../../workers/pool.js";

/**
 * How elements of a level become one of the next: "mean" of integers rounded to the nearest, a half to the even one, and
 * of floats without NaNs; "mode" the most frequent one, of several the first in C order, for labels; "max"; "nearest"
 * the first one, for every data type.
 */
export type DownsamplingMethod = "mean" | "mode" | "nearest" | "max";

/** Versions of OME-Zarr that are written. */
export type OmeVersion = "0.4" | "0.5" | "0.6rc0";

/** An axis of an image as it is written. */
export interface NewAxis {
  readonly name: string;
  /** Default: by the name, "time" of t, "channel" of c, "space" of z, y and x. */
  readonly type?: string | undefined;
  /** Unit of the scale, such as "micrometer" or "second". */
  readonly unit?: string | undefined;
}

/** Elements in memory of which an image is made, in C order. */
export interface ImageData {
  readonly data: ElementData;
  readonly shape: readonly number[];
  /** Default: that of the typed array. */
  readonly dtype?: string | DataTypeJson | NumpyDescr | DType | undefined;
}

/** How far the writing of an image has come: chunks of all levels that the call writes. */
export interface MultiscaleProgress extends Progress {
  /** The level that is being written, 0 for the finest. */
  readonly level: number;
  readonly levels: number;
}

export interface MultiscaleOptions {
  /** Path of the image's group below the target; "" (default) for the target itself. */
  path?: string | undefined;
  /** Most resolutions, with the one that is given. Default: until one fits into 256 elements along each axis. */
  levels?: number | undefined;
  /** Default: "mean". */
  method?: DownsamplingMethod | undefined;
  /**
   * By how much each level is smaller than the one before: one factor for all axes of space, or one per axis, in a list
   * or by name. Default: 2 along axes of space, 1 along others. Blocks have at most 4096 elements.
   */
  factor?: number | readonly number[] | { readonly [axis: string]: number } | undefined;
  /** Of all levels. Default: as the array's, or about 1 MiB for elements in memory. */
  chunkShape?: readonly number[] | undefined;
  /** null for none. Default: as the array's, where chunks are the same; without shards in Zarr v2. */
  shardShape?: readonly number[] | null | undefined;
  /** As `create` takes them. Default: the array's. */
  codecs?: CodecInput | readonly CodecInput[] | undefined;
  fillValue?: FillScalar | undefined;
  /** 3 for OME-Zarr 0.5 and 0.6, 2 for 0.4. Default: the target group's, else the array's if it is one of these, else 3. */
  zarrFormat?: 2 | 3 | undefined;
  /**
   * Version of OME-Zarr. "0.6rc0" is the release candidate, with coordinate systems. Default: "0.5" in Zarr v3, which the
   * others need but "0.4", which needs v2.
   */
  omeVersion?: OmeVersion | undefined;
  /**
   * Names, or axes. Default: the array's dimension names; without them the last ones of t, c, z, y, x (of three
   * dimensions z, y, x; of four c, z, y, x).
   */
  axes?: readonly (string | NewAxis)[] | undefined;
  /** Units per element of the finest level, along each axis. Default: 1. */
  scale?: readonly number[] | undefined;
  /** Where the centre of its first element lies. Default: 0. */
  translation?: readonly number[] | undefined;
  name?: string | undefined;
  /** What OME-Zarr knows besides: `omero`, `image-label`, … */
  ome?: NewAttributes | undefined;
  /** Other attributes of the group. */
  attributes?: NewAttributes | undefined;
  /**
   * Deletes the node at the path, which must hold Zarr nodes only, or the other levels if the array lies there itself.
   * Default: false.
   */
  overwrite?: boolean | undefined;
  /** Goes on with what an earlier call with the same options has begun: chunks and shards that are there stay. */
  resume?: boolean | undefined;
  /**
   * Does one stage only: "metadata" makes the group with its attributes and all arrays; a number fills that level, from
   * the whole level before it. Default: everything, the group's attributes last.
   */
  stage?: "metadata" | number | undefined;
  /** Of a level (`stage`), the share [index, count]: no two shares write to one chunk or shard. Default: [0, 1]. */
  part?: readonly [index: number, count: number] | undefined;
  /** Most chunks (or shards) that are read or written at a time. Default 16. */
  concurrency?: number | undefined;
  /** Workers that decode the chunks that are read, and encode those that are written. */
  pool?: WorkerPool | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: MultiscaleProgress) => void) | undefined;
  /** As `open` takes them. */
  limits?: Partial<Limits> | undefined;
}
