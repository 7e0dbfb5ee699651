/** Creates, reads and updates consolidated metadata. */

import type { ZarrVersion } from "../codecs/definition.js";
import { member, v2ConsolidatedKey, v3Key } from "../metadata/document.js";
import type { Documents } from "../metadata/new-array.js";
import { integerJson, jsonEntries, jsonObject, withEntries } from "../metadata/print.js";
import { type Conflicts, inTurn, retryConflicts } from "../store/concurrency.js";
import { handleOf } from "../store/handle.js";
import { joinKey, type Store } from "../store/store.js";
import { supportsConditions } from "../store/write.js";
import { isZarrError, networkError, type ZarrError } from "../util/errors.js";
import { isJsonObject, type JsonObject } from "../util/json.js";
import type { AxisResize } from "./stamps.js";
import { ancestorsOf, conditionOf, type ReadDocument, readDocument } from "./target.js";
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
    isConditional = !isForced && conditionOf(store, before).ifVersion !== undefined;
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
    const below = changes.filter(
      ({ path }) => group === "" || path === group || path.startsWith(`${group}/`),
    );
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
    if (key === name || name === "" || key.startsWith(`${name}/`)) entries.delete(key);
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
export function inlined(object: JsonObject): JsonObject {
  if (object["node_type"] !== "group") return object;
  return withEntries(object, [["consolidated_metadata", consolidatedV3(new Map())]]);
}

/** Builds `consolidated_metadata` from documents by path below the group. Spec: Zarr v3 core, 2026. */
export function consolidatedV3(documents: ReadonlyMap<string, JsonObject>): JsonObject {
  return jsonObject([
    ["kind", "inline"],
    ["must_understand", false],
    ["metadata", jsonObject(documents)],
  ]);
}

/** Builds `.zmetadata` from documents by key below the group. */
export function consolidatedV2(documents: ReadonlyMap<string, JsonObject>): JsonObject {
  return jsonObject([
    ["metadata", jsonObject(documents)],
    ["zarr_consolidated_format", integerJson(1)],
  ]);
}
