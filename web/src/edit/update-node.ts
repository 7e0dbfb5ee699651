/** Writes nodes in place of others, attributes, and deletions. */

import type { ZarrVersion } from "../codecs/definition.js";
import { ZarrArray } from "../hierarchy/array.js";
import { type OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import { type Attributes, plainAttributes, v1MetaKey } from "../metadata/document.js";
import { attributesIn, attributesKey, nodeKeys, printMetadata, withAttributes } from "../metadata/model.js";
import type { Documents } from "../metadata/new-array.js";
import type { ArraySpec } from "../metadata/spec.js";
import { xarrayDimensionNames } from "../metadata/v2.js";
import { inTurn } from "../store/concurrency.js";
import { handleOf } from "../store/handle.js";
import { canList } from "../store/listing.js";
import { joinKey, type Store } from "../store/store.js";
import { deleteObject, readObject, requireWritable, writeObject } from "../store/write.js";
import { checkOptions, sharedOptions } from "../util/arguments.js";
import { invalidArgument, isZarrError, notFound } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { resolveLimits } from "../util/limits.js";
import { documentAt, isV1 } from "./belongings.js";
import { replaceDocument, updateConsolidated } from "./consolidated-metadata.js";
import type { Target, UpdateAttributesOptions, UpdateOptions } from "./options.js";
import { removeNode } from "./remove-node.js";
import { deleteCells } from "./resize.js";
import { cellsStored } from "./resize-chunks.js";
import { noteDeleted } from "./stored-array.js";
import { checkNames, metadataAt, nodeAt, resolvePlace } from "./target.js";

export async function updateAttributes(
  node: OpenedNode,
  attributes: unknown,
  options: UpdateAttributesOptions,
): Promise<void> {
  checkOptions(options, { ...sharedOptions, mode: true });
  const { mode = "merge" } = options;
  if (mode !== "merge" && mode !== "replace")
    throw invalidArgument(`mode must be "merge" or "replace", not "${mode}"`);
  await changeAttributes(checkNode(node), () => attributes, options);
}

/**
 * Changes attributes that depend on the stored ones.
 * @param attributesOf called with the stored attributes, again if another program has changed them since; returns
 *   undefined for no change.
 */
export async function changeAttributes(
  node: OpenedNode,
  attributesOf: (now: Attributes) => unknown,
  { mode = "merge", signal }: UpdateAttributesOptions,
): Promise<void> {
  const { store, path, zarrFormat } = node;
  const key = attributesKey[zarrFormat];
  let written: JsonObject | undefined;
  const change = async (object: JsonObject | undefined) => {
    if (zarrFormat === 3 && !object) throw gone(path);
    const attributes = attributesOf(plainAttributes(attributesIn(object, zarrFormat), "attributes"));
    written = attributes === undefined ? undefined : withAttributes(object, zarrFormat, attributes, mode);
    return written;
  };
  if (zarrFormat < 3 && !(await nodeAt(store, path, signal))) throw gone(path);
  await replaceDocument(store, path, key, change, { signal });
  if (!written) return;
  const plain = plainAttributes(attributesIn(written, zarrFormat), "attributes");
  if (node instanceof ZarrGroup) node.adopt(plain);
  else node.adopt(specWith(node, plain));
  await updateConsolidated(
    store,
    zarrFormat,
    [{ path, documents: new Map([[key, written]]), isShared: true }],
    { signal },
  );
}

/** Returns an array's spec with new attributes, which in v2 also name its dimensions. */
function specWith({ spec, zarrFormat }: ZarrArray, attributes: Attributes): ArraySpec {
  if (zarrFormat !== 2) return { ...spec, attributes };
  return { ...spec, attributes, dimensionNames: xarrayDimensionNames(attributes, spec.shape.length) };
}

function checkNode<T extends OpenedNode>(node: T): T {
  if (!(node instanceof ZarrArray || node instanceof ZarrGroup))
    throw invalidArgument("expected an array or a group returned by open(), create() or createGroup()");
  return node;
}

const gone = (path: string) => notFound(`the node at "/${path}" no longer exists`);

export async function deleteNode(
  target: Target,
  given: string | undefined,
  options: UpdateOptions,
): Promise<void> {
  checkOptions(options);
  const { signal } = options;
  const { store, path } = await resolvePlace(target, given);
  if (path === "" && given === undefined)
    throw invalidArgument(
      'without a path this would delete all that the store holds: deleteNode(target, "/") does that',
      { code: "bad-path" },
    );
  const isDeleted = await inTurn(store, path, signal, () => removeNode(store, path, { signal })).catch(
    (error: unknown) => {
      if (isZarrError(error, "NotAllowed") && error.code === "not-zarr") return false;
      throw error;
    },
  );
  if (!isDeleted) throw notFound(`cannot delete "/${path}": no Zarr array or group exists there`);
}

interface ReplaceOptions {
  readonly isArray: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the documents of a Zarr v3 node. An existing array is deleted with its chunks, as far as the store
 * can list and delete: they would be read as chunks of the new one. Members of an existing group are kept.
 * Documents of older versions are deleted, because some readers look at them first.
 * @throws ReadOnly for a store that cannot write, or cannot delete a node of an older version; errors of the
 *   store.
 */
export async function replaceNode(
  store: Store,
  path: string,
  documents: Documents,
  { isArray, signal }: ReplaceOptions,
): Promise<void> {
  signal?.throwIfAborted();
  requireWritable(store);
  checkNames(path);
  await inTurn(store, path, signal, async () => {
    try {
      await clear(store, path, signal);
      for (const [key, bytes] of printMetadata({ documents }))
        await writeObject(store, joinKey(path, key), bytes, { signal });
    } finally {
      handleOf(store).metadataWrites++;
      noteDeleted(store, path);
    }
  });
  await updateConsolidated(store, 3, [{ path, documents }], { signal, isReplaced: isArray });
}

/** Removes objects that would be read as part of the new node, main documents first. */
async function clear(store: Store, path: string, signal: AbortSignal | undefined): Promise<void> {
  const array = await arrayAt(store, path, signal);
  const hasChunks = array !== undefined && canList(store) && typeof store.delete === "function";
  for (const [key, version] of await documentsAt(store, path, signal))
    if (version < 3 || hasChunks) await deleteObject(store, joinKey(path, key), { signal });
  if (hasChunks) await deleteCells(array, cellsStored(array, signal), signal);
}

/** Returns the documents at a path with their versions, main documents before attributes. */
async function documentsAt(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<(readonly [key: string, version: ZarrVersion])[]> {
  const present = async (keys: typeof nodeKeys) => {
    const found = await Promise.all(keys.map(([key]) => isPresent(store, path, key, signal)));
    return keys.filter((_, i) => found[i]);
  };
  const nodes = await present(nodeKeys);
  const versions = [...new Set(nodes.map(([, version]) => version))].filter((version) => version < 3);
  return [...nodes, ...(await present(versions.map((version) => [attributesKey[version], version])))];
}

/** Whether a document is stored. A file named "meta" that is not of Zarr v1 is not a document. */
async function isPresent(
  store: Store,
  path: string,
  key: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (key === v1MetaKey) return isV1(await documentAt(store, path, key, signal));
  return (await readObject(store, joinKey(path, key), { signal })) !== undefined;
}

/** Returns the array at a path; undefined if there is none that can be read. */
async function arrayAt(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ZarrArray | undefined> {
  const limits = resolveLimits(undefined);
  try {
    const metadata = await metadataAt(store, path, { limits, signal });
    return metadata?.kind === "array" ? new ZarrArray(store, path, metadata.spec, limits) : undefined;
  } catch (error) {
    if (isZarrError(error, "InvalidMetadata", "UnknownCodec", "Unsupported", "LimitExceeded"))
      return undefined;
    throw error;
  }
}
