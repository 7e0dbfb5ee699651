/**
 * Functions that create, change and delete nodes and write elements. The implementation is loaded on first
 * use.
 */

import type { DTypeInput, DTypeName, DTypeNamed } from "../dtypes/names.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import type { Selection } from "../plan/selection.js";
import { lazy } from "../util/lazy.js";

import type {
  CreateGroupOptions,
  CreateLikeOptions,
  CreateOptions,
  ManyValues,
  NewAttributes,
  ResizeOptions,
  SetOptions,
  SetValues,
  Target,
  UpdateAttributesOptions,
  UpdateOptions,
} from "./options.js";

const writing = lazy("writing", () => import("./part.js"));

/**
 * Creates an array, from options or like another array. With `like`, it has the version of the other array,
 * unless the target is a group or `zarrFormat` is given. Missing parent groups are created, too. Existing
 * nodes are not changed unless `overwrite` is given. All elements of the new array have the fill value.
 * @throws before anything is written: InvalidArgument, UnknownCodec, LimitExceeded; Unsupported for features
 *   that the version lacks; AlreadyExists; NotAllowed for files that `overwrite` does not delete ("not-zarr",
 *   "foreign-files", "protected-folder", "is-source"); ReadOnly for a store that cannot write. Errors of the
 *   store are passed on; the array has then not been created.
 */
export async function create<const T extends DTypeInput, const N extends string = string>(
  target: Target,
  options: CreateOptions<T> & { dimensionNames?: readonly (N | null)[] | undefined },
): Promise<ZarrArray<DTypeNamed<T>, N>>;
export async function create<D extends DTypeName>(
  target: Target,
  options: CreateLikeOptions<D>,
): Promise<ZarrArray<D>>;
export async function create(target: Target, options: CreateOptions | CreateLikeOptions): Promise<ZarrArray>;
export async function create(target: Target, options: CreateOptions | CreateLikeOptions): Promise<ZarrArray> {
  return await (await writing()).createArray(target, options);
}

/** Creates a group (Zarr v2 and v3). @throws the errors of {@link create}. */
export async function createGroup(target: Target, options: CreateGroupOptions = {}): Promise<ZarrGroup> {
  return await (await writing()).createGroup(target, options);
}

/**
 * Writes attributes of a node and updates `node.attributes`.
 * @throws InvalidArgument for values that JSON cannot represent; NotFound if the node no longer exists;
 *   Conflict if other programs keep changing the same document; ReadOnly.
 */
export async function updateAttributes(
  node: OpenedNode,
  attributes: NewAttributes,
  options: UpdateAttributesOptions = {},
): Promise<void> {
  return await (await writing()).updateAttributes(node, attributes, options);
}

/**
 * Changes an array's shape and updates `array.shape`. Chunks outside the new shape are deleted, and elements
 * that are cut off from other chunks are overwritten with the fill value, before the shape is written.
 * @throws InvalidArgument for a shape of another rank, or one that a rectilinear grid does not cover;
 *   LimitExceeded for more chunks to delete or change than `limits.readChunks`, if the store cannot list; the
 *   errors of {@link updateAttributes}; CorruptChunk, EncodeFailed and errors of the store for chunks that
 *   could not be changed or deleted. The array then has its old shape, and some of the elements to be cut off
 *   have the fill value. The call can be repeated.
 */
export async function resize(
  array: ZarrArray,
  shape: readonly number[],
  options: ResizeOptions = {},
): Promise<void> {
  return await (await writing()).resize(array, shape, options);
}

/**
 * Deletes a node with everything below it, which must be Zarr nodes only.
 * @param path below the target. Default: the target itself, which must then be a group inside another one. To
 *   delete everything in a store, pass "/" or "".
 * @throws InvalidArgument ("bad-path") for the root of a store without a path; NotFound if there is no node;
 *   ReadOnly for a store that cannot list the objects to delete; NotAllowed ("foreign-files",
 *   "protected-folder") before anything is deleted.
 */
export async function deleteNode(
  target: Target,
  path?: string | undefined,
  options: UpdateOptions = {},
): Promise<void> {
  return await (await writing()).deleteNode(target, path, options);
}

/**
 * Writes the metadata of all nodes below a group into one document of the group. `open` then reads the nodes
 * from it, and writes of this library keep it up to date.
 * @returns the group, opened.
 * @throws NotFound if there is no group; Unsupported for a store that cannot list; InvalidMetadata for a node
 *   that cannot be read.
 */
export async function consolidate(
  target: Target,
  options: UpdateOptions & { path?: string | undefined } = {},
): Promise<ZarrGroup> {
  return await (await writing()).consolidate(target, options);
}

/**
 * Writes a region. Chunks that the region covers, as far as they lie in the array, are overwritten; other
 * chunks are read, changed and written back. Writes within this process to the same chunk or shard take
 * turns.
 *
 * @param selection in the same form as for `get`. If an index is listed twice, its last value counts.
 * @param values must not change until the promise settles.
 * @throws InvalidSelection, InvalidArgument, ReadOnly, LimitExceeded before anything is written; CorruptChunk
 *   for a chunk that is only partly covered; EncodeFailed, Conflict and errors of the store, with the chunk's
 *   key and `written`: all other chunks are unchanged. Conflict without a key if another program has made the
 *   array shorter. The signal's reason if aborted.
 */
export async function set<D extends DTypeName>(
  array: ZarrArray<D>,
  selection: Selection | undefined,
  values: SetValues<NoInfer<D>>,
  options: SetOptions = {},
): Promise<void> {
  return await (await writing()).set(array, selection, values, options);
}

/**
 * Writes one whole chunk, or one inner chunk of a shard, in C order. Like the result of `getChunk`, the
 * values have the full chunk shape, even if the chunk overhangs the array. @throws the errors of {@link set}.
 */
export async function setChunk<D extends DTypeName>(
  array: ZarrArray<D>,
  coordinates: readonly number[],
  values: SetValues<NoInfer<D>>,
  options: SetOptions = {},
): Promise<void> {
  return await (await writing()).setChunk(array, coordinates, values, options);
}

/**
 * Extends an array along an axis and writes values there. Calls within one process take turns, and each first
 * reads the array's length again. In stores with conditional writes, other programs may append at the same
 * time.
 * @param values with their shape, or elements of whole hyperplanes.
 * @throws Conflict if other programs change the shape at every attempt; the errors of `resize` and
 *   {@link set}, if nothing was appended; Network ("unknown-outcome") if elements may have been appended, or
 *   another program has made the array shorter; the message names missing ones.
 */
export async function append<D extends DTypeName>(
  array: ZarrArray<D>,
  values: ManyValues<NoInfer<D>>,
  axis = 0,
  options: SetOptions = {},
): Promise<void> {
  return await (await writing()).append(array, values, axis, options);
}
