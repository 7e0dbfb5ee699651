/** kerchunk references as Zarr stores: chunks are byte ranges of files of other formats. */

import { copyHeaders, type HeadersFor } from "../../store/http/requests.js";
import { HttpClient, type HttpStoreOptions, httpOptions } from "../../store/http/store.js";
import { namesParquetFolder, normalizePath } from "../../store/path.js";
import { cutRange, RangedStore, resolveRange, wantedBytes } from "../../store/read.js";
import { byteReader, type StoredObject, sourceUrl } from "../../store/source/byte-reader.js";
import { isStore, joinKey, type RangeQuery, type Store, type StoreGetOptions } from "../../store/store.js";
import { checkConstructor, type OptionNames } from "../../util/arguments.js";
import { invalidArgument, limitExceeded, networkError, notFound } from "../../util/errors.js";
import { type Limits, resolveLimits } from "../../util/limits.js";
import { isFileUrl } from "../../util/platform.js";
import { inSlices } from "../../util/slices.js";
import { ListedReferences } from "./document.js";
import { type FolderLimits, FolderReferences } from "./folder.js";
import {
  documentUrl,
  folderText,
  type ReferenceFolder,
  type References,
  resolveFolder,
  type StoredTarget,
  targetUrl,
} from "./place.js";

/**
 * Options. Those of HttpStore apply to the document and to targets with URLs, but `headers` are only sent to the
 * document's origin, as a document can name any host.
 */
export interface ReferenceStoreOptions extends HttpStoreOptions {
  /**
   * Limits that differ from the defaults: `indexBytes` of the document, or of each Parquet file and its decompressed
   * pages; `references`, 2 097 152 for each Parquet file.
   */
  limits?: Partial<Limits> | undefined;
  /** Base URL of relative targets. Default: the document's URL. */
  base?: string | URL | undefined;
  /** The object that references without a URL refer to. */
  target?: string | URL | undefined;
  /**
   * Returns the location of a target: a URL (http, https, file), or an object in a store. Undefined selects the default,
   * which reads s3:// and gs:// from their public endpoints.
   */
  resolve?: ((target: string) => string | URL | StoredObject | undefined) | undefined;
  /** Values of templates, which override the document's. */
  templates?: Record<string, string> | undefined;
}

const referenceOptions: OptionNames<ReferenceStoreOptions> = {
  ...httpOptions,
  limits: true,
  base: true,
  target: true,
  resolve: true,
  templates: true,
};

/** Size of the cache of Parquet references, not counting the file last read. */
const cacheBytes = 2 ** 26;

/** A range of a target, or all of it. */
type OptionalRange = RangeQuery | undefined;

/**
 * A store of kerchunk references to byte ranges of files: JSON of version 0 or 1, or a folder of Parquet files. A target
 * that is missing or too short is an error (Network, "bad-target"), not a missing key.
 */
