/** Making nodes, and changing their metadata. What does it is loaded when it is first called. */

import type { ZarrVersion } from "../codecs/definition.js";
import type { CodecMetadata } from "../codecs/metadata.js";
import type { DType } from "../dtypes/dtype.js";
import type { FillScalar } from "../dtypes/fill-source.js";
import type { NumpyDescr } from "../dtypes/numpy.js";
import type { DataTypeJson } from "../dtypes/v3-json.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import type { Source } from "../hierarchy/open.js";
import { lazy } from "../util/lazy.js";
import type { Limits } from "../util/limits.js";

/** @internal */
export const writing = lazy("writing", () => import("../lazy/writing.js"));

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

/**
 * Creates an array, from options or like another one (then in that one's version, unless the target is a group or
 * `zarrFormat` says another). Groups that its path lacks are created, too; nothing that is there is changed, unless `overwrite`
 * is given. Its chunks are all fill value.
 * @throws before anything is written: InvalidArgument, UnknownCodec, LimitExceeded; Unsupported for what the version
 *   cannot hold; AlreadyExists; NotAllowed for files that `overwrite` does not delete ("not-zarr", "foreign-files",
 *   "protected-folder", "is-source"); ReadOnly for a store that cannot write. What the store throws, after which the array
 *   is not there.
 */
export async function create(target: Target, options: CreateOptions | CreateLikeOptions): Promise<ZarrArray> {
  return (await writing()).createArray(target, options);
}

/** Creates a group (Zarr v2 and v3). @throws as {@link create} does. */
export async function createGroup(target: Target, options: GroupCreateOptions = {}): Promise<ZarrGroup> {
  return (await writing()).createGroup(target, options);
}

export interface UpdateOptions {
  signal?: AbortSignal | undefined;
}

export interface UpdateAttributesOptions extends UpdateOptions {
  /** "merge" (default): other attributes stay; "replace": they go. */
  mode?: "merge" | "replace" | undefined;
}

/**
 * Writes attributes of a node; `node.attributes` are then the new ones.
 * @throws InvalidArgument for what JSON has no form for; NotFound where the node is gone; Conflict where others write
 *   the same document all the time; ReadOnly.
 */
export async function updateAttributes(
  node: OpenedNode,
  attributes: NewAttributes,
  options: UpdateAttributesOptions = {},
): Promise<void> {
  return (await writing()).updateAttributes(node, attributes, options);
}

export interface ResizeOptions extends UpdateOptions {
  /**
   * What becomes of elements that a smaller shape cuts off, in chunks (or shards) that also hold others: "clear" (default)
   * reads those chunks and writes them again with the fill value there; "keep" leaves them as they are: longer again,
   * the array has those elements again.
   */
  edges?: "clear" | "keep" | undefined;
}

/**
 * Changes an array's shape; `array.shape` is then the new one. Chunks outside of it are deleted, and elements that are
 * cut off from other chunks are filled with the fill value, before the shape is written.
 * @throws InvalidArgument for a shape of another rank, or one that a rectilinear grid does not cover; LimitExceeded for
 *   more chunks to delete, or to change, than `limits.readChunks` in a store that cannot list; as {@link updateAttributes};
 *   CorruptChunk, EncodeFailed and what the store throws for chunks that could not be changed or deleted: the array then
 *   has its old shape, and fill value in part of the elements that were to be cut off. The call can be repeated.
 */
export async function resize(
  array: ZarrArray,
  shape: readonly number[],
  options: ResizeOptions = {},
): Promise<void> {
  return (await writing()).resize(array, shape, options);
}

/**
 * Deletes a node with everything below it, which must be Zarr nodes only.
 * @param path below the target. Without one it is the target itself, a group that lies in another one; all that a store
 *   holds is deleted only where "/" or "" says so.
 * @throws InvalidArgument ("no-path") for the root of a store without a path; NotFound where there is no node; ReadOnly
 *   for a store that cannot list what to delete; NotAllowed ("foreign-files", "protected-folder") before anything is
 *   deleted.
 */
export async function deleteNode(
  target: Target,
  path?: string | undefined,
  options: UpdateOptions = {},
): Promise<void> {
  return (await writing()).deleteNode(target, path, options);
}

/**
 * Writes the documents of all nodes below a group into one of its own, from which `open` then knows them. Writes of
 * this library keep it true.
 * @returns the group, opened.
 * @throws NotFound where there is no group; Unsupported for a store that cannot list; InvalidMetadata for a node that
 *   cannot be read.
 */
export async function consolidate(
  target: Target,
  options: UpdateOptions & { path?: string | undefined } = {},
): Promise<ZarrGroup> {
  return (await writing()).consolidate(target, options);
}
