/**
 * References in kerchunk's Parquet layout: a folder with a metadata document, `.zmetadata`, and a folder for each array
 * with files `refs.0.parq`, `refs.1.parq`, …. Each holds one reference per chunk, in row-major order of the grid.
 * Spec: https://fsspec.github.io/kerchunk/spec.html#parquet-references, as read by fsspec's LazyReferenceMapper.
 */

import { v2ArrayKey, v2ConsolidatedKey, v3Key } from "../../metadata/document.js";
import { KeyIndex } from "../../store/key-index.js";
import { normalizePath } from "../../store/path.js";
import { callStore, locateKey } from "../../store/read.js";
import { joinKey, type Store } from "../../store/store.js";
import { limitExceeded, unsupported, ZarrError } from "../../util/errors.js";
import { isJsonObject, type Json, type JsonObject, jsonText, toPlain } from "../../util/json.js";
import { parseJson } from "../../util/json-reader.js";
import { defaultLimits } from "../../util/limits.js";
import { LoadCache } from "../../util/load-cache.js";
import { textEncoder } from "../../util/platform.js";
import { countOf } from "../../util/shapes.js";
import { inSlices } from "../../util/slices.js";
import {
  absentIfForbidden,
  bad,
  type Reference,
  type ReferenceFolder,
  type References,
  shorten,
} from "./place.js";
import { type Records, readRecords } from "./records.js";

export interface FolderLimits {
  /** Maximum size of a file, and of its decompressed pages, in bytes. */
  readonly fileBytes: number;
  /** Maximum number of references of a file. */
  readonly rows: number;
  /** Cached references, in bytes. */
  readonly cacheBytes: number;
}

/** Number of chunks of an array along each axis. */
type Grid = readonly number[];

/** A parsed chunk key. */
interface RecordPosition {
  readonly array: string;
  readonly file: number;
  readonly row: number;
}

/** Maximum nesting depth: that of stored documents, plus two enclosing objects. */
const maxDepth = defaultLimits.metadataDepth + 2;
const chunkName = /^\d+(?:[./]\d+)*$/;
/** Cost of caching that a file is missing, in bytes. */
const missingBytes = 256;

