/** Deletes a Zarr node with everything below it. Refuses to delete foreign files. */

import type { ZarrVersion } from "../codecs/definition.js";
import type { EverythingStore, StoredEntry } from "../store/deletion.js";
import { handleOf, innermostStore } from "../store/handle.js";
import { canList, keysBelow } from "../store/listing.js";
import { storeFailed } from "../store/read.js";
import { joinKey, type Store } from "../store/store.js";
import { writerLockName } from "../store/temp-names.js";
import { deleteEach, deleteObject, requireWritable, writeObject } from "../store/write.js";
import type { ErrorCode } from "../util/error-codes.js";
import { isZarrError, readOnly, ZarrError } from "../util/errors.js";
import { Belongings, documentsAt, isUnfinished, recordName } from "./belongings.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import { type NodePlace, overlap } from "./overlap.js";
import { noteDeleted } from "./stored-array.js";

/** Maximum length of a listing that is kept between passes; longer ones are requested again. */
const maxKept = 100_000;
/** Number of entries that a message names, and the number up to which the others are counted. */
const maxNamed = 3;
const maxCounted = 1000;
/** Maximum passes over a folder that is emptied while it is listed: some file systems skip entries then. */
const maxPasses = 5;

interface RemoveOptions {
  readonly signal?: AbortSignal | undefined;
  /** Nodes that are read later; deleting any of their data is refused. */
  readonly sources?: readonly NodePlace[] | undefined;
}

/**
 * Deletes the node at a path with everything below it. All entries are listed and checked before the first is
 * deleted. Documents are deleted first, so that an interruption leaves no array with missing chunks. A record
 * of the arrays is deleted last, so that the deletion can be repeated.
 * @returns false if the path is empty, except for unfinished files.
 * @throws NotAllowed ("not-zarr", "foreign-files", "is-source", "protected-folder") before anything is
 *   deleted; ReadOnly ("no-delete") for a store that cannot delete or list; errors of the store, after which
 *   chunks may be left that belong to no readable node.
 */
export async function removeNode(store: Store, path: string, options: RemoveOptions = {}): Promise<boolean> {
  const { signal, sources = [] } = options;
  requireDeletable(store);
  const documents = await documentsAt(store, path, signal);
  const listing = new Listing(store, path, signal);
  if (!documents) {
    const refusal = await refusalUnlessEmpty(listing);
    if (!refusal) return false;
    // Another writer may have created the node since its documents were read.
    if (await documentsAt(store, path, signal)) return removeNode(store, path, options);
    throw refusal;
  }
  const belongings = new Belongings(store, path, signal);
  // Server listings may be out of date. Documents in the target of a link are not deleted.
  const isFolder = everythingStore(store)?.removeEmptyFolders !== undefined;
  for (const name of isFolder ? [] : documents.names)
    belongings.note({ key: joinKey(path, name), kind: "object" });
  const hasChunks = await check(listing, belongings);
  for (const source of sources) await refuseSource({ store, path }, source, signal);
  const isRecorded = hasChunks && (await writeRecord(store, path, belongings.record, signal));
  await deleteEach(store, path, belongings.documents, { signal });
  handleOf(store).metadataWrites++;
  noteDeleted(store, path);
  await forget(store, path, documents.versions, signal);
  await deleteRest(listing, belongings, isRecorded);
  return true;
}

/** Checks that a store holds nothing but Zarr nodes. @throws NotAllowed ("not-zarr", "foreign-files"). */
export async function requireZarr(store: Store): Promise<void> {
  const listing = new Listing(store, "", undefined);
  const belongings = new Belongings(store, "", undefined);
  await check(listing, belongings);
  const refusal = belongings.documents.length === 0 && (await refusalUnlessEmpty(listing));
  if (refusal) throw refusal;
}

/** @throws ReadOnly. */
function requireDeletable(store: Store): void {
  requireWritable(store, "delete");
  if (canList(store)) return;
  const place = store.locate?.("/") ?? "the store";
  throw readOnly(`nodes in ${place} cannot be deleted: the store has no list()`, { code: "no-delete" });
}

