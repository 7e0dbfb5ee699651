/** Consolidated metadata: made, read as what it is, and kept true. */
import { conflict, isZarrError, withDetails } from "../../base/errors.js";
import { isJsonObject, type JsonObject } from "../../base/json.js";
import type { ZarrVersion } from "../../codecs/definition.js";
import { own } from "../../metadata/document.js";
import { v2ConsolidatedKey, v3Key } from "../../metadata/keys.js";
import type { Documents } from "../../metadata/new-array.js";
import { integerJson, jsonEntries, jsonObject, printDocument, withEntries } from "../../metadata/print.js";
import { joinKey, type Store } from "../../store/store.js";
import { inTurn } from "../../store/turns.js";
import { writeObject } from "../../store/write.js";
import { noteWrite } from "../changes.js";
import { ancestorsOf, conditionOf, type ReadDocument, readDocument } from "./place.js";

/** What has become of a node: its documents, or those that have changed; undefined where it and all below are gone. */
export interface Change {
  readonly path: string;
  readonly documents: Documents | undefined;
}

/** How often a document is read and written again where another writer was faster. */
const attempts = 10;

/**
 * Replaces a document by what `change` makes of it, whatever others write at the same time: other calls in this program
 * wait, and other programs' writes are seen where the store can tell.
 * @param change undefined for no change; of undefined where there is no document.
 * @throws Conflict where other programs are always faster.
 */
export function replaceDocument(
  store: Store,
  path: string,
  key: string,
  change: (object: JsonObject | undefined) => JsonObject | undefined | Promise<JsonObject | undefined>,
  signal: AbortSignal | undefined,
): Promise<void> {
  return inTurn(store, path, async () => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const read: ReadDocument | undefined = await readDocument(store, path, key, signal);
      const changed = await change(read?.object);
      if (changed === undefined) return;
      try {
        const options = { signal, ...conditionOf(store, read) };
        await writeObject(store, joinKey(path, key), printDocument(changed), options);
        noteWrite(store);
        return;
      } catch (error) {
        if (!isZarrError(error, "AlreadyExists", "Conflict")) throw error;
      }
    }
    const message = `${joinKey(path, key)} is written by others all the time; gave up after ${attempts} attempts`;
    throw conflict(message);
  });
}

/**
 * Keeps consolidated metadata true that names the nodes that have changed: that of the groups above each, and of v2
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
    changes.flatMap(({ path }) => [...ancestorsOf(path), ...(version === 2 ? [path] : [])]),
  );
  for (const group of groups) {
    const below = changes.filter(
      ({ path }) => group === "" || path === group || path.startsWith(`${group}/`),
    );
    const apply = (entries: Map<string, JsonObject>, separator: string) => {
      for (const { path, documents } of below) {
        const name = path === group ? "" : group === "" ? path : path.slice(group.length + 1);
        if (!documents || isReplaced) removeBelow(entries, name);
        for (const [key, object] of documents ?? []) {
          if (version === 3) entries.set(name, inlined(object));
          else entries.set(name === "" ? key : `${name}${separator}${key}`, object);
        }
      }
    };
    const key = version === 3 ? v3Key : v2ConsolidatedKey;
    const change = (object: JsonObject | undefined) => object && patched(object, version, apply);
    await replaceDocument(store, group, key, change, signal).catch((error) => {
      throw withDetails(
        error,
        {},
        `written, but the consolidated metadata of "/${group}" could not be kept true: `,
      );
    });
  }
}

/** Entries of a node, by its path or by keys below it, and of all nodes below. */
function removeBelow(entries: Map<string, JsonObject>, name: string): void {
  for (const key of [...entries.keys()]) {
    if (key === name || name === "" || key.startsWith(`${name}/`)) entries.delete(key);
  }
}

/** A document with its consolidated metadata changed; undefined where it has none, or nothing changes. */
function patched(
  object: JsonObject,
  version: 2 | 3,
  apply: (entries: Map<string, JsonObject>, separator: string) => void,
): JsonObject | undefined {
  const holder = version === 3 ? own(object, "consolidated_metadata") : object;
  const metadata = isJsonObject(holder) ? own(holder, "metadata") : undefined;
  if (!isJsonObject(holder) || !isJsonObject(metadata)) return undefined;
  const entries = new Map(jsonEntries(metadata) as [string, JsonObject][]);
  apply(entries, "/");
  const changed = withEntries(holder, [["metadata", jsonObject(entries)]]);
  return version === 3 ? withEntries(object, [["consolidated_metadata", changed]]) : changed;
}

/** A document as consolidated metadata holds it: a group's own consolidated metadata is empty, as zarr-python has it. */
export function inlined(object: JsonObject): JsonObject {
  if (object["node_type"] !== "group") return object;
  return withEntries(object, [["consolidated_metadata", consolidatedV3(new Map())]]);
}

/** `consolidated_metadata` of documents by their paths below the group. Spec: Zarr v3 core, 2026. */
export function consolidatedV3(documents: ReadonlyMap<string, JsonObject>): JsonObject {
  return jsonObject([
    ["kind", "inline"],
    ["must_understand", false],
    ["metadata", jsonObject(documents)],
  ]);
}

/** `.zmetadata` of documents by their keys below the group. */
export function consolidatedV2(documents: ReadonlyMap<string, JsonObject>): JsonObject {
  return jsonObject([
    ["metadata", jsonObject(documents)],
    ["zarr_consolidated_format", integerJson(1)],
  ]);
}
