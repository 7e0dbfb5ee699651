/** Creates arrays and groups. */

import type { ZarrVersion } from "../codecs/definition.js";
import { ZarrArray } from "../hierarchy/array.js";
import { ZarrGroup } from "../hierarchy/group.js";
import { Opener } from "../hierarchy/opener.js";
import { plainAttributes, v2GroupKey, v3Key } from "../metadata/document.js";
import { type ArrayMetadata, attributesIn, attributesKey, type Documents } from "../metadata/model.js";
import { groupDocuments } from "../metadata/new-array.js";
import { attributesJson } from "../metadata/print.js";
import type { ArraySpec } from "../metadata/spec.js";
import { withoutStatistics } from "../metadata/statistics.js";
import { inTurn, retryConflicts } from "../store/concurrency.js";
import { handleOf } from "../store/handle.js";
import { joinKey, type Store } from "../store/store.js";
import { deleteObject, readObject } from "../store/write.js";
import { checkOptions, type OptionNames } from "../util/arguments.js";
import {
  alreadyExists,
  describeValue,
  invalidArgument,
  isZarrError,
  notFound,
  withDetails,
} from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { type Limits, resolveLimits } from "../util/limits.js";
import { arrayLike, arrayMetadata } from "./array-options.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import { mayBeApplied, newOrigin, readDocument, writeDocument } from "./documents.js";
import {
  arrayOptions,
  type CreateGroupOptions,
  type CreateLikeOptions,
  type CreateOptions,
  groupOptions,
  type NodeCreateOptions,
  type Target,
} from "./options.js";
import type { NodePlace } from "./overlap.js";
import { removeNode } from "./remove-node.js";
import { noteCreated } from "./stored-array.js";
import {
  ancestorsOf,
  checkEmpty,
  checkNames,
  checkSeen,
  isArrayDocument,
  metadataAt,
  nodeAt,
  type Place,
  resolvePlace,
} from "./target.js";

export async function createArray(
  target: Target,
  options: CreateOptions | CreateLikeOptions,
): Promise<ZarrArray> {
  const place = await resolvePlace(target, checkedOptions(options, arrayOptions).path);
  const limits = resolveLimits(options.limits);
  const version = requestedVersion(options, place);
  checkNames(place.path);
  const metadata = isLike(options)
    ? await metadataLike(options, version, limits)
    : await arrayMetadata(options, version ?? 3, limits);
  const { overwrite = false } = options;
  // Programs that overwrite each other's arrays tell these apart by their stamps.
  const origin = overwrite && place.store.conditional === true ? newOrigin() : undefined;
  try {
    const sources = isLike(options) && !isSameNode(options.like, place) ? [options.like] : [];
    const array = metadata.spec;
    await writeNode(place, metadata.zarrFormat, metadata.documents, { ...options, array, sources, origin });
  } catch (error) {
    const isGroupItself = target instanceof ZarrGroup && place.path === target.path;
    throw isGroupItself && isZarrError(error, "AlreadyExists")
      ? withDetails(error, {}, "without a path, the array would take the group's place: ")
      : error;
  }
  const array = new ZarrArray(place.store, place.path, metadata.spec, limits);
  noteCreated(array, origin);
  return array;
}

const isLike = (options: CreateOptions | CreateLikeOptions): options is CreateLikeOptions =>
  (options as CreateLikeOptions).like !== undefined;

