/** Deletes a Zarr node with everything below it, and nothing that belongs to no node. */
import { readOnly, ZarrError } from "../../base/errors.js";
import type { ZarrVersion } from "../../codecs/definition.js";
import { everythingBelow, everythingStore, type StoredEntry } from "../../store/everything.js";
import { writerLockName } from "../../store/hidden.js";
import { canList } from "../../store/listing.js";
import { type NodePlace, overlap } from "../../store/overlap.js";
import { joinKey, type Store } from "../../store/store.js";
import { deleteEach, deleteObject, requireWritable, writeObject } from "../../store/write.js";
import { noteWrite } from "../changes.js";
import { Belongings, isUnfinished, recordName, versionsAt } from "./belongings.js";
import { updateConsolidated } from "./consolidated.js";

/** Entries that are remembered between the passes over what is stored; longer listings are requested again. */
const maxKept = 100_000;
/** Entries that are named in messages, and counted at most. */
const maxNamed = 3;
const maxCounted = 1000;
/** Passes over a folder that is listed while it is emptied, which some file systems do not list to the end. */
const maxPasses = 5;

export interface RemoveOptions {
  readonly signal?: AbortSignal | undefined;
  /** Nodes that are read during or after the deletion: nothing of them is deleted. */
  readonly sources?: readonly NodePlace[] | undefined;
}

/**
 * Deletes the node at a path with everything below it. Everything is listed and checked before anything is deleted.
 * Documents go first, so that an interrupted deletion leaves no array with missing chunks, and a record of the arrays
 * stays until the end, so that it can be resumed by another one.
 * @returns false if nothing is stored there besides unfinished files.
 * @throws NotAllowed ("not-zarr", "foreign-files", "is-source", "protected-folder") before anything is deleted;
 *   ReadOnly ("no-delete") for a store that cannot delete or list; what the store throws: then some of the chunks may
 *   be left, of which no node can be read.
 */
export async function removeNode(store: Store, path: string, options: RemoveOptions = {}): Promise<boolean> {
  const { signal, sources = [] } = options;
  requireDeletable(store);
  const versions = await versionsAt(store, path, signal);
  const listing = new Listing(store, path, signal);
  if (!versions) {
    await refuseUnlessEmpty(listing);
    return false;
  }
  const belongings = new Belongings(store, path, signal);
  const hasChunks = await check(listing, belongings);
  for (const source of sources) await refuseSource({ store, path }, source, signal);
  const isRecorded = hasChunks && (await writeRecord(store, path, belongings.record, signal));
  await deleteEach(store, path, belongings.documents, { signal });
  noteWrite(store);
  await forget(store, path, versions, signal);
  await deleteRest(listing, belongings, isRecorded);
  return true;
}

/** Checks what an archive holds that is to be replaced. @throws NotAllowed ("not-zarr", "foreign-files"). */
export async function requireZarr(store: Store): Promise<void> {
  const listing = new Listing(store, "", undefined);
  const belongings = new Belongings(store, "", undefined);
  await check(listing, belongings);
  if (belongings.documents.length === 0) await refuseUnlessEmpty(listing);
}

/** @throws ReadOnly. */
function requireDeletable(store: Store): void {
  requireWritable(store, "delete");
  if (canList(store)) return;
  const place = store.locate?.("/") ?? "the store";
  throw readOnly(
    `nodes in ${place} cannot be deleted: the store has no list(), which tells what would be deleted`,
    {
      code: "no-delete",
    },
  );
}

/** Everything below a path, in several passes. */
class Listing implements AsyncIterable<readonly StoredEntry[]> {
  #kept: StoredEntry[] | undefined;

  constructor(
    readonly store: Store,
    readonly path: string,
    readonly signal: AbortSignal | undefined,
  ) {}

  /** Whether all passes see the same entries. */
  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  /** Lists in batches. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly StoredEntry[]> {
    if (this.#kept) return yield this.#kept;
    let kept: StoredEntry[] | undefined = [];
    for await (const entries of everythingBelow(this.store, this.path, this.signal)) {
      if (kept) for (const entry of entries) kept.push(entry);
      if (kept && kept.length > maxKept) kept = undefined;
      yield entries;
    }
    this.#kept = kept;
  }

  /** An entry as messages name it. */
  nameOf({ key }: StoredEntry): string {
    return JSON.stringify(key.slice(joinKey(this.path, "").length) || key.slice(1));
  }

