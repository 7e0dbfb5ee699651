/** Options of the functions that create and change nodes and write elements, and checks of their names. */

import type { CodecMetadata, ZarrVersion } from "../codecs/definition.js";
import type { ElementsLike } from "../dtypes/elements.js";
import type { FillScalar } from "../dtypes/fill-value.js";
import type { DTypeInput, DTypeMatching, DTypeName } from "../dtypes/names.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import type { Source } from "../hierarchy/open.js";
import type { Progress } from "../read/assemble.js";
import { type OptionNames, sharedOptions } from "../util/arguments.js";
import type { Limits } from "../util/limits.js";
import type { WorkerPool } from "../workers/pool.js";

/** Destination of a write: a writable store, the file URL of a folder, or a group. */
export type Target = Source | ZarrGroup;

/** Attributes: values that JSON can represent. Bigints become integers with all their digits. */
// biome-ignore lint/suspicious/noExplicitAny: interfaces lack the index signature that any other type would require
export type NewAttributes = { readonly [name: string]: any };

/**
 * A codec: its name ("zstd"), optionally with a level ("zstd:5") and, for blosc, a compressor
 * ("blosc:lz4:5"); or an object with its configuration.
 */
export type CodecInput = string | CodecMetadata;

export interface NodeCreateOptions {
  /** Path of the new node below the target; "" (default) for the target itself. */
  path?: string | undefined;
  attributes?: NewAttributes | undefined;
  /** Default: 3, or the version of the parent group. */
  zarrFormat?: ZarrVersion | undefined;
  /**
   * Deletes the node at the path with everything below it, which must be Zarr nodes only. Default: false; an
   * existing node is AlreadyExists.
   */
  overwrite?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Chunk key encoding. "default" and "v2" join the indices with a separator, "default" after a leading "c".
 * Zarr v3 also has "suffix", which appends to the keys of another encoding (default: "default"), and
 * "fanout", which makes folders of at most `maxChildren` entries (a power of ten, at least 100; default:
 * 1000). The latter two are proposals that few readers support; see docs/support.md.
 */
export type ChunkKeyOption =
  | { name?: "default" | "v2" | undefined; separator?: "/" | "." | undefined }
  | { name: "suffix"; suffix: string; baseEncoding?: ChunkKeyOption | undefined; separator?: undefined }
  | { name: "fanout"; maxChildren?: number | undefined; separator?: undefined };

export interface CreateOptions<T extends DTypeInput = DTypeInput> extends NodeCreateOptions {
  /** Length of each dimension. */
  shape: readonly number[];
  /** Shape of the chunks, or of the inner chunks of shards. Default: about 1 MiB, see docs/writing.md. */
  chunkShape?: readonly number[] | undefined;
  /** Shape of the shards (Zarr v3), a multiple of the chunk shape. Default: no shards. */
  shardShape?: readonly number[] | undefined;
  /** Data type: of Zarr v3, of NumPy ("<f4", including the stored byte order), or of another array. */
  dtype: T;
  /**
   * Value of elements that are not stored. Default: 0, false or ""; null leaves it undefined (Zarr v1 and
   * v2).
   */
  fillValue?: FillScalar | undefined;
  /**
   * Codecs in encoding order; the array-to-bytes codec may be omitted. Default: blosc with lz4, or zstd for
   * elements of variable length. "none" or an empty list means no compression.
   */
  codecs?: CodecInput | readonly CodecInput[] | undefined;
  dimensionNames?: readonly (string | null)[] | undefined;
  /**
   * Order of the elements in chunks: "C" (default), the last dimension varies fastest, or "F", the first one
   * does.
   */
  order?: "C" | "F" | undefined;
  /** Chunk key encoding. Default: "/" after a leading "c" in v3, "." in v1 and v2. */
  chunkKeyEncoding?: ChunkKeyOption | undefined;
  /** Limits, as in the options of `open`. */
  limits?: Partial<Limits> | undefined;
}

type Changes<T> = { [K in keyof T]?: T[K] | undefined };

/** Options of an array like another one. Omitted properties are copied from it. */
export interface CreateLikeOptions<D extends DTypeName = DTypeName>
  extends NodeCreateOptions,
    Changes<Omit<CreateOptions, "dtype" | "shardShape" | keyof NodeCreateOptions>> {
  /**
   * The other array, whose data type, byte order, fill value, attributes, dimension names, chunks and codecs
   * are copied.
   */
  like: ZarrArray<D>;
  /** null for no shards. Default: the other array's, if the chunks are the same. */
  shardShape?: readonly number[] | null | undefined;
  dtype?: undefined;
}

export interface CreateGroupOptions extends NodeCreateOptions {
  /** A group whose attributes are copied by default. */
  like?: ZarrGroup | undefined;
}

export interface UpdateOptions {
  signal?: AbortSignal | undefined;
}

export interface UpdateAttributesOptions extends UpdateOptions {
  /** "merge" (default) keeps other attributes; "replace" removes them. */
  mode?: "merge" | "replace" | undefined;
}

export interface ResizeOptions extends UpdateOptions {
  /**
   * How to treat elements that a smaller shape cuts off, in chunks (or shards) that also hold others. "clear"
   * (default) rewrites those chunks with the fill value there; "keep" leaves them unchanged, so that the
   * elements reappear if the array grows again.
   */
  edges?: "clear" | "keep" | undefined;
}

/** Lists of strings, for strings of fixed length; clamped bytes count as bytes. */
type AlsoElements<D extends DTypeName> = D extends "null_terminated_bytes" | "fixed_length_utf32"
  ? readonly string[]
  : D extends "uint8" | "bool"
    ? Uint8ClampedArray
    : D extends "string"
      ? readonly string[]
      : D extends "bytes"
        ? readonly Uint8Array[]
        : never;

/** Elements in C order. */
type SetElements<D extends DTypeName> = ElementsLike<D> | AlsoElements<D>;

/** Elements in C order, alone or with their shape. */
export type ManyValues<D extends DTypeName = DTypeName> =
  | SetElements<D>
  | { readonly data: SetElements<D>; readonly shape: readonly number[] };

/** Floats that are not JSON numbers, and the hexadecimal digits of a float's bits. */
type FloatText = "NaN" | "Infinity" | "-Infinity" | `0x${string}`;

/** One element, as far as its data type is known. */
type SetElement<D extends DTypeName> = DTypeName extends D
  ? FillScalar | bigint
  : D extends `float${string}` | `bfloat${string}`
    ? number | FloatText
    : D extends DTypeMatching<"bigint">
      ? number | bigint
      : D extends DTypeMatching<"number">
        ? number
        : D extends "bool"
          ? boolean | number
          : D extends "string"
            ? string
            : D extends "numpy.datetime64" | "numpy.timedelta64"
              ? number | bigint | "NaT"
              : D extends "bytes"
                ? Uint8Array
                : FillScalar | bigint;

/**
 * Values for a selection: elements in C order as returned by `get`, alone or with their shape; strings for
 * strings of fixed length; or one element for the whole selection.
 */
export type SetValues<D extends DTypeName = DTypeName> = ManyValues<D> | SetElement<D>;

/** Options of `set`, `setChunk` and `append`. */
export interface SetOptions {
  /** Ends the write between two chunks and throws the signal's reason. Chunks written so far are complete. */
  signal?: AbortSignal | undefined;
  /**
   * How to handle a chunk (or shard) that another program has written since it was read for a partial update,
   * as far as the store can detect it. "retry" (default) reads and changes it again, at most ten times;
   * "error" throws Conflict; "ignore" overwrites it.
   */
  conflicts?: "retry" | "error" | "ignore" | undefined;
  /** Stores chunks that contain only the fill value. Default: false; such chunks are deleted. */
  writeEmptyChunks?: boolean | undefined;
  /**
   * Workers that encode. They read the values in place if these lie in a SharedArrayBuffer. The stored data
   * does not depend on the pool. If workers fail, the calling thread encodes instead.
   */
  pool?: WorkerPool | undefined;
  /**
   * Maximum number of chunks in memory at a time. Default: 16, or 16 per worker of a pool. Shards larger than
   * that many chunks are written two at a time.
   */
  concurrency?: number | undefined;
  /**
   * Called after every chunk or shard; `bytes` counts the bytes written. A returned promise is awaited. An
   * error or rejection ends the write.
   */
  onProgress?: ((progress: Progress) => unknown) | undefined;
}

const nodeOptions: OptionNames<NodeCreateOptions> = {
  path: "name",
  attributes: "attrs",
  zarrFormat: "format zarrversion",
  overwrite: true,
  signal: true,
};

/** Options of `set`, `setChunk` and `append`. */
export const setOptions: OptionNames<SetOptions> = {
  ...sharedOptions,
  conflicts: true,
  writeEmptyChunks: true,
};

/** Options of `createGroup`. */
export const groupOptions: OptionNames<CreateGroupOptions> = { ...nodeOptions, like: true };

/** Names of `codecs` in other libraries and in metadata. */
export const codecNames = "codec compressor compressors compression filters";

/** Options of `create`. */
export const arrayOptions: OptionNames<CreateOptions & CreateLikeOptions> = {
  ...nodeOptions,
  like: true,
  shape: true,
  chunkShape: "chunk chunks",
  shardShape: "shard shards",
  dtype: "datatype",
  fillValue: true,
  codecs: codecNames,
  dimensionNames: "dims",
  order: true,
  chunkKeyEncoding: "dimensionseparator",
  limits: true,
};
