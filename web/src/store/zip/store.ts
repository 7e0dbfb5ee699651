/** Zip archives as stores. */

import { checkConstructor, checkObject, type OptionNames } from "../../util/arguments.js";
import { SingleFlight } from "../../util/async.js";
import { crc32 } from "../../util/crc32.js";
import type { ErrorCode } from "../../util/error-codes.js";
import {
  corruptChunk,
  invalidMetadata,
  isZarrError,
  limitExceeded,
  unsupported,
  type ZarrError,
} from "../../util/errors.js";
import { inflate } from "../../util/inflate.js";
import { defaultLimits, type Limits, resolveLimits } from "../../util/limits.js";
import { isFileUrl } from "../../util/platform.js";
import { inSlices, withTurns } from "../../util/slices.js";
import { ByteCache } from "../cache.js";
import { type HttpStoreOptions, httpOptions } from "../http/store.js";
import { KeyIndex } from "../key-index.js";
import { normalizePath } from "../path.js";
import { cutRange, RangedStore, resolveRange } from "../read.js";
import { type ByteReader, type ByteSource, byteReader } from "../source/byte-reader.js";
import {
  checkVersion,
  joinKey,
  type ObjectVersion,
  type RangeQuery,
  type StoreGetOptions,
} from "../store.js";
import { dataView, readDirectory, type ZipDirectory, type ZipEntry } from "./directory.js";

/** Options; those of HttpStore are for archives read by URL. */
export interface ZipStoreOptions extends HttpStoreOptions {
  /** Limits that differ from the defaults; `indexBytes` applies to the directory, about 100 bytes per object. */
  limits?: Partial<Limits> | undefined;
}

const zipOptions: OptionNames<ZipStoreOptions> = {
  ...httpOptions,
  limits: true,
};

/** Size of the cache of inflated objects, for ranges of them. */
const inflatedBytes = 2 ** 26;

const stored = 0;
const deflated = 8;
const localBytes = 30;
const localSignature = 0x04034b50;
/** Number of extra bytes to read with a local header, which may be longer than estimated. */
const slackBytes = 64;

/** One version of the archive. */
interface Archive {
  /** Distinguishes the version in cache keys. */
  etag: string;
  directory: ZipDirectory;
  version: ObjectVersion;
  /** Offsets of the bytes of entries that have been read before. */
  starts: Map<ZipEntry, number>;
  index?: KeyIndex;
}