  get name(): string {
    return this.store.locate?.(`/${this.path}`) ?? `"/${this.path}"`;
  }
}

/** Unfinished files and the objects that stand for folders are nobody's data. */
const isNothing = ({ key }: StoredEntry): boolean => key.endsWith("/") || isUnfinished(key);

async function refuseUnlessEmpty(listing: Listing): Promise<void> {
  const found = await foundIn(listing, (entry) => !isNothing(entry));
  if (!found) return;
  throw notAllowed(
    "not-zarr",
    `${listing.name} is not a Zarr node and holds ${found}; nothing was deleted. Choose another place, or delete it by other means`,
  );
}

/**
 * Finds out what belongs to nodes.
 * @returns whether there is more than documents.
 * @throws NotAllowed ("foreign-files").
 */
async function check(listing: Listing, belongings: Belongings): Promise<boolean> {
  for await (const entries of listing) for (const entry of entries) belongings.note(entry);
  await belongings.read();
  let hasChunks = false;
  const prefix = joinKey(listing.path, "");
  const found = await foundIn(listing, (entry) => {
    hasChunks ||= entry.key.startsWith(prefix) && !isNothing(entry) && !belongings.isDocument(entry.key);
    return !belongings.has(entry);
  });
  if (!found) return hasChunks;
  throw notAllowed(
    "foreign-files",
    `${listing.name} holds files that belong to no Zarr node: ${found}; nothing was deleted. Move them away first`,
  );
}

/** Names some of the entries that a test finds. */
async function foundIn(listing: Listing, test: (entry: StoredEntry) => boolean): Promise<string | undefined> {
  const names: string[] = [];
  let count = 0;
  for await (const entries of listing) {
    for (const entry of entries) {
      if (!test(entry)) continue;
      count++;
      if (names.length < maxNamed) names.push(listing.nameOf(entry));
    }
    if (count > maxCounted) break;
  }
  if (count === 0) return undefined;
  const more = count > maxCounted ? `more than ${maxCounted - names.length}` : count - names.length;
  return names.join(", ") + (count > names.length ? ` and ${more} more` : "");
}

async function refuseSource(
  deleted: NodePlace,
  source: NodePlace,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await overlap(deleted, source, signal);
  if (found === undefined) return;
  const name = deleted.store.locate?.(`/${deleted.path}`) ?? `"/${deleted.path}"`;
  throw notAllowed(
    "is-source",
    `deleting ${name} would delete what is read, ${found}; nothing was deleted. Choose another place`,
  );
}

const notAllowed = (code: string, message: string): ZarrError =>
  new ZarrError("NotAllowed", message, { code });

/** @returns whether it was written: a disk without room must not keep anybody from deleting. */
async function writeRecord(
  store: Store,
  path: string,
  record: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // Objects of an archive that is being written cannot be deleted again.
  if (!store.set || store.conditional === "absent") return false;
  try {
    await writeObject(store, joinKey(path, recordName), record, { signal });
    return true;
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}

/** Removes the node from consolidated metadata above it. */
async function forget(
  store: Store,
  path: string,
  versions: readonly ZarrVersion[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const version of versions)
    await updateConsolidated(store, version, [{ path, documents: undefined }], { signal });
}

async function deleteRest(listing: Listing, belongings: Belongings, isRecorded: boolean): Promise<void> {
  const { store, path, signal } = listing;
  const record = joinKey(path, recordName);
  const lock = joinKey(path, writerLockName()); // of the process that deletes
  let hasRecord = isRecorded;
  const keys = async function* () {
    for await (const entries of listing) {
      for (const entry of entries) {
        if (entry.key === record) hasRecord = true;
        else if (entry.key !== lock && belongings.has(entry) && !belongings.isDocument(entry.key))
          yield entry.key;
      }
    }
  };
  for (let pass = 0; pass < maxPasses; pass++) {
    const count = await deleteEach(store, path, keys(), { signal });
    if (count === 0 || listing.isKept || !everythingStore(store)) break;
  }
  if (hasRecord) await deleteObject(store, record, { signal });
  await everythingStore(store)?.removeEmptyFolders?.(path);
}
