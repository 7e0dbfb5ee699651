/** Creates, reads and updates consolidated metadata: one document with the metadata of all nodes below a group. */

import type { ZarrVersion } from "../codecs/definition.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import { Opener } from "../hierarchy/opener.js";
import {
  member,
  v2ArrayKey,
  v2AttributesKey,
  v2ConsolidatedKey,
  v2GroupKey,
  v3Key,
} from "../metadata/document.js";
import type { Documents } from "../metadata/model.js";
import { integerJson, jsonEntries, jsonObject, withEntries } from "../metadata/print.js";
import { v3NodeType } from "../metadata/v3.js";
import { listChildren } from "../store/listing.js";
import { joinPath } from "../store/path.js";
import type { Store } from "../store/store.js";
import { checkOptions, sharedOptions } from "../util/arguments.js";
import { Limiter, settleAll, settledValues } from "../util/async.js";
import {
  isZarrError,
  limitExceeded,
  networkError,
  notFound,
  unsupported,
  type ZarrError,
} from "../util/errors.js";
import { isJsonObject, type JsonObject } from "../util/json.js";
import { defaultLimits } from "../util/limits.js";
import { readDocument, replaceDocument } from "./documents.js";
import type { Target, UpdateOptions } from "./options.js";
import { isWithin } from "./overlap.js";
import { ancestorsOf, resolvePlace } from "./target.js";

/**
 * Updates consolidated metadata that contains nodes whose stored documents have changed: that of the groups
 * above each node, and of v2 groups themselves.
 * @param isDeleted whether the nodes were deleted, in their turn.
 */
export async function updateConsolidated(
  store: Store,
  version: ZarrVersion,
  paths: readonly string[],
  signal: AbortSignal | undefined,
  isDeleted = false,
): Promise<void> {
  if (version === 1) return;
  const own = version === 2 && !isDeleted ? paths : []; // a deleted group has no consolidated metadata
  for (const group of new Set([...paths.flatMap(ancestorsOf), ...own])) {
    const below = paths.filter((path) => isWithin(path, group));
    const change = async (object: JsonObject | undefined) => {
      if (!object || !consolidatedIn(object, version)) return undefined;
      // Read after the consolidated document, so that the last writer to replace that document has seen the
      // latest node documents.
      const read = below.map(async (path) => {
        const name = path === group ? "" : group === "" ? path : path.slice(group.length + 1);
        return [name, (await readDocuments(store, path, signal, nodeDocuments[version])).documents] as const;
      });
      return patched(object, version, new Map(await Promise.all(read)));
    };
    const key = version === 3 ? v3Key : v2ConsolidatedKey;
    await replaceDocument(store, group, key, change, { signal }).catch((error) => {
      throw isZarrError(error) ? outdated(group, error) : error;
    });
  }
}

/**
 * The error after a node was written but its consolidated metadata was not: repeating the call may be wrong.
 */
function outdated(group: string, cause: ZarrError): ZarrError {
  const message = `written, but the consolidated metadata of "/${group}" could not be updated: ${cause.message}`;
  return networkError(message, { code: "outdated-consolidated", status: cause.status, cause });
}

/** Returns the consolidated metadata in a document, and the object that holds it. */
function consolidatedIn(
  object: JsonObject,
  version: 2 | 3,
): { holder: JsonObject; metadata: JsonObject } | undefined {
  const holder = version === 3 ? member(object, "consolidated_metadata") : object;
  const metadata = isJsonObject(holder) ? member(holder, "metadata") : undefined;
  return isJsonObject(holder) && isJsonObject(metadata) ? { holder, metadata } : undefined;
}

/**
 * Returns a document with changed consolidated metadata; undefined if it has none. Nodes that are not groups, or
 * no longer exist, have no nodes below.
 */
function patched(object: JsonObject, version: 2 | 3, nodes: Found): JsonObject | undefined {
  const found = consolidatedIn(object, version);
  if (!found) return undefined;
  const { holder, metadata } = found;
  const entries = new Map(jsonEntries(metadata) as [string, JsonObject][]);
  const changed = new Map([...nodes].flatMap((node) => (version === 3 ? entriesV3(node) : entriesV2(node))));
  for (const [name, documents] of nodes)
    for (const key of [...entries.keys()])
      if (!isGroup(documents) && isWithin(key, name) && !changed.has(key)) entries.delete(key);
  for (const [key, document] of changed) entries.set(key, document);
  const consolidated = withEntries(holder, [["metadata", jsonObject(entries)]]);
  return version === 3 ? withEntries(object, [["consolidated_metadata", consolidated]]) : consolidated;
}

/**
 * Returns a document as stored inside consolidated metadata. Like zarr-python, it gives a group empty
 * consolidated metadata.
 */
function inlined(object: JsonObject): JsonObject {
  if (object["node_type"] !== "group") return object;
  return withEntries(object, [["consolidated_metadata", consolidatedV3(new Map())]]);
}