export class ReferenceStore extends RangedStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "ReferenceStore";
  }

  #references: References;
  readonly #options: ReferenceStoreOptions;
  readonly #client: HttpClient;
  readonly #base: URL | undefined;
  readonly #target: URL | undefined;

  /**
   * @param document the parsed document. `ReferenceStore.open` reads one without blocking.
   * @param origin URL of the document. Default: `options.base`.
   * @throws InvalidMetadata, Unsupported or LimitExceeded for an invalid document.
   */
  constructor(document: unknown, options: ReferenceStoreOptions = {}, origin?: URL) {
    checkConstructor(options, "store", referenceOptions);
    super();
    const references = listedReferences(options);
    references.addDocument(document);
    this.#references = references;
    this.#options = options;
    this.#base = options.base === undefined ? undefined : parseUrl(options.base);
    this.#client = new HttpClient(options, makeTargetHeaders(options, origin ?? this.#base));
    this.#target = options.target === undefined ? undefined : parseUrl(options.target, this.#base);
  }

  /**
   * Opens a document, or a folder of Parquet files by its `.zmetadata`; the files are read when a chunk needs them.
   * @param source its URL (http, https; file in Node), the path of a file (Node), or an object in a store. Names that end
   *   in `.parq`, `.parquet` or `/.zmetadata` are folders, and so are names other than `.json` without an object; a store
   *   is a folder.
   * @throws NotFound if there is none; Network; errors of the constructor.
   */
  static async open(
    source: string | URL | StoredObject | Store,
    options: ReferenceStoreOptions & StoreGetOptions = {},
  ): Promise<ReferenceStore> {
    checkConstructor(options, "store", { ...referenceOptions, signal: true, version: true });
    const { signal, ...own } = options;
    if (isStore(source) || namesParquetFolder(sourcePath(source)))
      return ReferenceStore.#openFolder(source, own, signal);
    const { name, url, read } = byteReader(source, own);
    const origin = await url?.();
    const maxBytes = resolveLimits(own.limits).indexBytes;
    const bytes = await read(undefined, { signal, maxBytes });
    if (!bytes) {
      if (/\.json$/i.test(sourcePath(source))) throw notFound(`${name} does not exist`);
      return ReferenceStore.#openFolder(source, own, signal, `${name} does not exist, and `);
    }
    if (bytes.byteLength > maxBytes) {
      throw limitExceeded(`${name} has ${bytes.byteLength} bytes, more than the limit of ${maxBytes}`);
    }
    const references = listedReferences(own);
    await inSlices(references.addBytes(bytes, name), signal);
    return ReferenceStore.#of(references, own, origin);
  }

  static async #openFolder(
    source: string | URL | StoredObject | Store,
    options: ReferenceStoreOptions,
    signal: AbortSignal | undefined,
    missing = "",
  ): Promise<ReferenceStore> {
    const place = await resolveFolder(source, options);
    const found = await ReferenceStore.find(place, options, signal);
    if (!found) throw notFound(`${missing}there are no references in ${folderText(place)}`);
    return found;
  }

  /**
   * Opens a folder of references in Parquet files.
   * @returns undefined if there is none.
   * @internal
   */
  static async find(
    place: ReferenceFolder,
    options: ReferenceStoreOptions,
    signal: AbortSignal | undefined,
  ): Promise<ReferenceStore | undefined> {
    if (place.store instanceof ReferenceStore) return undefined;
    const found = await FolderReferences.find(place, folderLimits(options), signal);
    if (!found) return undefined;
    const origin = await documentUrl(place);
    return ReferenceStore.#of(found, options, origin);
  }

  /** @param origin URL of the document; undefined if it has none. */
  static #of(
    references: References,
    options: ReferenceStoreOptions,
    origin: URL | undefined,
  ): ReferenceStore {
    const store = new ReferenceStore({}, { ...options, base: options.base ?? origin }, origin);
    store.#references = references;
    return store;
  }

  locate(key: string): string {
    return this.#base ? `${this.#base}!${key}` : key;
  }

  /** Lists the keys with references; for Parquet files only those of documents. */
  *list(path: string): Generator<string> {
    const prefix = joinKey(normalizePath(path), "");
    for (const key of this.#references.keys()) if (key.startsWith(prefix)) yield key;
  }

  async listChildren(path: string): Promise<string[]> {
    return this.#references.children(normalizePath(path));
  }

  /** @internal Whether `list` gives the keys of chunks. */
  get listsChunks(): boolean {
    return this.#references instanceof ListedReferences;
  }

  /** @internal The document and its targets, each once, except targets without a URL. */
  async *placesRead(_path: string, isFile: boolean): AsyncGenerator<URL> {
    const base = this.#base;
    if (base && isFileUrl(base) === isFile) yield base;
    // Only local documents may refer to local files.
    if (isFile && !(base && isFileUrl(base)) && !this.#options.resolve) return;
    for await (const named of this.#references.named()) {
      const location = this.#targetUrl(named);
      if (location && isFileUrl(location) === isFile) yield location;
    }
  }

  #targetUrl(named: string | null): URL | undefined {
    try {
      const location = this.#resolve(named);
      return location instanceof URL ? location : undefined;
    } catch {
      return undefined; // reading it reports the error
    }
  }

  /** @internal */
  async readPart(
    key: string,
    wanted: OptionalRange,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    const path = `/${normalizePath(key)}`;
    const reference = await this.#references.find(path, options.signal);
    if (!reference) return undefined;
    if ("bytes" in reference) return wanted ? cutRange(reference.bytes, wanted) : reference.bytes;
    return this.#fetch(reference, wanted, path, options);
  }

  async #fetch(
    reference: StoredTarget,
    wanted: OptionalRange,
    key: string,
    options: StoreGetOptions,
  ): Promise<Uint8Array> {
    const range = targetRange(reference, wanted);
    // A reference with an offset has a size that the target must provide.
    const told = range && reference.offset !== undefined ? wantedBytes(range) : undefined;
    if (told === 0) return new Uint8Array(0);
    const reader = byteReader(this.#resolve(reference.url), this.#options, this.#client);
    const bytes = await reader.read(range, options);
    const what = `${key}: ${reader.name}`;
    if (!bytes) throw networkError(`${what} is missing`, { code: "bad-target" });
    if (told !== undefined && bytes.byteLength < told) {
      throw networkError(`${what} is ${told - bytes.byteLength} bytes too short`, { code: "bad-target" });
    }
    return bytes;
  }

  /** Returns the location of a target. */
  #resolve(named: string | null): URL | StoredObject {
    if (named === null) {
      if (this.#target) return this.#target;
      throw invalidArgument(
        "some references have no URL; pass the URL of the object that contains them as `target`",
      );
    }
    const resolved = this.#options.resolve?.(named);
    if (resolved === undefined) return targetUrl(named, this.#base);
    return typeof resolved === "string" || resolved instanceof URL
      ? parseUrl(resolved, this.#base)
      : resolved;
  }
}

/** Returns the headers for targets: `headers` for the document's origin only. */
const makeTargetHeaders =
  ({ headers }: ReferenceStoreOptions, document: URL | undefined): HeadersFor =>
  async (url) =>
    copyHeaders(url.origin === document?.origin ? headers : undefined);

const listedReferences = ({ templates = {}, limits }: ReferenceStoreOptions): ListedReferences =>
  new ListedReferences(templates, resolveLimits(limits).references);

function folderLimits({ limits }: ReferenceStoreOptions): FolderLimits {
  const { indexBytes, references } = resolveLimits({ references: 2 ** 21, ...limits });
  return { fileBytes: indexBytes, rows: references, cacheBytes };
}

/** Names a source in messages, without the query of a URL. */
function sourcePath(source: string | URL | StoredObject): string {
  if (typeof source === "string" || source instanceof URL)
    return sourceUrl(source)?.pathname ?? String(source);
  return typeof source?.key === "string" ? source.key : "";
}

/** Returns the range of a target for a range of a reference. */
function targetRange(reference: StoredTarget, wanted: OptionalRange): OptionalRange {
  if (reference.offset === undefined) return wanted;
  const { start, end } = wanted
    ? resolveRange(wanted, reference.length)
    : { start: 0, end: reference.length };
  return { offset: reference.offset + start, length: end - start };
}

/** Parses a URL from the caller, which may be of a local file. */
function parseUrl(location: string | URL, base?: URL): URL {
  try {
    return new URL(location, base ?? (globalThis as { location?: { href: string } }).location?.href);
  } catch (cause) {
    throw invalidArgument(`"${location}" is not a URL`, { cause });
  }
}