async function metadataLike(
  { like, dtype, signal, ...changes }: CreateLikeOptions,
  version: ZarrVersion | undefined,
  limits: Limits,
): Promise<ArrayMetadata> {
  if (!(like instanceof ZarrArray))
    throw invalidArgument("like must be an array returned by open() or create()");
  if (dtype !== undefined) throw invalidArgument("like determines the data type; omit dtype");
  const metadata = await metadataAt(like.store, like.path, { limits: like.limits, signal });
  if (metadata?.kind !== "array") throw notFound(`the array at "/${like.path}" no longer exists`);
  // As opened: order "F" in v1 has two interpretations, and the handle has chosen one.
  const source: ArrayMetadata = { ...metadata, spec: like.spec };
  const { shape, chunkShape, shardShape, fillValue, codecs } = changes;
  const { dimensionNames, order, chunkKeyEncoding } = changes;
  const attributes = changes.attributes ?? withoutStatistics(like.attributes); // of elements that are not copied
  const wanted = { shape, chunkShape, shardShape, fillValue, codecs, dimensionNames, attributes, order };
  return arrayLike(source, version ?? like.zarrFormat, { ...wanted, chunkKeyEncoding }, limits);
}

/** Whether an array is the node to overwrite, under the same name. Deleting its elements is then intended. */
function isSameNode(array: ZarrArray, { store, path }: Place): boolean {
  const location = (of: Store) => (of === store ? `/${path}` : of.locate?.(`/${path}`));
  return (
    array.path === path && location(array.store) !== undefined && location(array.store) === location(store)
  );
}

/** @param sources nodes that are read later; deleting any of their data is refused. */
export async function createGroup(
  target: Target,
  options: CreateGroupOptions,
  sources?: readonly NodePlace[],
): Promise<ZarrGroup> {
  const place = await resolvePlace(target, checkedOptions(options, groupOptions).path);
  const { like } = options;
  const version = requestedVersion(options, place) ?? like?.zarrFormat ?? 3;
  const attributes =
    like && options.attributes === undefined
      ? await attributesLike(like, options.signal)
      : attributesJson(options.attributes);
  const documents = groupDocuments(attributes, version);
  checkNames(place.path);
  await writeNode(place, version, documents, { ...options, array: undefined, sources });
  const { store, path } = place;
  const frozen = plainAttributes(attributes, "attributes");
  return new ZarrGroup(store, path, version, frozen, new Opener(store, {}));
}

/** Returns a group's attributes, exactly as stored. */
async function attributesLike(like: ZarrGroup, signal: AbortSignal | undefined): Promise<JsonObject> {
  if (!(like instanceof ZarrGroup))
    throw invalidArgument("like must be a group returned by open() or createGroup()");
  const limits = resolveLimits(undefined);
  const metadata = await metadataAt(like.store, like.path, { limits, signal });
  if (metadata?.kind !== "group") throw notFound(`the group at "/${like.path}" no longer exists`);
  const { documents, zarrFormat } = metadata;
  return attributesIn(documents.get(attributesKey[zarrFormat]), zarrFormat);
}

function checkedOptions<T extends NodeCreateOptions>(options: T, known: OptionNames<T>): T {
  checkOptions(options, known);
  if (options.overwrite !== undefined && typeof options.overwrite !== "boolean")
    throw invalidArgument("overwrite must be a boolean");
  return options;
}

/** Returns the requested version, or the version of the parent group. */
function requestedVersion({ zarrFormat }: NodeCreateOptions, place: Place): ZarrVersion | undefined {
  const version = zarrFormat ?? place.version;
  if (version !== undefined && ![1, 2, 3].includes(version))
    throw invalidArgument(
      `zarrFormat must be the number 1, 2 or 3, not ${typeof version === "string" ? `"${version}"` : describeValue(version)}`,
    );
  return version;
}

interface WriteOptions extends NodeCreateOptions {
  /** Nodes that are read later; deleting any of their data is refused. */
  readonly sources?: readonly NodePlace[] | undefined;
  /** The new node's metadata if it is an array. */
  readonly array: ArraySpec | undefined;
  /** Stamp of its main document. */
  readonly origin?: string | undefined;
}

/**
 * Writes a node: first the missing groups above it, then its documents, ending with the one that makes it a
 * node. If that fails, the documents of the node are removed again; new groups above it stay.
 */
