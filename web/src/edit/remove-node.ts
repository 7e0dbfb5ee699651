/** Deletes a Zarr node with everything below it. Refuses to delete foreign files. */

import { parseChunkKey } from "../metadata/chunk-key-encodings.js";
import {
  type ChunkKeys,
  member,
  readLengths,
  readSeparator,
  v1AttrsKey,
  v1MetaKey,
  v2ArrayKey,
  v2AttributesKey,
  v2ConsolidatedKey,
  v2GroupKey,
  v3Key,
} from "../metadata/document.js";
import { nodeKeys } from "../metadata/model.js";
import { jsonObject, printDocument } from "../metadata/print.js";
import { readChunkKeys, v3NodeType } from "../metadata/v3.js";
import { type EverythingStore, inParallel, type StoredEntry } from "../store/deletion.js";
import { handleOf, innermostStore } from "../store/handle.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinPath } from "../store/path.js";
import { storeFailed } from "../store/read.js";
import { joinKey, type Store } from "../store/store.js";
import { isDeletedFolder, isHidden, isScratchName, recordName, writerLockName } from "../store/temp-names.js";
import { deleteEach, deleteObject, requireWritable, writeObject } from "../store/write.js";
import type { ErrorCode } from "../util/error-codes.js";
import { isZarrError, readOnly, ZarrError } from "../util/errors.js";
import { isJsonObject, type JsonObject } from "../util/json.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import { type NodePlace, overlap } from "./overlap.js";
import { noteChanged } from "./stored-array.js";
import { anyChunkKey, documentAt, documentsAt, isFormat, isV1 } from "./target.js";

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
  await check(listing, belongings);
  for (const source of sources) await refuseSource(listing, source);
  const isRecorded = await writeRecord(store, path, belongings, signal);
  await deleteEach(store, path, belongings.documents, { signal });
  handleOf(store).metadataWrites++;
  noteChanged(store, path);
  for (const version of documents.versions) await updateConsolidated(store, version, [path], signal, true);
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

