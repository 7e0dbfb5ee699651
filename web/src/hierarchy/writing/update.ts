/** Changing metadata of nodes that are there, and deleting nodes. */
import { invalidArgument, notFound, readOnly } from "../../base/errors.js";
import type { JsonObject } from "../../base/json.js";
import type { ZarrVersion } from "../../codecs/definition.js";
import { attributesOf } from "../../metadata/document.js";
import { v1AttrsKey, v1MetaKey, v2ArrayKey, v3Key } from "../../metadata/keys.js";
import {
  type ArrayMetadata,
  asArguments,
  attributesIn,
  attributesKey,
  withAttributes,
  withShape,
} from "../../metadata/model.js";
import { attributesJson } from "../../metadata/print.js";
import type { ArraySpec, Attributes } from "../../metadata/spec.js";
import { dimensionNamesOf } from "../../metadata/v2.js";
import { joinKey, type Store } from "../../store/store.js";
import { deleteBelow, deleteObject } from "../../store/write.js";
import { checkOptions } from "../arguments.js";
import { ZarrArray } from "../array.js";
import { noteWrite } from "../changes.js";
import type { Target, UpdateAttributesOptions, UpdateOptions } from "../create.js";
import { type OpenedNode, ZarrGroup } from "../group.js";
import { replaceDocument, updateConsolidated } from "./consolidated.js";
import { chunksToDelete } from "./outside.js";
import { nodeAt, placeOf, readDocument } from "./place.js";

export async function updateAttributes(
  node: OpenedNode,
  attributes: unknown,
  options: UpdateAttributesOptions,
): Promise<void> {
  checkOptions(options);
  const { mode = "merge", signal } = options;
  const { store, path, zarrFormat } = checkNode(node);
  if (mode !== "merge" && mode !== "replace")
    throw invalidArgument(`mode must be "merge" or "replace", not "${mode}"`);
  attributesJson(attributes); // refused before anything is read
  const key = attributesKey[zarrFormat];
  let written: JsonObject = {};
  const change = async (object: JsonObject | undefined) => {
    if (zarrFormat === 3 && !object) throw gone(path);
    written = withAttributes(object, zarrFormat, attributes, mode);
    return written;
  };
  if (zarrFormat < 3 && !(await nodeAt(store, path, signal))) throw gone(path);
  await replaceDocument(store, path, key, change, signal);
  const plain = attributesOf(attributesIn(written, zarrFormat), "attributes");
  if (node instanceof ZarrGroup) node.adopt(plain);
  else node.adopt(specWith(node, plain));
  await updateConsolidated(store, zarrFormat, [{ path, documents: new Map([[key, written]]) }], { signal });
}

/** An array with other attributes, which in v2 name its dimensions, too. */
function specWith({ spec, zarrFormat }: ZarrArray, attributes: Attributes): ArraySpec {
  if (zarrFormat !== 2) return { ...spec, attributes };
  return { ...spec, attributes, dimensionNames: dimensionNamesOf(attributes, spec.shape.length) };
}

export async function resize(
  array: ZarrArray,
  shape: readonly number[],
  options: UpdateOptions,
): Promise<void> {
  checkOptions(options);
  const { signal } = options;
  if (!(array instanceof ZarrArray)) throw invalidArgument("resize needs an array");
  const { store, path, zarrFormat, limits } = array;
  const wanted = checkShape(shape, array.shape.length);
  const key = mainKeys[zarrFormat];
  const before = await documentsOf(array, signal);
  const parsing = { limits, v1Order: "spec" } as const;
  const metadata: ArrayMetadata = { kind: "array", zarrFormat, documents: before, spec: array.spec };
  const toError = (error: Error) =>
    invalidArgument(`the array cannot have this shape: ${error.message}`, { cause: error });
  const resized = await asArguments(() => withShape(metadata, wanted, parsing), toError);
  const outside = await chunksToDelete(array, wanted);
  let written: JsonObject = {};
  const change = async (object: JsonObject | undefined) => {
    if (!object) throw gone(path);
    const documents = new Map([...before, [key, object] as const]);
    written = (await withShape({ ...metadata, documents }, wanted, parsing)).documents.get(key)!;
    return written;
  };
  await replaceDocument(store, path, key, change, signal);
  // Codecs stay as they were opened (v1Order, checksums): only the lengths along the axes are new.
  const { axes } = resized.spec;
  array.adopt({ ...array.spec, shape: wanted, axes });
  await updateConsolidated(store, zarrFormat, [{ path, documents: new Map([[key, written]]) }], { signal });
  await deleteAll(store, outside, signal);
}

/** Chunks that are deleted at a time. */
const deletions = 16;

async function deleteAll(
  store: Store,
  keys: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for await (const key of keys) {
    const deletion = deleteObject(store, key, { signal })
      .catch((error) => {
        failure ??= { error };
      })
      .then(() => {
        pending.delete(deletion);
      });
    pending.add(deletion);
    if (pending.size >= deletions) await Promise.race(pending);
    if (failure) break;
  }
  await Promise.all(pending);
  if (failure) throw failure.error;
}

/** Keys of the documents with the shape. */
export const mainKeys: Readonly<Record<ZarrVersion, string>> = { 1: v1MetaKey, 2: v2ArrayKey, 3: v3Key };

async function documentsOf({ store, path, zarrFormat, limits }: ZarrArray, signal: AbortSignal | undefined) {
  const keys = new Set([mainKeys[zarrFormat], ...(zarrFormat === 1 ? [v1AttrsKey] : [])]);
  const documents = new Map<string, JsonObject>();
  for (const key of keys) {
    const read = await readDocument(store, path, key, signal, limits);
    if (read) documents.set(key, read.object);
  }
  if (!documents.has(mainKeys[zarrFormat])) throw gone(path);
  return documents;
}

function checkShape(shape: unknown, rank: number): number[] {
  const valid = (length: unknown) => Number.isSafeInteger(length) && (length as number) >= 0;
  if (!Array.isArray(shape) || shape.length !== rank || !Array.from(shape).every(valid)) {
    throw invalidArgument(`shape must be a list of ${rank} non-negative integers`, { code: "bad-shape" });
  }
  return [...shape];
}

function checkNode<T extends OpenedNode>(node: T): T {
  if (!(node instanceof ZarrArray || node instanceof ZarrGroup))
    throw invalidArgument("a node is an array or a group that was opened or created");
  return node;
}

const gone = (path: string) => notFound(`there is no node at "/${path}" any more`);

export async function deleteNode(target: Target, given: string, options: UpdateOptions): Promise<void> {
  checkOptions(options);
  const { signal } = options;
  const { store, path } = await placeOf(target, given);
  const node = await nodeAt(store, path, signal);
  if (!node) throw notFound(`there is no Zarr array or group at "/${path}" to delete`);
  const canList = store.deletePrefix || store.list || store instanceof Map;
  if (!canList) {
    throw readOnly("the store cannot delete nodes: it has neither deletePrefix nor list", {
      code: "read-only",
    });
  }
  // First what makes it a node: half a node would read as one with fill values in it.
  await deleteObject(store, joinKey(path, node.key), { signal });
  noteWrite(store);
  await deleteBelow(store, path, { signal });
  await updateConsolidated(store, node.version, [{ path, documents: undefined }], { signal });
}