/** Builds `consolidated_metadata` from documents by path below the group. Spec: Zarr v3 core, 2026. */
function consolidatedV3(documents: ReadonlyMap<string, JsonObject>): JsonObject {
  return jsonObject([
    ["kind", "inline"],
    ["must_understand", false],
    ["metadata", jsonObject(documents)],
  ]);
}

/** Builds `.zmetadata` from documents by key below the group. */
function consolidatedV2(documents: ReadonlyMap<string, JsonObject>): JsonObject {
  return jsonObject([
    ["metadata", jsonObject(documents)],
    ["zarr_consolidated_format", integerJson(1)],
  ]);
}

/** Maximum number of documents that are read in parallel. */
const concurrency = 16;
/** Minimum size of a node in consolidated metadata, in bytes. */
const nodeBytes = 128;

export async function consolidate(
  target: Target,
  options: UpdateOptions & { path?: string | undefined },
): Promise<ZarrGroup> {
  checkOptions(options, { ...sharedOptions, path: true });
  const { path: given, signal } = options;
  const { store, path } = await resolvePlace(target, given);
  const found = await collect(store, path, signal);
  const main = found.get("");
  const isV3 = main?.has(v3Key);
  if (!main?.has(isV3 ? v3Key : v2GroupKey) || (isV3 && v3NodeType(main.get(v3Key)!) !== "group"))
    throw notFound(`cannot consolidate "/${path}": it is not a Zarr group`);
  await writeConsolidated(store, path, found, signal);
  return (await new Opener(store, {}).open(path, { kind: "group", signal })) as ZarrGroup;
}

/** Documents of nodes by path below the group; "" is the group itself. */
type Found = ReadonlyMap<string, Documents>;

/** Writes the consolidated metadata of all nodes below a group. */
export async function writeConsolidated(
  store: Store,
  path: string,
  found: Found,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!found.get("")!.has(v3Key)) {
    const consolidated = consolidatedV2(
      new Map([...found].flatMap(entriesV2).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    return replaceDocument(store, path, v2ConsolidatedKey, () => consolidated, { signal });
  }
  const consolidated = consolidatedV3(new Map([...found].flatMap(entriesV3).sort(byDepth)));
  const change = (object: JsonObject | undefined) =>
    object && withEntries(object, [["consolidated_metadata", consolidated]]);
  await replaceDocument(store, path, v3Key, change, { signal });
}

type Entry = [key: string, document: JsonObject];

function entriesV3([below, documents]: readonly [string, Documents]): Entry[] {
  const document = documents.get(v3Key);
  return below === "" || !document ? [] : [[below, inlined(document)]];
}

function entriesV2([below, documents]: readonly [string, Documents]): Entry[] {
  const isV2 = ([key]: Entry) => key !== v3Key;
  return [...documents].filter(isV2).map(([key, object]) => [below === "" ? key : `${below}/${key}`, object]);
}

/** Orders paths like zarr-python: by depth, then by name. */
function byDepth([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const depths = a.split("/").length - b.split("/").length;
  return depths !== 0 ? depths : a < b ? -1 : 1;
}

/** Reads the documents of all nodes below a path. @throws Unsupported if the store cannot list. */
async function collect(store: Store, path: string, signal: AbortSignal | undefined): Promise<Found> {
  const limiter = new Limiter(concurrency);
  const found = new Map<string, Documents>();
  // Larger metadata could not be read back. The limit also stops cycles of groups, which stores may have.
  const { metadataBytes } = defaultLimits;
  let together = 0;
  const visit = async (below: string): Promise<void> => {
    const full = joinPath(path, below);
    const { bytes, documents } = await limiter.run(() => readDocuments(store, full, signal));
    together += bytes + full.length + nodeBytes;
    if (together > metadataBytes)
      throw limitExceeded(
        `the documents below "/${path}" are larger in total than the limit of ${metadataBytes} bytes`,
      );
    if (documents.size > 0) found.set(below, documents);
    if (below !== "" && !isGroup(documents)) return;
    const names = await listChildren(store, full, signal);
    if (!names)
      throw unsupported("cannot consolidate metadata: this store does not support listing", {
        code: "no-listing",
      });
    await settleAll(names.map((name) => visit(below === "" ? name : `${below}/${name}`)));
  };
  await visit("");
  return new Map([...found].sort(byDepth));
}

const nodeDocuments = { 2: [v2ArrayKey, v2GroupKey, v2AttributesKey], 3: [v3Key] } as const;

async function readDocuments(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
  keys: readonly string[] = [...nodeDocuments[3], ...nodeDocuments[2]],
) {
  const read = await settledValues(keys.map((key) => readDocument(store, path, key, signal)));
  const documents = new Map<string, JsonObject>();
  let bytes = 0;
  read.forEach((document, i) => {
    if (!document) return;
    documents.set(keys[i]!, document.object);
    bytes += document.bytes;
  });
  return { bytes, documents };
}

function isGroup(documents: ReadonlyMap<string, JsonObject>): boolean {
  const v3 = documents.get(v3Key);
  return documents.has(v2GroupKey) || (v3 !== undefined && v3NodeType(v3) === "group");
}