/** Checks that every entry belongs to a node. @throws NotAllowed ("foreign-files"). */
async function check(listing: Listing, belongings: Belongings): Promise<void> {
  for await (const entries of listing) for (const entry of entries) belongings.note(entry);
  await belongings.read();
  const found = await foundIn(listing, (entry) => !belongings.has(entry));
  if (!found) return;
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

async function refuseSource(deleted: Listing, source: NodePlace): Promise<void> {
  const found = await overlap(deleted, source, deleted.signal);
  if (found === undefined) return;
  throw notAllowed(
    `deleting ${deleted.name} would delete data that is read, ${found}; nothing was deleted; choose another path`,
    { code: "is-source" },
  );
}

const notAllowed = (message: string, details: { readonly code: ErrorCode<"NotAllowed"> }): ZarrError =>
  new ZarrError("NotAllowed", message, details);

/** @returns whether the record is stored. A full disk must not prevent a deletion. */
async function writeRecord(
  store: Store,
  path: string,
  { hasArrays, record }: Belongings,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // In an archive that is being written, the record could not be deleted again.
  if (!hasArrays || !store.set || store.conditional === "absent") return false;
  try {
    await writeObject(store, joinKey(path, recordName), record, { signal });
    return true;
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}

async function deleteRest(listing: Listing, belongings: Belongings, isRecorded: boolean): Promise<void> {
  const { store, path, signal } = listing;
  const record = joinKey(path, recordName);
  const lock = joinKey(path, writerLockName()); // lock of this process
  const isLast = (key: string) => key === lock || key === record || belongings.isDocument(key);
  const keys = async function* () {
    for await (const entries of listing)
      for (const entry of entries) if (!isLast(entry.key) && belongings.has(entry)) yield entry.key;
  };
  const own = everythingStore(store);
  for (let pass = 0; pass < maxPasses; pass++) {
    const count = await deleteEach(store, path, keys(), { signal });
    if (count === 0 || listing.isKept || !own) break;
  }
  if (isRecorded || belongings.records.includes(record)) await deleteObject(store, record, { signal });
  await own?.removeEmptyFolders?.(path);
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

/**
 * Names that only Zarr documents have. "meta" and "attrs", the names in Zarr v1, may belong to other files,
 * too.
 */
const ownNames: ReadonlySet<string> = new Set([
  v3Key,
  v2ArrayKey,
  v2GroupKey,
  v2AttributesKey,
  v2ConsolidatedKey,
]);
const arrayNames: ReadonlySet<string> = new Set([v3Key, v2ArrayKey, v1MetaKey]);
/** Documents that make a node; they are deleted before attributes and consolidated metadata. */
const mainNames: ReadonlySet<string> = new Set(nodeKeys.map(([name]) => name));

/** Whether a key, relative to an array, is a chunk key, inside the current shape or not. */
type ChunkTest = (below: string) => boolean;

interface FoundArray {
  /** The part of the metadata document that determines the chunk keys. */
  readonly facts: JsonObject;
  readonly isChunk: ChunkTest;
}

/** Splits a key into its folder and name. */
function split(key: string): [folder: string, name: string] {
  const slash = key.lastIndexOf("/");
  return [key.slice(1, Math.max(1, slash)), key.slice(slash + 1)];
}

/**
 * Whether a key names an unfinished file or a lock, or lies in a scratch folder or a folder that is being
 * deleted.
 */
function isUnfinished(key: string): boolean {
  if (!key.includes("/.")) return false;
  const folders = key.split("/");
  const name = folders.pop()!;
  return isHidden(name) || folders.some((folder) => isDeletedFolder(folder) || isScratchName(folder));
}

/** The nodes below a path, and the entries that belong to them. */
class Belongings {
  readonly #arrays = new Map<string, FoundArray[]>();
  readonly #found = new Set<string>();
  /** Keys of the records of deletions. */
  readonly records: string[] = [];
  readonly #links: string[] = [];
  readonly #nodeLinks = new Set<string>();

  /** @param path normalised. */
  constructor(
    private readonly store: Store,
    private readonly path: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Adds an entry. {@link read} must follow the last one. */
  note({ key, kind }: StoredEntry): void {
    const [, name] = split(key);
    if (kind === "link") this.#links.push(key);
    else if (name === recordName) this.records.push(key);
    else if (kind !== "object" || isUnfinished(key)) return;
    else if (ownNames.has(name) || name === v1MetaKey) this.#found.add(key);
  }

  /** Reads the metadata of the arrays. @throws errors of the store. */
  async read(): Promise<void> {
    const work = [
      [this.records, (key: string) => this.#readRecord(key)],
      [[...this.#found], (key: string) => this.#readDocument(key)],
      [this.#links, (key: string) => this.#readLink(key)],
    ] as const;
    for (const [keys, readOne] of work) await inParallel(keys, readOne, this.signal);
  }

  /** Keys of documents in the order of deletion: parents first, attributes last. */
  get documents(): string[] {
    const order = (key: string) => (mainNames.has(split(key)[1]) ? 0 : 1e6) + key.split("/").length;
    return [...this.#found].sort((a, b) => order(a) - order(b));
  }

  /** Whether a key names a document. */
  isDocument(key: string): boolean {
    return this.#found.has(key);
  }

  /** Whether an entry belongs to a Zarr node, or is an unfinished file. */
  has({ key, kind }: StoredEntry): boolean {
    if (kind === "other") return false;
    if (isUnfinished(key)) return true;
    if (kind === "link") return this.#nodeLinks.has(key) || this.#isChunk(key, isChunkFolder);
    return this.isDocument(key) || this.#isChunk(key, (below, { isChunk }) => isChunk(below));
  }

  get hasArrays(): boolean {
    return this.#arrays.size > 0;
  }

  /** The deletion record, in the form stored under {@link recordName}. */
  get record(): Uint8Array<ArrayBuffer> {
    const prefix = joinKey(this.path, "").length - 1;
    const arrays = [...this.#arrays].flatMap(([folder, found]) =>
      found.map(({ facts }) =>
        jsonObject([
          ["path", folder.slice(prefix)],
          ["metadata", facts],
        ]),
      ),
    );
    return printDocument(jsonObject([["arrays", arrays]]));
  }

  #isChunk(key: string, test: (below: string, array: FoundArray) => boolean): boolean {
    for (let [folder] = split(key); ; [folder] = split(`/${folder}`)) {
      const below = key.slice(folder === "" ? 1 : folder.length + 2);
      if (this.#arrays.get(folder)?.some((array) => test(below, array))) return true;
      if (folder === "") return false;
    }
  }

  async #readDocument(key: string): Promise<void> {
    const [folder, name] = split(key);
    if (!arrayNames.has(name)) return;
    const object = await documentAt(this.store, folder, name, this.signal);
    if (name === v1MetaKey) {
      if (!isV1(object)) return void this.#found.delete(key);
      this.#found.add(joinKey(folder, v1AttrsKey));
    }
    if (name === v3Key && isGroup(object)) return;
    await this.#addArray(folder, keyFields(object, name));
  }

  async #readRecord(key: string): Promise<void> {
    const [folder, name] = split(key);
    const arrays = member((await documentAt(this.store, folder, name, this.signal)) ?? {}, "arrays");
    for (const entry of Array.isArray(arrays) ? arrays : []) {
      if (!isJsonObject(entry)) continue;
      const [below, facts] = [member(entry, "path"), member(entry, "metadata")];
      if (typeof below !== "string" || !isJsonObject(facts)) continue;
      await this.#addArray(joinPath(folder, below), facts);
    }
  }

  async #readLink(key: string): Promise<void> {
    if (await documentsAt(this.store, key.slice(1), this.signal)) this.#nodeLinks.add(key);
  }

  async #addArray(folder: string, facts: JsonObject): Promise<void> {
    const found = this.#arrays.get(folder) ?? [];
    this.#arrays.set(folder, found);
    found.push({ facts, isChunk: await chunkTest(facts) });
  }
}

/** Whether a link, relative to an array, replaces a folder of chunks. */
const isChunkFolder = (below: string): boolean => /^(c|\d+)(\/\d+)*$/.test(below);

function isGroup(object: JsonObject | undefined): boolean {
  try {
    return object !== undefined && v3NodeType(object) === "group";
  } catch {
    return false; // may be a damaged array
  }
}

/** The part of a metadata document that determines the chunk keys. */
function keyFields(object: JsonObject | undefined, name: string): JsonObject {
  const format =
    name === v1MetaKey ? ["zarr_format"] : ["zarr_format", "dimension_separator", "chunk_key_encoding"];
  return jsonObject([...format, "shape"].map((key) => [key, object && member(object, key)] as const));
}

/**
 * Returns the test for chunk keys of an array. If its metadata is invalid, every key that looks like a chunk
 * key passes.
 */
async function chunkTest(facts: JsonObject): Promise<ChunkTest> {
  try {
    const rank = readLengths(member(facts, "shape"), "shape", 0).length;
    const encodings = await possibleEncodings(facts);
    return (below) => encodings.some((keys) => parseChunkKey(keys, below, rank) !== undefined);
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return (below) => anyChunkKey.test(below);
  }
}

async function possibleEncodings(facts: JsonObject): Promise<ChunkKeys[]> {
  if (isFormat(facts, "3"))
    return [(await readChunkKeys(member(facts, "chunk_key_encoding"), undefined)).keys];
  const given = member(facts, "dimension_separator");
  // Without this entry, the default separator depended on the store.
  const separators =
    given === undefined && isFormat(facts, "2") ? ([".", "/"] as const) : [readSeparator(given, ".")];
  return separators.map((separator) => ({ name: "v2", separator }));
}
