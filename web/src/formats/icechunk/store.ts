/** Icechunk repositories as Zarr stores. Each store is one immutable version. */

import { copyHeaders, Requests } from "../../store/http/requests.js";
import { HttpStore, type HttpStoreOptions, httpOptions, requestOptions } from "../../store/http/store.js";
import { normalizePath } from "../../store/path.js";
import { cutRange, RangedStore, readRange, resolveRange } from "../../store/read.js";
import {
  type FileSpan,
  findSpan,
  isStore,
  type OwnStore,
  own,
  type RangeQuery,
  readSpan,
  type Store,
  type StoreGetOptions,
} from "../../store/store.js";
import { checkSignalIn, type OptionNames, pickOptions } from "../../util/arguments.js";
import { invalidArgument, limitExceeded, networkError } from "../../util/errors.js";
import { defaultLimits, type Limits, resolveLimits } from "../../util/limits.js";
import { LoadCache } from "../../util/load-cache.js";
import { isFileUrl } from "../../util/platform.js";
import { fileSystem } from "../kerchunk/place.js";
import { lostObject, objectReader, readFile } from "./format.js";
import { type ChunkReference, Manifest } from "./manifest.js";
import {
  checkVersion,
  type IcechunkCommit,
  type IcechunkRef,
  type IcechunkVersion,
  Repository,
} from "./repository.js";
import { nodeDocument, type Snapshot } from "./snapshot.js";
import { type VirtualOptions, VirtualSources } from "./virtual.js";

/**
 * Selects the version, the virtual chunks and limits. The options of HttpStore apply to a repository with a URL, and all
 * but `headers` and `cache` also to virtual chunks.
 */
export interface IcechunkOptions extends HttpStoreOptions, IcechunkVersion, VirtualOptions {
  /** Limits that differ from the defaults; `indexBytes` (1 GiB) applies to a snapshot, a manifest or the `repo` file. */
  limits?: Partial<Limits> | undefined;
}

const icechunkOptions: OptionNames<IcechunkOptions & { signal?: AbortSignal }> = {
  ...httpOptions,
  branch: true,
  tag: true,
  snapshot: true,
  asOf: true,
  virtual: true,
  checkSources: true,
  limits: true,
  signal: true,
};

/** Location of a chunk in an object, or in a file outside of the repository. */
interface ChunkSpan extends FileSpan {
  readonly reference: Exclude<ChunkReference, { kind: "inline" }>;
  /** URL of a virtual chunk. */
  readonly location: string | undefined;
}

/** A chunk and its array. */
interface FoundChunk {
  readonly reference: ChunkReference;
  readonly manifest: Manifest;
}

const defaultMetadataBytes = 2 ** 30;
/** Size of the cache of manifests, not counting the one last read. */
const manifestCacheBytes = 2 ** 28;

/** The path of an array and the coordinates of a chunk: `a/b/c/0/1`. */
const chunkKey = /^(?:(.*)\/)?c((?:\/\d+)*)$/s;

/**
 * A version of an Icechunk repository (format versions 1 and 2) as a read-only store of Zarr v3 that can list. Lost
 * objects, and sources of virtual chunks that have moved, changed or may not be read, are errors (Network, SourceChanged,
 * NotAllowed), not missing chunks.
 */