export class FolderReferences implements References {
  /** Documents by key, with a leading "/". */
  readonly #documents = new Map<string, JsonObject>();
  readonly #grids = new Map<string, Grid>();
  readonly #recordSize: number;
  readonly #files: LoadCache<Records | undefined>;
  #index: KeyIndex | undefined;
  /** Files are decoded one at a time, as decoding takes several times their size. */
  #decoding: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly place: ReferenceFolder,
    document: JsonObject,
    private readonly limits: FolderLimits,
  ) {
    const size = toPlain(document["record_size"]!);
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 1)
      throw bad("record_size is not a positive integer");
    this.#recordSize = size;
    this.#readDocuments(document["metadata"]);
    this.#files = new LoadCache(
      limits.cacheBytes,
      (records) => records?.byteLength ?? missingBytes,
      (key, signal) => this.#readFile(key, signal),
    );
  }

  /**
   * Reads the metadata of a folder.
   * @returns undefined if there is none, or it is not of references.
   * @throws InvalidMetadata ("bad-reference"; "not-json" for a document that is damaged); Unsupported; LimitExceeded; what the store throws.
   */
  static async find(
    place: ReferenceFolder,
    limits: FolderLimits,
    signal: AbortSignal | undefined,
  ): Promise<FolderReferences | undefined> {
    const maxBytes = Math.min(limits.fileBytes, defaultLimits.metadataBytes);
    const key = joinKey(place.folder, v2ConsolidatedKey);
    const bytes = await readObject(place.store, key, maxBytes, signal).catch(absentIfForbidden);
    const document = bytes && documentIn(bytes, locateKey(place.store, key));
    return document && new FolderReferences(place, document, limits);
  }

  async find(path: string, signal: AbortSignal | undefined): Promise<Reference | undefined> {
    const document = this.#documents.get(path);
    if (document) return { bytes: textEncoder().encode(jsonText(document, maxDepth)) };
    const place = this.#locate(path);
    if (!place) return undefined;
    const records = await this.#files.get(this.#fileKey(place.array, place.file), signal);
    return records?.at(place.row, path);
  }

  /** Keys of documents, not of chunks. */
  keys(): Iterable<string> {
    return this.#documents.keys();
  }

  async children(folder: string): Promise<string[]> {
    this.#index ??= await inSlices(KeyIndex.steps(this.keys()));
    return inSlices(this.#index.children(folder));
  }

  /** Reads all files, one after another. */
  async *named(): AsyncGenerator<string> {
    const seen = new Set<string>();
    for (const array of this.#arrays()) {
      const chunks = countOf(this.#grid(array));
      const files = Math.ceil(chunks / this.#recordSize);
      if (files > maxFiles) throw limitExceeded(`${array} has references in more than ${maxFiles} files`);
      for (let file = 0; file < files; file++) {
        const records = await this.#files.get(this.#fileKey(array, file), undefined);
        for (const name of records?.named() ?? []) {
          if (seen.has(name)) continue;
          seen.add(name);
          yield name;
        }
      }
    }
  }

  *#arrays(): Generator<string> {
    for (const key of this.#documents.keys())
      if (key.endsWith(`/${v2ArrayKey}`)) yield key.slice(1, -v2ArrayKey.length - 1);
  }

  #readDocuments(metadata: Json | undefined): void {
    if (!isJsonObject(metadata)) throw bad("metadata is not an object");
    for (const [name, value] of Object.entries(metadata)) {
      if (!isJsonObject(value)) throw bad(`${shorten(name)} is not an object`);
      if (name === v3Key || name.endsWith(`/${v3Key}`))
        throw unsupported(
          "references to Zarr v3 in Parquet files are not supported: no known writer produces them",
          { code: "parquet-references" },
        );
      const path = normalPath(name);
      if (path !== undefined) this.#documents.set(`/${path}`, value);
    }
    const root = { zarr_consolidated_format: 1, metadata: Object.fromEntries(this.#nodeDocuments()) };
    this.#documents.set(`/${v2ConsolidatedKey}`, root as unknown as JsonObject);
  }

  *#nodeDocuments(): Generator<[string, JsonObject]> {
    for (const [key, document] of this.#documents)
      if (/\/\.z(array|group|attrs)$/.test(key)) yield [key.slice(1), document];
  }

  #fileKey(array: string, file: number): string {
    return joinKey(this.place.folder, joinKey(array, `refs.${file}.parq`).slice(1));
  }

  /** Returns the position of a chunk's reference; undefined for keys of other objects. */
  #locate(path: string): RecordPosition | undefined {
    for (let end = path.lastIndexOf("/"); end >= 0; end = path.lastIndexOf("/", end - 1)) {
      const name = path.slice(end + 1);
      if (!chunkName.test(name)) return undefined;
      const array = path.slice(1, Math.max(1, end));
      if (this.#documents.has(joinKey(array, v2ArrayKey))) return this.#chunkAt(array, name);
      if (end === 0) break;
    }
    return undefined;
  }

  #chunkAt(array: string, name: string): RecordPosition | undefined {
    const grid = this.#grid(array);
    const coordinates = name.split(/[./]/).map(Number);
    const isIn = coordinates.length === Math.max(1, grid.length);
    if (!isIn || coordinates.some((at, axis) => !(at < (grid[axis] ?? 1)))) return undefined;
    const index = coordinates.reduce((sum, at, axis) => sum * (grid[axis] ?? 1) + at, 0);
    if (!Number.isSafeInteger(index)) throw bad(`${array} has more chunks than can be counted`);
    return { array, file: Math.floor(index / this.#recordSize), row: index % this.#recordSize };
  }

  #grid(array: string): Grid {
    let grid = this.#grids.get(array);
    if (!grid) {
      grid = gridIn(this.#documents.get(joinKey(array, v2ArrayKey))!, array);
      this.#grids.set(array, grid);
    }
    return grid;
  }

  async #readFile(key: string, signal: AbortSignal): Promise<Records | undefined> {
    const { fileBytes, rows } = this.limits;
    const file = await readObject(this.place.store, key, fileBytes, signal);
    if (!file) return undefined;
    const before = this.#decoding;
    const decoded = before.then(() => {
      signal.throwIfAborted(); // all callers have left
      return readRecords(file, { rows: Math.min(rows, this.#recordSize), bytes: fileBytes });
    });
    this.#decoding = decoded.catch(() => {});
    try {
      return await decoded;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ZarrError)) throw error;
      const message = `${locateKey(this.place.store, key)}: ${error.message}`;
      throw new ZarrError(error._tag, message, { code: error.code, cause: error });
    }
  }
}

/** Maximum number of files of an array that are read in a row. */
const maxFiles = 100_000;

/** Reads the document of a folder; undefined if it is not of references. */
function documentIn(bytes: Uint8Array, name: string): JsonObject | undefined {
  const document = parseJson(bytes, { name, maxDepth, bareNonFinite: true });
  return isJsonObject(document) && Object.hasOwn(document, "record_size") ? document : undefined;
}

/** Skips keys that are not normalised paths: they cannot be read. */
function normalPath(name: string): string | undefined {
  try {
    return normalizePath(name);
  } catch {
    return undefined;
  }
}

function gridIn(document: JsonObject, array: string): Grid {
  const [shape, chunks] = [document["shape"], document["chunks"]].map((list) => list && toPlain(list));
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  const areCounts = (list: unknown): list is number[] => Array.isArray(list) && list.every(isCount);
  if (!areCounts(shape) || !areCounts(chunks) || shape.length !== chunks.length || chunks.includes(0))
    throw bad(`${array} has a shape and chunks that do not match`);
  return shape.map((length, axis) => Math.ceil(length / chunks[axis]!));
}

async function readObject(
  store: Store,
  key: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const bytes = await callStore(store, key, () => store.get(key, { signal, maxBytes }), signal);
  if (bytes && bytes.byteLength > maxBytes)
    throw limitExceeded(`${locateKey(store, key)} has more than the limit of ${maxBytes} bytes`);
  return bytes;
}
