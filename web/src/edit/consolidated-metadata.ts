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
import type { Documents } from "../metadata/new-array.js";
import { integerJson, jsonEntries, jsonObject, withEntries } from "../metadata/print.js";
import { v3NodeType } from "../metadata/v3.js";
import { type Conflicts, inTurn, retryConflicts } from "../store/concurrency.js";
import { handleOf } from "../store/handle.js";
import { listChildren } from "../store/listing.js";
import { joinPath } from "../store/path.js";
import { joinKey, type Store } from "../store/store.js";
import { supportsConditions } from "../store/write.js";
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
import type { Target, UpdateOptions } from "./options.js";
import { isWithin } from "./overlap.js";
import type { AxisResize } from "./stamps.js";
import { ancestorsOf, type ReadDocument, readDocument, resolvePlace, writeCondition } from "./target.js";
import { writeDocument } from "./write-document.js";

/**
 * A change of a node: all its documents, or the changed ones; undefined if the node and everything below it
 * were deleted.
 */
export interface Change {
  readonly path: string;
  readonly documents: Documents | undefined;
  /** Whether other programs may have written the documents since. Their version then takes precedence. */
  readonly isShared?: boolean | undefined;
}

export interface ReplaceOptions {
  readonly signal: AbortSignal | undefined;
  /** How to handle a document that another program has written since it was read. Default: "retry". */
  readonly conflicts?: Conflicts | undefined;
  /** Maximum number of attempts to read and write the document. Default: 10. */
  readonly attempts?: number | undefined;
  /** Axes whose lengths `resize` changes; called after `change`. */
  readonly resizes?: (() => readonly AxisResize[]) | undefined;
}

/**
 * Replaces a document by the result of `change`. Calls for the same document within this process take turns;
 * writes of other programs are detected if the store supports conditional writes.
 * @param change gets undefined if there is no document; returns undefined for no change.
 * @throws Conflict if other programs have changed the document at every attempt, or at the first one if
 *   conflicts are errors; Network ("unknown-outcome").
 */
export function replaceDocument(
  store: Store,
  path: string,
  key: string,
  change: (
    object: JsonObject | undefined,
    read: ReadDocument | undefined,
  ) => JsonObject | undefined | Promise<JsonObject | undefined>,
  { signal, conflicts = "retry", attempts, resizes }: ReplaceOptions,
): Promise<void> {
  // A refusal of an unconditional write is final: archives never replace an entry.
  let isConditional = true;
  const mode = () => (isConditional ? conflicts : "error");
  const isForced = conflicts === "ignore";
  const replace = async () => {
    isConditional = true;
    const before = await readDocument(store, path, key, signal);
    const changed = await change(before?.object, before);
    if (changed === undefined) return;
    isConditional = !isForced && writeCondition(store, before).ifVersion !== undefined;
    const write = { signal, before, isForced, resizes: resizes?.() ?? [] };
    await writeDocument(store, path, key, changed, write).finally(() => handleOf(store).metadataWrites++);
  };
  return inTurn(store, path, signal, () =>
    retryConflicts(joinKey(path, key), mode, signal, replace, attempts),
  );
}

/**
 * Updates consolidated metadata that contains changed nodes: that of the groups above each node, and of v2
 * groups themselves.
 */
export async function updateConsolidated(
  store: Store,
  version: ZarrVersion,
  changes: readonly Change[],
  { signal, isReplaced = false }: { signal?: AbortSignal | undefined; isReplaced?: boolean | undefined } = {},
): Promise<void> {
  if (version === 1) return;
  const groups = new Set(
    changes.flatMap(({ path, documents }) => [
      ...ancestorsOf(path),
      ...(version === 2 && documents ? [path] : []), // a deleted group has no consolidated metadata
    ]),
  );
  for (const group of groups) {
    const below = changes.filter(({ path }) => isWithin(path, group));
    const apply = (now: readonly Change[], entries: Map<string, JsonObject>, separator: string) => {
      for (const { path, documents } of now) {
        const name = path === group ? "" : group === "" ? path : path.slice(group.length + 1);
        if (!documents || isReplaced) removeBelow(entries, name);
        for (const [key, object] of documents ?? []) {
          if (version === 3) entries.set(name, inlined(object));
          else entries.set(name === "" ? key : `${name}${separator}${key}`, object);
        }
      }
    };
    const key = version === 3 ? v3Key : v2ConsolidatedKey;
    const change = async (object: JsonObject | undefined) => {
      if (!object || !consolidatedIn(object, version)) return undefined;
      // Read after the consolidated document, so that the last writer to replace that document has seen the
      // latest node documents.
      const now = await Promise.all(below.map((given) => latest(store, given, signal)));
      return patched(object, version, (entries, separator) => apply(now, entries, separator));
    };
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

/** Returns a change with the stored documents if other programs may have written them, too. */
async function latest(store: Store, change: Change, signal: AbortSignal | undefined): Promise<Change> {
  const { path, documents, isShared } = change;
  if (!isShared || !documents || !supportsConditions(store)) return change;
  const keys = [...documents.keys()];
  const read = await Promise.all(keys.map((key) => readDocument(store, path, key, signal)));
  const found = keys.flatMap((key, i) => (read[i] ? [[key, read[i].object] as const] : []));
  return { ...change, documents: new Map(found) };
}

/** Removes the entries of a node, by its path or by keys below it, and of all nodes below. */
function removeBelow(entries: Map<string, JsonObject>, name: string): void {
  for (const key of [...entries.keys()]) {
    if (isWithin(key, name)) entries.delete(key);
  }
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

/** Returns a document with changed consolidated metadata; undefined if it has none, or nothing changes. */
function patched(
  object: JsonObject,
  version: 2 | 3,
  apply: (entries: Map<string, JsonObject>, separator: string) => void,
): JsonObject | undefined {
  const found = consolidatedIn(object, version);
  if (!found) return undefined;
  const { holder, metadata } = found;
  const entries = new Map(jsonEntries(metadata) as [string, JsonObject][]);
  apply(entries, "/");
  const changed = withEntries(holder, [["metadata", jsonObject(entries)]]);
  return version === 3 ? withEntries(object, [["consolidated_metadata", changed]]) : changed;
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
    const consolidated = consolidatedV2(new Map(entriesV2(found)));
    return replaceDocument(store, path, v2ConsolidatedKey, () => consolidated, { signal });
  }
  const consolidated = consolidatedV3(new Map(entriesV3(found)));
  const change = (object: JsonObject | undefined) =>
    object && withEntries(object, [["consolidated_metadata", consolidated]]);
  await replaceDocument(store, path, v3Key, change, { signal });
}

type Entry = [key: string, document: JsonObject];

function entriesV3(found: Found): Entry[] {
  const entries = [...found].flatMap(([below, documents]): Entry[] => {
    const document = documents.get(v3Key);
    return below === "" || !document ? [] : [[below, inlined(document)]];
  });
  return entries.sort(byDepth);
}

function entriesV2(found: Found): Entry[] {
  const entries = [...found].flatMap(([below, documents]) =>
    [...documents]
      .filter(([key]) => key !== v3Key)
      .map(([key, object]): Entry => [below === "" ? key : `${below}/${key}`, object]),
  );
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
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
    const { bytes, documents } = await limiter.run(() => documentsAt(store, full, signal));
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

async function documentsAt(store: Store, path: string, signal: AbortSignal | undefined) {
  const keys = [v3Key, v2ArrayKey, v2GroupKey, v2AttributesKey];
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