export class IcechunkStore extends RangedStore implements OwnStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "IcechunkStore";
  }

  readonly #repository: Repository;
  readonly #snapshot: Snapshot;
  readonly #manifests: LoadCache<Manifest>;
  readonly #virtual: VirtualSources;
  readonly #maxBytes: number;

  private constructor(repository: Repository, snapshot: Snapshot, options: IcechunkOptions) {
    super();
    this.#repository = repository;
    this.#snapshot = snapshot;
    this.#maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
    const metadataBytes = metadataLimit(options);
    this.#manifests = new LoadCache(
      manifestCacheBytes,
      (manifest) => manifest.byteLength,
      (id, signal) => this.#readManifest(id, metadataBytes, signal),
    );
    this.#virtual = virtualSources(repository, options);
  }

  /** @internal */
  get [own](): Pick<Store, "get"> {
    return IcechunkStore.prototype;
  }

  /**
   * Opens a version of a repository.
   * @param source its URL (http, https; file in Node), or a store with the repository as its root.
   * @throws NotFound ("wrong-kind", "no-version"); InvalidMetadata, FutureVersion or LimitExceeded for an unreadable
   *   one; InvalidArgument; Network; the signal's reason.
   */
  static async open(
    source: string | URL | Store,
    options: IcechunkOptions & { signal?: AbortSignal | undefined } = {},
  ): Promise<IcechunkStore> {
    checkSignalIn(options, icechunkOptions);
    const wanted = checkVersion(options);
    const repository = new Repository(await storeAt(source, options), metadataLimit(options));
    virtualSources(repository, options); // checks its options before the first request
    return new IcechunkStore(repository, await repository.open(wanted, options.signal), options);
  }

  /**
   * Opens a repository if the store has one.
   * @returns undefined if it has none.
   * @internal
   */
  static async find(
    store: Store,
    options: IcechunkOptions & { signal?: AbortSignal | undefined },
  ): Promise<IcechunkStore | undefined> {
    if (store instanceof IcechunkStore) return undefined;
    const repository = new Repository(store, metadataLimit(options));
    if (!(await repository.exists(options.signal))) return undefined;
    return new IcechunkStore(
      repository,
      await repository.open(checkVersion(options), options.signal),
      options,
    );
  }

  /** Id of the snapshot. */
  get snapshot(): string {
    return this.#snapshot.id;
  }

  /**
   * Returns the repository's branches as of the first call.
   * @throws Unsupported ("no-listing") for version 1 in a store that cannot list.
   */
  async branches(options: { signal?: AbortSignal | undefined } = {}): Promise<IcechunkRef[]> {
    checkSignalIn(options);
    return this.#repository.refs("branch", options.signal);
  }

  /** The repository's tags. @throws as {@link branches}. */
  async tags(options: { signal?: AbortSignal | undefined } = {}): Promise<IcechunkRef[]> {
    checkSignalIn(options);
    return this.#repository.refs("tag", options.signal);
  }

  /** Yields this version and its ancestors, newest first. Version 1 needs a request for each. */
  history(options: { signal?: AbortSignal | undefined } = {}): AsyncIterable<IcechunkCommit> {
    checkSignalIn(options);
    return this.#repository.history(this.#snapshot, options.signal);
  }

  locate(key: string): string {
    return `${this.#repository.locate("")}!${key}`;
  }

  /** Lists the keys of nodes, not of chunks. */
  *list(path: string): Generator<string> {
    const folder = normalizePath(path);
    for (const node of this.#snapshot.paths())
      if (folder === "" || node.startsWith(`${folder}/`))
        yield node === "" ? "/zarr.json" : `/${node}/zarr.json`;
  }

  listChildren(path: string): string[] {
    return this.#snapshot.children(normalizePath(path));
  }

  /** @internal The repository, and the files or URLs of its virtual chunks that may be read, each once. */
  async *placesRead(_path: string, isFile: boolean): AsyncGenerator<URL | Store> {
    yield this.#repository.store;
    if (this.#virtual.isEmpty) return;
    const seen = new Set<string>();
    for (const id of this.#snapshot.manifests()) {
      const manifest = await this.#manifests.get(id, undefined);
      for (const reference of manifest.references()) {
        if (reference.kind !== "virtual") continue;
        const location = await manifest.resolveLocation(reference);
        if (seen.has(location)) continue;
        seen.add(location);
        const url = await this.#virtual.resolveUrl(location);
        if (url && isFileUrl(url) === isFile) yield url;
      }
    }
  }

  /** @internal */
  async readPart(
    key: string,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    const path = normalizePath(key);
    const document = /^(?:(.*)\/)?zarr\.json$/s.exec(path);
    if (document) {
      const node = this.#snapshot.node(document[1] ?? "");
      const bytes = node && nodeDocument(node, document[1] ?? "", defaultLimits.metadataDepth);
      return bytes && range ? cutRange(bytes, range) : bytes;
    }
    const found = await this.#find(path, options.signal);
    return found && this.#readChunk(key, found, range, options);
  }

  /** Parses the key of a chunk; undefined for other keys. */
  async #find(path: string, signal: AbortSignal | undefined): Promise<FoundChunk | undefined> {
    const chunk = chunkKey.exec(path);
    const node = chunk ? this.#snapshot.node(chunk[1] ?? "") : undefined;
    if (!chunk || node?.kind !== "array") return undefined;
    const coordinates = chunk[2] === "" ? [] : chunk[2]!.slice(1).split("/").map(Number);
    const id = this.#snapshot.manifestFor(node, coordinates);
    if (id === undefined) return undefined;
    const manifest = await this.#manifests.get(id, signal);
    const reference = manifest.find(node.id, coordinates);
    return reference && { reference, manifest };
  }

  async #readManifest(id: string, maxBytes: number, signal: AbortSignal): Promise<Manifest> {
    const key = `/manifests/${id}`;
    const name = this.#repository.locate(key);
    const bytes = await objectReader(this.#repository.store, signal)(key, maxBytes);
    if (!bytes) throw lostObject("a manifest", name);
    return new Manifest(await readFile(bytes, "manifest", name, maxBytes), id);
  }

  async #readChunk(
    key: string,
    { reference, manifest }: FoundChunk,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array> {
    if (reference.kind === "inline") return range ? cutRange(reference.bytes, range) : reference.bytes;
    const { start, end } = range
      ? resolveRange(range, reference.length)
      : { start: 0, end: reference.length };
    const part = { offset: reference.offset + start, length: end - start };
    const maxBytes = Math.min(options.maxBytes ?? Number.POSITIVE_INFINITY, this.#maxBytes);
    if (part.length > maxBytes)
      throw limitExceeded(`${key} has ${part.length} bytes, more than the limit of ${maxBytes}`);
    if (part.length === 0) return new Uint8Array(0);
    if (reference.kind === "native") return this.#readNative(key, reference.id, part, options);
    const location = await manifest.resolveLocation(reference);
    return this.#virtual.read(reference, location, part, options.signal);
  }

  /** @internal */
  async [findSpan](key: string, signal: AbortSignal | undefined): Promise<ChunkSpan | undefined> {
    const found = await this.#find(normalizePath(key), signal);
    if (!found || found.reference.kind === "inline") return undefined;
    const { reference, manifest } = found;
    const { offset, length } = reference;
    if (reference.kind === "native")
      return { file: reference.id, offset, length, reference, location: undefined };
    const location = await manifest.resolveLocation(reference);
    const { etag = "", lastModified = "" } = reference;
    return { file: `${lastModified} ${etag}\n${location}`, offset, length, reference, location };
  }

  /** @internal */
  [readSpan](
    { reference, location }: ChunkSpan,
    part: { offset: number; length: number },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    if (reference.kind === "native")
      return this.#readNative("a chunk", reference.id, part, { signal, maxBytes: part.length });
    return this.#virtual.read(reference, location!, part, signal);
  }

  async #readNative(
    key: string,
    id: string,
    part: { offset: number; length: number },
    options: StoreGetOptions,
  ): Promise<Uint8Array> {
    const { store } = this.#repository;
    const own = `/chunks/${id}`;
    const bytes = await readRange(store, own, part, options);
    const name = this.#repository.locate(own);
    if (!bytes) throw lostObject(`the chunk ${key}`, name);
    if (bytes.byteLength < part.length) {
      const by = part.length - bytes.byteLength;
      throw networkError(`${key}: ${name} is ${by} bytes too short`, { code: "bad-target" });
    }
    return bytes;
  }
}

/** Makes the reader of virtual chunks of a repository. */
function virtualSources(repository: Repository, options: IcechunkOptions): VirtualSources {
  const requests = new Requests(requestOptions(options, async () => copyHeaders(undefined)));
  return new VirtualSources(options, requests, () => repository.containers(undefined));
}

const metadataLimit = ({ limits }: IcechunkOptions): number =>
  Math.min(resolveLimits({ indexBytes: defaultMetadataBytes, ...limits }).indexBytes, 2 ** 31 - 1);

async function storeAt(source: string | URL | Store, options: IcechunkOptions): Promise<Store> {
  if (isStore(source)) return source;
  let url: URL;
  try {
    url = new URL(source, (globalThis as { location?: { href: string } }).location?.href);
  } catch (cause) {
    throw invalidArgument(`"${source}" is not a URL`, { cause });
  }
  if (isFileUrl(url)) return new (await fileSystem()).FileSystemStore(url);
  if (!/^https?:$/.test(url.protocol)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  return new HttpStore(url, pickOptions<HttpStoreOptions>(options, httpOptions));
}