/** Lists everything below a path, in several passes. */
class Listing implements AsyncIterable<readonly StoredEntry[]> {
  #kept: StoredEntry[] | undefined;

  constructor(
    readonly store: Store,
    readonly path: string,
    readonly signal: AbortSignal | undefined,
  ) {}

  /** Whether further passes return the same entries. */
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

  /** Returns the name of an entry for messages. */
  nameOf({ key }: StoredEntry): string {
    return JSON.stringify(key.slice(joinKey(this.path, "").length) || key.slice(1));
  }

  get name(): string {
    return this.store.locate?.(`/${this.path}`) ?? `"/${this.path}"`;
  }
}

/** Returns the error for a path without documents that holds files. */
async function refusalUnlessEmpty(listing: Listing): Promise<ZarrError | undefined> {
  const found = await foundIn(listing, ({ key }) => !isUnfinished(key));
  if (!found) return undefined;
  return notAllowed(
    `${listing.name} is not a Zarr node and holds ${found}; nothing was deleted; choose another path or remove these files`,
    { code: "not-zarr" },
  );
}

/**
 * Checks that every entry belongs to a node.
 * @returns whether any of them is not a document.
 * @throws NotAllowed ("foreign-files").
 */
async function check(listing: Listing, belongings: Belongings): Promise<boolean> {
  for await (const entries of listing) for (const entry of entries) belongings.note(entry);
  await belongings.read();
  let hasChunks = false;
  const prefix = joinKey(listing.path, "");
  const found = await foundIn(listing, (entry) => {
    hasChunks ||=
      entry.key.startsWith(prefix) && !isUnfinished(entry.key) && !belongings.isDocument(entry.key);
    return !belongings.has(entry);
  });
  if (!found) return hasChunks;
  throw notAllowed(
    `${listing.name} holds files that belong to no Zarr node: ${found}; nothing was deleted; move them first`,
    { code: "foreign-files" },
  );
}

/** Formats the entries that pass a test for a message. Undefined if there are none. */
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
    `deleting ${name} would delete data that is read, ${found}; nothing was deleted; choose another path`,
    { code: "is-source" },
  );
}

const notAllowed = (message: string, details: { readonly code: ErrorCode<"NotAllowed"> }): ZarrError =>
  new ZarrError("NotAllowed", message, details);

/** @returns whether it was written. A full disk must not prevent a deletion. */
async function writeRecord(
  store: Store,
  path: string,
  record: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // In an archive that is being written, the record could not be deleted again.
  if (!store.set || store.conditional === "absent") return false;
  try {
    await writeObject(store, joinKey(path, recordName), record, { signal });
    return true;
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}

/** Removes the node from the consolidated metadata of its parents. */
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
  const lock = joinKey(path, writerLockName()); // lock of this process
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

/** Returns the underlying store's methods for listing everything. Undefined for third-party stores. */
function everythingStore(store: Store): EverythingStore | undefined {
  const own = innermostStore(store) as Store & Partial<EverythingStore>;
  return typeof own.everythingBelow === "function" ? (own as EverythingStore) : undefined;
}

/**
 * Lists everything below a path, in batches. The store must be able to list.
 * @param path normalised.
 * @throws errors of the store, as Network ("store-failed") if they are not ZarrErrors.
 */
async function* everythingBelow(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly StoredEntry[]> {
  const own = everythingStore(store);
  if (!own) {
    for await (const key of keysBelow(store, path, signal)) yield [{ key, kind: "object" }];
    return;
  }
  try {
    for await (const entries of own.everythingBelow(path, signal)) {
      signal?.throwIfAborted();
      yield entries;
    }
  } catch (cause) {
    if (isZarrError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
    throw storeFailed(store.locate?.(`/${path}`) ?? `/${path}`, "listed", cause);
  }
}
