/** Options of the functions that create and change nodes and write elements. */
import type { ZarrVersion } from "../codecs/definition.js";
import type { CodecMetadata } from "../codecs/metadata.js";
import type { DType } from "../dtypes/dtype.js";
import type { ElementData } from "../dtypes/elements.js";
import type { FillScalar } from "../dtypes/fill-source.js";
import type { NumpyDescr } from "../dtypes/numpy.js";
import type { DataTypeJson } from "../dtypes/v3-json.js";
import type { Region, ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import type { Source } from "../hierarchy/source.js";
import type { Progress } from "../read/assemble.js";
import type { Limits } from "../util/limits.js";
import type { WorkerPool } from "../workers/pool.js";

/** A place to write to: a store that can, the URL of a folder or of a server that takes PUT, or a group. */
export type Target = Source | ZarrGroup;

/** Attributes: values that JSON has a form for; bigints are integers with all their digits. */
// biome-ignore lint/suspicious/noExplicitAny: interfaces have no index signature, which all but any would ask for.
export type NewAttributes = { readonly [name: string]: any };

/**
 * A codec: its name, such as "zstd", with a level, "zstd:5", and for blosc a compressor, "blosc:lz4:5"; or an object
 * with its configuration.
 */
export type CodecInput = string | CodecMetadata;

export interface NodeCreateOptions {
  /** Path of the new node below the target; "" (default) for the target itself. */
  path?: string | undefined;
  attributes?: NewAttributes | undefined;
  /** Default: 3; in a group, the group's. */
  zarrFormat?: ZarrVersion | undefined;
  /**
   * Deletes the node at the path with everything below it, which must be Zarr nodes only. Default: false, and
   * AlreadyExists if the path is taken.
   */
  overwrite?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * How keys of chunks are made: indices with a separator ("default": behind a "c"); in Zarr v3 also with a suffix behind
 * the keys of another encoding (default: "default"), or in folders of at most `maxChildren` entries (a power of ten from
 * 100 on; default 1000). The latter two are proposals that few readers know: docs/support.md.
 */
export type ChunkKeyOption =
  | { name?: "default" | "v2" | undefined; separator?: "/" | "." | undefined }
  | { name: "suffix"; suffix: string; baseEncoding?: ChunkKeyOption | undefined; separator?: undefined }
  | { name: "fanout"; maxChildren?: number | undefined; separator?: undefined };

export interface CreateOptions extends NodeCreateOptions {
  /** Length of each dimension. */
  shape: readonly number[];
  /** Shape of the chunks; of those inside shards, where there are shards. Default: about 1 MiB, see docs/writing.md. */
  chunkShape?: readonly number[] | undefined;
  /** Shape of the shards, a multiple of the chunks' (Zarr v3). Default: no shards. */
  shardShape?: readonly number[] | undefined;
  /** A data type of Zarr v3, of NumPy ("<f4"; its byte order is how elements are stored), or that of an array. */
  dtype: string | DataTypeJson | NumpyDescr | DType;
  /** Value of what is not stored. Default: 0, false or ""; null leaves it undefined (Zarr v1 and v2). */
  fillValue?: FillScalar | undefined;
  /**
   * Codecs in encoding order; what turns the array into bytes may be left out. Default: blosc with lz4, zstd for
   * elements of variable length; "none" or an empty list for no compression.
   */
  codecs?: CodecInput | readonly CodecInput[] | undefined;
  dimensionNames?: readonly (string | null)[] | undefined;
  /** Order of the elements in chunks: "C" (default), the last dimension fastest, or "F", the first one. */
  order?: "C" | "F" | undefined;
  /** How keys of chunks are made. Default: "/" behind a "c" in v3, "." in v1 and v2. */
  chunkKeyEncoding?: ChunkKeyOption | undefined;
  /** As `open` takes them. */
  limits?: Partial<Limits> | undefined;
}

type Changes<T> = { [K in keyof T]?: T[K] | undefined };

/** An array like another one: what is not given is that one's. */
export interface CreateLikeOptions
  extends NodeCreateOptions,
    Changes<Omit<CreateOptions, "dtype" | "shardShape" | keyof NodeCreateOptions>> {
  /** The other array: its data type, byte order, fill value, attributes, names of dimensions, chunks and codecs. */
  like: ZarrArray;
  /** null for no shards. Default: as the other array's, where the chunks are the same. */
  shardShape?: readonly number[] | null | undefined;
  dtype?: undefined;
}

export interface GroupCreateOptions extends NodeCreateOptions {
  /** Another group, whose attributes it gets where none are given. */
  like?: ZarrGroup | undefined;
}

export interface UpdateOptions {
  signal?: AbortSignal | undefined;
}

export interface UpdateAttributesOptions extends UpdateOptions {
  /** "merge" (default): other attributes stay; "replace": they go. */
  mode?: "merge" | "replace" | undefined;
}

export interface ResizeOptions extends UpdateOptions {
  /**
   * What becomes of elements that a smaller shape cuts off, in chunks (or shards) that also hold others: "clear" (default)
   * reads those chunks and writes them again with the fill value there; "keep" leaves them as they are: longer again,
   * the array has those elements again.
   */
  edges?: "clear" | "keep" | undefined;
}

/** Elements in C order, alone or with their shape. */
export type ManyValues =
  | ElementData
  | readonly unknown[]
  | Pick<Region<ElementData | readonly unknown[]>, "data" | "shape">;

/**
 * What is written to a selection: elements in C order as `get` gives them, alone or with their shape; strings for
 * strings of fixed length; or one element for all of it.
 */
export type SetValues = ManyValues | FillScalar | bigint;

export interface WriteChunkOptions {
  /** Ends the write between two chunks; the signal's reason is thrown. What is written is whole. */
  signal?: AbortSignal | undefined;
  /**
   * What to do where another program has written a chunk (or shard) since it was read to be changed in part, as far as
   * the store can tell: "retry" (default) reads and changes it again, ten times at most; "error" throws Conflict;
   * "ignore" writes over it.
   */
  conflicts?: "retry" | "error" | "ignore" | undefined;
  /** Stores chunks that are all fill value. Default: false, they are deleted. */
  writeEmptyChunks?: boolean | undefined;
  /**
   * Workers that encode, reading the values where they are if these lie in a SharedArrayBuffer. What is written does not
   * depend on it. Whatever goes wrong with them, the calling thread encodes instead.
   */
  pool?: WorkerPool | undefined;
}

export interface WriteRegionOptions extends WriteChunkOptions {
  /**
   * Most chunks that are in memory at a time. Default 16. Of shards that are larger than all these together two are
   * written at a time.
   */
  concurrency?: number | undefined;
  /**
   * Called after every chunk or shard; `bytes` are those that were written. What it throws ends the write; so does what
   * a promise that it returns rejects with, which is waited for.
   */
  onProgress?: ((progress: Progress) => unknown) | undefined;
}