export async function writeNode(
  { store, path }: Place,
  version: ZarrVersion,
  documents: Documents,
  { signal, overwrite = false, array, sources, origin }: WriteOptions,
): Promise<void> {
  signal?.throwIfAborted();
  checkSeen(path);
  const made: string[] = [];
  await inTurn(store, path, signal, async () => {
    const missing = await missingGroups(store, path, version, signal);
    if (!overwrite) await checkAbsent(store, path, version, array, signal);
    // If another program creates the node while this one deletes it, the deletion may take its first chunks: that
    // node is overwritten, too.
    await retryConflicts(`/${path}`, overwrite ? "retry" : "error", signal, async () => {
      if (overwrite) await removeNode(store, path, { signal, sources });
      for (const group of missing) {
        if (await writeGroup(store, group, version, signal)) made.push(group);
      }
      await writeDocuments(store, path, documents, { signal, origin });
    });
    handleOf(store).metadataWrites++;
  });
  await updateConsolidated(store, version, [...made, path], signal);
}

/** Returns the missing groups above a node, starting at the root. Zarr v1 has none. */
async function missingGroups(
  store: Store,
  path: string,
  version: ZarrVersion,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (version === 1) return [];
  const key = version === 3 ? v3Key : v2GroupKey;
  const ancestors = ancestorsOf(path);
  const found = await Promise.all(
    ancestors.map(async (group) => {
      const node = await nodeAt(store, group, signal);
      if (!node) return undefined;
      const object = node.version === 1 ? {} : (await readDocument(store, group, node.key, signal))?.object;
      if (node.version === 1 || isArrayDocument(node.key, object ?? {})) {
        throw alreadyExists(`"/${group}" is an array, which cannot contain other nodes`, {
          code: "parent-is-array",
        });
      }
      if (node.key === key) return node;
      const message = `the group at "/${group}" is Zarr v${node.version} and cannot contain nodes of Zarr v${version}`;
      throw invalidArgument(message);
    }),
  );
  return ancestors.filter((_, i) => found[i] === undefined);
}

async function checkAbsent(
  store: Store,
  path: string,
  version: ZarrVersion,
  array: ArraySpec | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const node = await nodeAt(store, path, signal);
  if (node) {
    throw alreadyExists(
      `a Zarr v${node.version} node already exists at "/${path}"; pass overwrite to replace it`,
      { code: "node-exists" },
    );
  }
  const key = attributesKey[version];
  if (version < 3 && (await readObject(store, joinKey(path, key), { signal })) !== undefined) {
    throw alreadyExists(`attributes already exist at ${joinKey(path, key)}`);
  }
  if (array) await checkEmpty(store, path, array, signal);
}

/**
 * Writes a missing group; one created by another writer in the meantime serves as well.
 * @returns whether it was written.
 */
function writeGroup(
  store: Store,
  path: string,
  version: ZarrVersion,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return inTurn(store, path, signal, async () => {
    if (await nodeAt(store, path, signal)) return false;
    try {
      await writeDocuments(store, path, groupDocuments({}, version), { signal });
      return true;
    } catch (error) {
      if (isZarrError(error, "AlreadyExists")) return false;
      throw error;
    }
  });
}

async function writeDocuments(
  store: Store,
  path: string,
  documents: Documents,
  { signal, origin }: Pick<WriteOptions, "signal" | "origin">,
): Promise<void> {
  const written: string[] = [];
  const main = [...documents.keys()].at(-1);
  try {
    for (const [key, object] of documents) {
      const stamp = key === main ? origin : undefined;
      await writeDocument(store, path, key, object, { signal, before: undefined, origin: stamp });
      written.push(joinKey(path, key));
    }
  } catch (error) {
    // The main document may still be stored, and the other documents then belong to it.
    if (mayBeApplied(store, error, signal)) throw error;
    for (const key of written) await deleteObject(store, key).catch(() => {});
    if (!isZarrError(error, "AlreadyExists", "Conflict")) throw error;
    throw alreadyExists(`another writer has created a node at "/${path}"`, {
      code: "node-exists",
      cause: error,
    });
  }
}