/** An entry that is read. */
interface FoundEntry {
  readonly archive: Archive;
  readonly entry: ZipEntry;
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * A zip archive as a store. Reads its directory once, then the requested objects, which may be stored or deflated. Of
 * several objects with one name, the last counts. Verifies checksums of objects that are read as a whole. Keys that the
 * directory does not list are missing. Other failures throw: NotFound for a missing archive, InvalidMetadata ("bad-zip"),
 * CorruptChunk, Unsupported ("unsupported-zip"), LimitExceeded, and errors of its source.
 */
export class ZipStore extends RangedStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "ZipStore";
  }

  /** @internal False until the directory has been read: `open` does not look for other formats in a missing archive. */
  get isThere(): boolean {
    return this.#archive !== undefined;
  }

  readonly #source: ByteReader;
  readonly #maxBytes: number;
  readonly #maxDirectoryBytes: number;
  readonly #opening = new SingleFlight<Archive>();
  readonly #inflating = new SingleFlight<Uint8Array>();
  readonly #inflated = new ByteCache(inflatedBytes);
  #archive: Archive | undefined;
  #opened = 0;

  /** @throws InvalidArgument for an invalid source. */
  constructor(source: ByteSource, options: ZipStoreOptions = {}) {
    checkConstructor(options, "store", zipOptions);
    super();
    this.#source = byteReader(source, options);
    this.#maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
    this.#maxDirectoryBytes = resolveLimits(options.limits).indexBytes;
  }

  locate(key: string): string {
    return `${this.#source.name}!${key}`;
  }

  /** @internal A deflated object is inflated as a whole, and kept for readers of its parts. */
  async readPart(
    key: string,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    const path = `/${normalizePath(key)}`;
    const archive = await this.#open(options.signal);
    const entry = archive.directory.entries.get(path);
    const name = this.locate(path);
    checkVersion(options.version, entry && { etag: archive.etag, size: entry.bytes }, name);
    if (!entry) return undefined;
    this.#check(entry, name);
    const { start, end } = resolveRange(range ?? { offset: 0, length: entry.bytes }, entry.bytes);
    checkBytes(name, end - start, options.maxBytes);
    const found = { archive, entry, name, signal: options.signal };
    try {
      if (range && entry.method === stored) return await this.#slice(found, start, end - start);
      if (range) return cutRange(await this.#inflatedWhole(found), range);
      return this.#inflated.get(name) ?? (await this.#whole(found));
    } catch (error) {
      // The next reader reads the current directory of the archive.
      if (isZarrError(error, "Network") && error.code === "changed") this.#forget(archive);
      throw error;
    }
  }

  /** @internal Whether `list` gives the keys of chunks. */
  get listsChunks(): boolean {
    return true;
  }

  async *list(path: string): AsyncGenerator<string> {
    const prefix = joinKey(normalizePath(path), "");
    const { directory } = await this.#open(undefined);
    for await (const key of withTurns(directory.keys)) if (key.startsWith(prefix)) yield key;
  }

  async listChildren(path: string): Promise<string[]> {
    const archive = await this.#open(undefined);
    archive.index ??= await inSlices(KeyIndex.steps(archive.directory.keys));
    return inSlices(archive.index.children(normalizePath(path)));
  }

  /** @internal */
  async *placesRead(_path: string, isFile: boolean): AsyncGenerator<URL> {
    const url = await this.#source.url?.();
    if (url && isFileUrl(url) === isFile) yield url;
  }

  /**
   * The comment of the archive; "" if there is none. In OME-Zarr archives (.ozx) it is JSON such as
   * `{"ome": {"version": "0.5", "zipFile": {"centralDirectory": {"jsonFirst": true}}}}`. Spec: OME-Zarr RFC-9.
   * @throws as reading an object does.
   */
  async comment(options: { signal?: AbortSignal | undefined } = {}): Promise<string> {
    checkObject(options);
    options.signal?.throwIfAborted();
    return (await this.#open(options.signal)).directory.comment;
  }

  #forget(archive: Archive): void {
    if (this.#archive !== archive) return;
    this.#archive = undefined;
    this.#inflated.clear();
  }

  async #open(signal: AbortSignal | undefined): Promise<Archive> {
    if (this.#archive) return this.#archive;
    this.#archive = await this.#opening.run("", signal, async (shared) => {
      const version = {};
      const options = { signal: shared, version };
      const directory = await readDirectory(this.#source, this.#maxDirectoryBytes, options).catch(
        withoutPages,
      );
      return { etag: String(++this.#opened), directory, version, starts: new Map() };
    });
    return this.#archive;
  }

  #check(entry: ZipEntry, name: string): void {
    if (entry.isEncrypted) throw unsupported(`${name} is encrypted`, { code: "unsupported-zip" });
    if (entry.method !== stored && entry.method !== deflated) {
      throw unsupported(`${name} is compressed by method ${entry.method}; only 0 and 8 are supported`, {
        code: "unsupported-zip",
      });
    }
    if (entry.method === stored && entry.storedBytes !== entry.bytes) {
      throw damaged(name, `is stored in ${entry.storedBytes} bytes but has ${entry.bytes}`, "size-mismatch");
    }
  }

  /** A whole object, its checksum verified. */
  async #whole(found: FoundEntry): Promise<Uint8Array> {
    const { entry, name, signal } = found;
    checkBytes(name, Math.max(entry.bytes, entry.storedBytes), this.#maxBytes);
    const raw = await this.#raw(found);
    const bytes = entry.method === stored ? raw : await inflate(raw, entry.bytes, name);
    signal?.throwIfAborted();
    if (crc32(bytes) !== entry.crc) throw damaged(name, "does not match its checksum", "checksum-mismatch");
    return bytes;
  }

  /** A deflated object for readers of its parts: inflated once for all of them. */
  async #inflatedWhole(found: FoundEntry): Promise<Uint8Array> {
    const { archive, name } = found;
    const kept = this.#inflated.get(name);
    if (kept) return kept;
    return this.#inflating.run(name, found.signal, async (signal) => {
      const bytes = await this.#whole({ ...found, signal });
      if (this.#archive === archive) this.#inflated.set(name, bytes);
      return bytes;
    });
  }

  /** The bytes of an entry as they are in the archive: with the header before them, usually in one request. */
  async #raw(found: FoundEntry): Promise<Uint8Array> {
    const { archive, entry } = found;
    const known = archive.starts.get(entry);
    if (known !== undefined) return this.#read(found, known, entry.storedBytes);
    const maxLength = Math.min(
      entry.headerBytes + slackBytes + entry.storedBytes,
      archive.directory.offset - entry.offset,
    );
    const bytes = await this.#read(found, entry.offset, maxLength);
    const start = this.#dataStart(found, bytes);
    const end = start - entry.offset + entry.storedBytes;
    return end <= bytes.byteLength
      ? bytes.subarray(end - entry.storedBytes, end)
      : this.#read(found, start, entry.storedBytes);
  }

  /** A part of a stored object. */
  async #slice(found: FoundEntry, offset: number, length: number): Promise<Uint8Array> {
    const { archive, entry } = found;
    let start = archive.starts.get(entry);
    start ??= this.#dataStart(found, await this.#read(found, entry.offset, localBytes));
    return this.#read(found, start + offset, length);
  }

  /** Offset of an entry's bytes: after its local header, whose length is in the header itself. */
  #dataStart({ archive, entry, name }: FoundEntry, header: Uint8Array): number {
    const view = dataView(header);
    if (header.byteLength < localBytes || view.getUint32(0, true) !== localSignature) {
      throw damaged(name, "is not at the position stated in the archive's directory", "bad-header");
    }
    const start = entry.offset + localBytes + view.getUint16(26, true) + view.getUint16(28, true);
    if (start + entry.storedBytes > archive.directory.offset) {
      throw damaged(name, "lies outside the archive", "truncated");
    }
    archive.starts.set(entry, start);
    return start;
  }

  async #read({ archive, name, signal }: FoundEntry, offset: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return new Uint8Array(0);
    const bytes = await this.#source.read({ offset, length }, { signal, version: archive.version });
    if (bytes?.byteLength !== length) throw damaged(name, "is truncated", "truncated");
    return bytes;
  }
}

/** Checks a claimed size before anything is read or inflated. Inflating stops at the claimed size. */
function checkBytes(name: string, bytes: number, maxBytes = Number.POSITIVE_INFINITY): void {
  if (bytes > maxBytes) throw limitExceeded(`${name} has ${bytes} bytes, more than the limit of ${maxBytes}`);
}

/** An HTML page instead of an archive counts as an invalid archive. */
function withoutPages(error: unknown): never {
  if (!isZarrError(error, "Network") || error.code !== "html-page") throw error;
  throw invalidMetadata(error.message, { code: "bad-zip", status: error.status, cause: error });
}

function damaged(name: string, what: string, code: ErrorCode<"CorruptChunk">): ZarrError {
  return corruptChunk(`${name} ${what}`, { code });
}
