/** Options of `writeMultiscale`. */
import type { ElementData } from "../../dtypes/elements.js";
import type { FillScalar } from "../../dtypes/fill-value.js";
import type { DTypeInput } from "../../dtypes/names.js";
import type { CodecInput, NewAttributes } from "../../edit/options.js";

import type { Progress } from "../../read/assemble.js";

import type { Limits } from "../../util/limits.js";
import type { WorkerPool } from "../../workers/pool.js";

/**
 * How elements of a level are computed from the one before. "mean": for integers rounded to the nearest, ties
 * to even; for floats without NaNs. "mode", for labels: the most frequent element, of several the first in C
 * order. "max": the greatest. "nearest", for every data type: the first.
 */
export type DownsamplingMethod = "mean" | "mode" | "nearest" | "max";

/** OME-Zarr versions that can be written. */
export type OmeVersion = "0.4" | "0.5" | "0.6rc0";

/** An axis of a new image. */
export interface NewAxis {
  readonly name: string;
  /** Default: by the name, "time" for t, "channel" for c, "space" for z, y and x. */
  readonly type?: string | undefined;
  /** Unit of the scale, such as "micrometer" or "second". */
  readonly unit?: string | undefined;
}

/** Elements in memory to make an image of, in C order. */
export interface ImageData {
  readonly data: ElementData;
  readonly shape: readonly number[];
  /** Default: the data type of the typed array. */
  readonly dtype?: DTypeInput | undefined;
}

/** Progress of writing an image: chunks of all levels that the call writes. */
export interface MultiscaleProgress extends Progress {
  /** The level being written, 0 for the finest. */
  readonly level: number;
  readonly levels: number;
}

export interface MultiscaleOptions {
  /** Path of the image's group below the target; "" (default) for the target itself. */
  path?: string | undefined;
  /**
   * Maximum number of levels, including the given one. Default: until a level has at most 256 elements along
   * each axis.
   */
  levels?: number | undefined;
  /** Default: "mean". */
  method?: DownsamplingMethod | undefined;
  /**
   * Reduction from each level to the next: one factor for all space axes, or one per axis, as a list or by
   * name. Default: 2 along space axes, 1 along others. Blocks have at most 4096 elements.
   */
  factor?: number | readonly number[] | { readonly [axis: string]: number } | undefined;
  /** Chunk shape of all levels. Default: the array's, or about 1 MiB for elements in memory. */
  chunkShape?: readonly number[] | undefined;
  /**
   * Shard shape; null for no shards. Default: the array's, if the chunks are the same; no shards in Zarr v2.
   */
  shardShape?: readonly number[] | null | undefined;
  /** Codecs, as in the options of `create`. Default: the array's. */
  codecs?: CodecInput | readonly CodecInput[] | undefined;
  fillValue?: FillScalar | undefined;
  /**
   * 3 for OME-Zarr 0.5 and 0.6, 2 for 0.4. Default: the target group's version, or else the array's if it is
   * one of these, or else 3.
   */
  zarrFormat?: 2 | 3 | undefined;
  /**
   * OME-Zarr version. "0.4" needs Zarr v2, the others v3. "0.6rc0" is the release candidate, with coordinate
   * systems. Default: "0.5" in Zarr v3, "0.4" in v2.
   */
  omeVersion?: OmeVersion | undefined;
  /**
   * Names, or axes. Default: the array's dimension names, or else the last ones of t, c, z, y, x (for three
   * dimensions z, y, x; for four c, z, y, x).
   */
  axes?: readonly (string | NewAxis)[] | undefined;
  /** Units per element of the finest level, along each axis. Default: 1. */
  scale?: readonly number[] | undefined;
  /** Position of the centre of the first element. Default: 0. */
  translation?: readonly number[] | undefined;
  name?: string | undefined;
  /** Other OME-Zarr metadata: `omero`, `image-label`, … */
  ome?: NewAttributes | undefined;
  /** Other attributes of the group. */
  attributes?: NewAttributes | undefined;
  /**
   * Deletes the node at the path, which must hold Zarr nodes only, or the other levels if the array itself
   * lies there. Default: false.
   */
  overwrite?: boolean | undefined;
  /** Resumes an interrupted call with the same options, keeping chunks and shards already written. */
  resume?: boolean | undefined;
  /**
   * Runs one stage only: "metadata" creates the group with its attributes and all arrays; a number fills that
   * level from the complete level before it. Default: everything, with the group's attributes last.
   */
  stage?: "metadata" | number | undefined;
  /**
   * Share of a level (`stage`) to write, as [index, count]: no two shares write to the same chunk or shard.
   * Default: [0, 1].
   */
  part?: readonly [index: number, count: number] | undefined;
  /** Maximum number of chunks (or shards) that are read or written in parallel. Default: 16. */
  concurrency?: number | undefined;
  /** Workers that decode the chunks read, and encode the chunks written. */
  pool?: WorkerPool | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: MultiscaleProgress) => void) | undefined;
  /** Limits, as in the options of `open`. */
  limits?: Partial<Limits> | undefined;
}
