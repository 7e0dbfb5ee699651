/**
 * Classifies stored objects: documents of Zarr nodes, chunks of arrays, unfinished files, and foreign files.
 */

import type { ZarrVersion } from "../codecs/definition.js";
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
import { inParallel, type StoredEntry } from "../store/deletion.js";
import { joinPath } from "../store/path.js";
import { joinKey, type Store } from "../store/store.js";
import { isDeletedFolder, isHidden, isScratchName } from "../store/temp-names.js";
import { readObject } from "../store/write.js";
import { isZarrError } from "../util/errors.js";
import { isJsonObject, type JsonObject } from "../util/json.js";
import { anyChunkKey, readDocument } from "./target.js";

/**
 * Name of the record of a deletion: the arrays whose chunks are being deleted. Their documents are deleted
 * first, so after an interruption only the record distinguishes the remaining chunks from foreign files.
 */
export const recordName = ".zw-deleted.tmp";

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
export function isUnfinished(key: string): boolean {
  if (!key.includes("/.")) return false;
  const folders = key.split("/");
  const name = folders.pop()!;
  return isHidden(name) || folders.some((folder) => isDeletedFolder(folder) || isScratchName(folder));
}

/** The nodes below a path, and the entries that belong to them. */
export class Belongings {
  readonly #arrays = new Map<string, FoundArray[]>();
  readonly #found = new Set<string>();
  readonly #records: string[] = [];
  readonly #links: string[] = [];
  readonly #nodeLinks = new Set<string>();
  readonly #v1 = new Set<string>();
  #last = "";

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
    else if (name === recordName) this.#records.push(key);
    else if (kind !== "object" || isUnfinished(key)) return;
    else if (ownNames.has(name) || name === v1MetaKey) this.#found.add(key);
  }

  /** Reads the metadata of the arrays. @throws errors of the store. */
  async read(): Promise<void> {
    const work = [
      [this.#records, (key: string) => this.#readRecord(key)],
      [[...this.#found], (key: string) => this.#readDocument(key)],
      [this.#links, (key: string) => this.#readLink(key)],
    ] as const;
    for (const [keys, readOne] of work) await inParallel(keys, readOne, this.signal);
  }

  /** Keys of documents in the order of deletion: parents first, attributes last. */
  get documents(): string[] {
    const order = (key: string) => (mainNames.has(split(key)[1]) ? 0 : 1e6) + key.split("/").length;
    const attributes = [...this.#v1].map((folder) => joinKey(folder, v1AttrsKey));
    return [...this.#found, ...attributes].sort((a, b) => order(a) - order(b));
  }

  /** Whether a key names a document. */
  isDocument(key: string): boolean {
    const [folder, name] = split(key);
    return this.#found.has(key) || (name === v1AttrsKey && this.#v1.has(folder));
  }

  /** Whether an entry belongs to a Zarr node, or is an unfinished file. */
  has({ key, kind }: StoredEntry): boolean {
    if (kind === "other") return false;
    if (isUnfinished(key)) return true;
    if (kind === "link") return this.#nodeLinks.has(key) || this.#isChunk(key, isChunkFolder);
    return this.isDocument(key) || this.#isChunk(key, (below, { isChunk }) => isChunk(below));
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
    const isIn = (folder: string) => {
      const below = key.slice(folder === "" ? 1 : folder.length + 2);
      return this.#arrays.get(folder)?.some((array) => test(below, array)) === true;
    };
    // Checked first: listings return the keys of one array consecutively.
    if (key.startsWith(joinKey(this.#last, "")) && isIn(this.#last)) return true;
    for (let [folder] = split(key); ; [folder] = split(`/${folder}`)) {
      if (isIn(folder)) {
        this.#last = folder;
        return true;
      }
      if (folder === "") return false;
    }
  }

  async #readDocument(key: string): Promise<void> {
    const [folder, name] = split(key);
    if (!arrayNames.has(name)) return;
    const object = await documentAt(this.store, folder, name, this.signal);
    if (name === v1MetaKey) {
      if (!isV1(object)) return void this.#found.delete(key);
      this.#v1.add(folder);
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

/** Documents found at a path. */
interface FoundDocuments {
  readonly names: readonly string[];
  /** Zarr versions that the documents may belong to. */
  readonly versions: readonly ZarrVersion[];
}

/**
 * Finds the Zarr documents at a path, including those of partly written or partly deleted nodes.
 * @returns undefined if there are none.
 */
export async function documentsAt(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<FoundDocuments | undefined> {
  const candidates = [
    ...nodeKeys.map(([name, version]) => [name, [version]] as const),
    [v2AttributesKey, [2]],
    [v2ConsolidatedKey, [2]],
    [recordName, [2, 3]],
  ] as const;
  const exists = await Promise.all(
    candidates.map(async ([name]) =>
      name === v1MetaKey
        ? isV1(await documentAt(store, path, name, signal))
        : (await readObject(store, joinKey(path, name), { signal })) !== undefined,
    ),
  );
  const found = candidates.filter((_, i) => exists[i]);
  if (found.length === 0) return undefined;
  return {
    names: found.map(([name]) => name),
    versions: [...new Set(found.flatMap(([, versions]) => versions))],
  };
}

/** Whether a file named "meta" is the document of a Zarr v1 array. */
export const isV1 = (object: JsonObject | undefined): boolean => isFormat(object, "1");

function isFormat(object: JsonObject | undefined, format: string): boolean {
  const found = object && member(object, "zarr_format");
  return String((found as { text?: string } | undefined)?.text) === format;
}

function isGroup(object: JsonObject | undefined): boolean {
  try {
    return object !== undefined && v3NodeType(object) === "group";
  } catch {
    return false; // may be a damaged array
  }
}

/** Reads a document. Undefined if it is missing or not valid JSON. */
export async function documentAt(
  store: Store,
  folder: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  try {
    return (await readDocument(store, folder, name, signal))?.object;
  } catch (error) {
    if (isZarrError(error, "InvalidMetadata", "LimitExceeded")) return undefined;
    throw error;
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
