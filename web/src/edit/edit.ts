/** Creating, changing and deleting nodes, and writing elements. The implementation is loaded on first use. */

import type { ZarrArray } from "../hierarchy/array.js";
import type { OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import type { Selection } from "../plan/selection.js";
import { lazy } from "../util/lazy.js";

import type {
  CreateLikeOptions,
  CreateOptions,
  GroupCreateOptions,
  ManyValues,
  NewAttributes,
  ResizeOptions,
  SetValues,
  Target,
  UpdateAttributesOptions,
  UpdateOptions,
  WriteChunkOptions,
  WriteRegionOptions,
} from "./options.js";

const writing = lazy("writing", () => import("./part.js"));

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

/**
 * Writes a region. Chunks that it covers (as far as they lie in the array) are written as they are; of others what is
 * stored is read, changed and written again. Writes of this program to one chunk or shard wait for each other.
 *
 * @param selection as `get` takes it. Of an index that is listed twice the last value counts.
 * @param values which must not change until it is done.
 * @throws InvalidSelection, InvalidArgument, ReadOnly, LimitExceeded before anything is written; CorruptChunk for a
 *   chunk that is to be changed in part, EncodeFailed, Conflict, what the store throws, naming the chunk's key and with
 *   `written`: chunks that were not written are then as they were. The signal's reason.
 */
export async function set(
  array: ZarrArray,
  selection: Selection | undefined,
  values: SetValues,
  options: WriteRegionOptions = {},
): Promise<void> {
  return (await writing()).set(array, selection, values, options);
}

/**
 * Writes one whole chunk: C order, of its full shape also where it overhangs the array, as `getChunk` gives it; inside
 * a shard, too. @throws as {@link set} does.
 */
export async function setChunk(
  array: ZarrArray,
  coordinates: readonly number[],
  values: SetValues,
  options: WriteChunkOptions = {},
): Promise<void> {
  return (await writing()).setChunk(array, coordinates, values, options);
}

/**
 * Makes an array longer along an axis and writes values there. Calls in one program take turns; the array's length is
 * read again before. In stores with conditional writes other programs may append at the same time.
 * @param values with their shape, or elements for whole hyperplanes.
 * @throws Conflict if other programs change the shape every time; as `resize` and {@link set} do: nothing was appended
 *   then. Network ("unknown-outcome") if elements may have been appended; the message names missing ones.
 */
export async function append(
  array: ZarrArray,
  values: ManyValues,
  axis = 0,
  options: WriteRegionOptions = {},
): Promise<void> {
  return (await writing()).append(array, values, axis, options);
}
