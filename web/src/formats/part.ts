/**
 * Lazy part: ZIP archives, and stores of other formats. Detects Icechunk repositories and references in stores without
 * a Zarr node, and opens URL pipelines, a URL followed by adapters, such as `https://host/a.zip|zip:data|zarr3:`.
 * Spec: https://github.com/jbms/url-pipeline
 */

import type { ZarrVersion } from "../codecs/definition.js";
import { HttpStore } from "../store/http/store.js";
import { isFileName, isParquetFolder, joinPath, normalizePath } from "../store/path.js";
import { locateKey, readRange } from "../store/read.js";
import { type ByteSource, byteReader, type StoredObject } from "../store/source/byte-reader.js";
import { readableFormats } from "../store/source/file-formats.js";
import { isStore, joinKey, type RangeQuery, type Store, type StoreGetOptions } from "../store/store.js";
import { ZipStore } from "../store/zip/store.js";
import { invalidArgument, isZarrError, notFound, type OnWarning, unsupported } from "../util/errors.js";
import { lazy } from "../util/lazy.js";
import type { Limits } from "../util/limits.js";
import { type Kept, LruCache } from "../util/lru.js";
import { cachedFor } from "../util/platform.js";
import { type ArrayFileStore, openFile } from "./array-file/store.js";
import type { FolderKind } from "./folder/part.js";
import { isObjectId } from "./icechunk/format.js";
import { IcechunkStore } from "./icechunk/store.js";
import type { VirtualBase } from "./icechunk/virtual.js";
import { isForbidden } from "./kerchunk/place.js";
import { ReferenceStore } from "./kerchunk/store.js";

export { ZipStore } from "../store/zip/store.js";

const schemes = ["zip", "zarr", "zarr2", "zarr3", "icechunk", "n5", "neuroglancer-precomputed"] as const;
type Scheme = (typeof schemes)[number];

/** Formats of folders by their scheme. */
const folderSchemes: Readonly<Partial<Record<Scheme, FolderKind>>> = {
  n5: "n5",
  "neuroglancer-precomputed": "precomputed",
};

const folders = lazy("folders of other formats", () => import("./folder/part.js"));

/** Maximum number of adapters. */
const maxAdapters = 16;
/** Maximum number of characters of a pipeline that messages quote. */
const maxQuoted = 200;

/** Version of an Icechunk repository. */
type RepositoryVersion = Pick<DetectOptions, "branch" | "tag" | "snapshot">;

interface Adapter {
  readonly scheme: Scheme;
  /** Decoded path in the result of the adapters before, normalised; "" for its root. */
  readonly path: string;
  /** The version in `icechunk://VERSION/`; undefined if there is none. */
  readonly version: RepositoryVersion | undefined;
}

interface Pipeline {
  /** URL of the archive, repository or folder. */
  readonly root: string;
  readonly adapters: readonly Adapter[];
}

/** Options of `open` that pipelines set. */
interface PipelineOptions extends DetectOptions {
  readonly kind?: "array" | "group" | undefined;
}

/**
 * Parses a URL pipeline. Schemes are case-insensitive, and a colon at the end is optional.
 * @throws InvalidArgument for a malformed pipeline, Unsupported for unknown schemes.
 */
export function parsePipeline(text: string): Pipeline {
  const [root = "", ...parts] = text.split("|");
  const quoted = quote(text);
  if (parts.length > maxAdapters)
    throw invalidArgument(`a URL pipeline has at most ${maxAdapters} adapters, got ${parts.length}`);
  if (root === "" || parts.includes("")) throw invalidArgument(`${quoted} has an empty part between "|"`);
  if (text.includes("#"))
    throw invalidArgument(
      `a URL pipeline cannot have a fragment, got ${quoted}; write %23 for "#" in a name`,
    );
  const adapters = parts.map((part) => parseAdapter(part, quoted));
  checkOrder(adapters, quoted);
  return { root, adapters };
}

function parseAdapter(part: string, quoted: string): Adapter {
  const [, name, body] = /^([a-z][a-z0-9+.-]*)(?::(.*))?$/is.exec(part) ?? [];
  const scheme = schemes.find((known) => known === name?.toLowerCase());
  if (scheme === undefined) {
    const hint = body === undefined ? '; write %7C for "|" in a name' : "";
    const found = name === undefined ? quote(part) : quote(`${name}:`);
    throw unsupported(`unsupported scheme ${found} in ${quoted}; supported are ${schemes.join(", ")}${hint}`);
  }
  if (body?.includes("?"))
    throw invalidArgument(`"${scheme}:" in ${quoted} cannot have a query; write %3F for "?" in a name`);
  const [, authority, below] = /^\/\/([^/]*)(.*)$/s.exec(body ?? "") ?? [];
  if (scheme !== "icechunk" || !authority)
    return { scheme, path: decodedPath(body ?? "", quoted), version: undefined };
  return { scheme, path: decodedPath(below!, quoted), version: repositoryVersion(authority, quoted) };
}

function repositoryVersion(authority: string, quoted: string): RepositoryVersion {
  const decoded = decode(authority, quoted);
  const [, kind, name] = /^(branch|tag)\.(.+)$/s.exec(decoded) ?? [];
  if (kind !== undefined) return { [kind]: name };
  if (isObjectId(decoded)) return { snapshot: decoded };
  throw invalidArgument(
    `"icechunk:" in ${quoted} must name a version as branch.NAME, tag.NAME or the id of a snapshot, got ${quote(decoded)}`,
  );
}

function checkOrder(adapters: readonly Adapter[], quoted: string): void {
  adapters.forEach(({ scheme }, i) => {
    const before = adapters[i - 1]?.scheme;
    if (before === "zip" && scheme === "zip" && adapters[i - 1]!.path === "")
      throw invalidArgument(`the first "zip:" in ${quoted} must name the inner archive`);
    if (before === undefined || before === "zip" || (before === "icechunk" && scheme.startsWith("zarr")))
      return;
    throw invalidArgument(`"${scheme}:" cannot follow "${before}:" in ${quoted}`);
  });
}

const decodedPath = (path: string, quoted: string): string => normalizePath(decode(path, quoted));

function decode(text: string, quoted: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw invalidArgument(`${quoted} has an invalid percent-encoding; write %25 for "%" in a name`, {
      cause,
    });
  }
}

const quote = (text: string): string =>
  JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text);

/**
 * Opens the node that a pipeline names.
 * @param rootStore opens the store of the URL before the adapters.
 * @param open opens a node of a store.
 */
export async function openPipeline<
  Options extends PipelineOptions,
  Node extends { readonly kind: string; readonly zarrFormat: ZarrVersion },
>(
  text: string,
  given: Options,
  rootStore: (root: string) => Promise<Store>,
  open: (store: Store, options: Options) => Promise<Node>,
): Promise<Node> {
  const pipeline = parsePipeline(withAdapter(text));
  const { options, version } = mergeOptions(pipeline, given, quote(text));
  const { store, path } = await openStore(pipeline, options, rootStore);
  const isRepository = pipeline.adapters.some(({ scheme }) => scheme === "icechunk");
  const opened = {
    ...options,
    path: joinPath(path, given.path ?? ""),
    ...(isRepository ? { branch: undefined, tag: undefined, snapshot: undefined, asOf: undefined } : {}),
  };
  try {
    return await open(store, { ...opened, version: version ?? given.version });
  } catch (error) {
    if (version === undefined || !isZarrError(error, "NotFound") || error.code !== "not-found") throw error;
    const other = await open(store, { ...opened, kind: undefined, version: undefined }).catch(
      () => undefined,
    );
    given.signal?.throwIfAborted();
    if (!other || other.zarrFormat === version) throw error;
    const found = `a Zarr v${other.zarrFormat} ${other.kind} at ${locateKey(store, joinKey(opened.path, ""))}`;
    throw notFound(`expected Zarr v${version} because of "zarr${version}:", found ${found}`, {
      cause: error,
    });
  }
}

/** Returns Neuroglancer's older form of a URL, such as `precomputed://gs://bucket/volume`, as a pipeline. */
function withAdapter(text: string): string {
  const [, scheme, location] = /^(n5|precomputed):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) return text;
  const url = location!
    .replace(/^gs:\/\//i, "https://storage.googleapis.com/")
    .replace(/^s3:\/\/([^/]*)/i, "https://$1.s3.amazonaws.com");
  const [root, ...adapters] = url.split("|");
  return [root, ...adapters, scheme.toLowerCase() === "n5" ? "n5:" : "neuroglancer-precomputed:"].join("|");
}

/** Combines the versions in a pipeline with the caller's options. @throws InvalidArgument if they conflict. */
function mergeOptions<Options extends PipelineOptions>(
  { adapters }: Pipeline,
  given: Options,
  quoted: string,
): { options: Options; version: 2 | 3 | undefined } {
  const scheme = adapters.at(-1)!.scheme;
  const version = scheme === "zarr2" ? 2 : scheme === "zarr3" ? 3 : undefined;
  if (version !== undefined && given.version !== undefined && given.version !== version)
    throw invalidArgument(`version is ${given.version}, but ${quoted} has "${scheme}:"`);
  const repository = adapters.find((adapter) => adapter.version)?.version;
  const [other] = (["branch", "tag", "snapshot"] as const).filter((name) => given[name] !== undefined);
  if (repository && other !== undefined)
    throw invalidArgument(
      `${other} is ${quote(String(given[other]))}, but ${quoted} names a version as well`,
    );
  return { options: { ...given, ...repository }, version };
}

/** Opens the archives and the repository of a pipeline, and returns the path of the node in the last one. */
async function openStore(
  { root, adapters }: Pipeline,
  options: PipelineOptions,
  rootStore: (root: string) => Promise<Store>,
): Promise<{ store: Store; path: string }> {
  const { limits } = options;
  let store = await rootStore(root);
  let path = "";
  for (const [i, adapter] of adapters.entries()) {
    if (adapter.scheme === "zip" && i > 0)
      store = new ZipStore({ store, key: joinKey(path, "").slice(0, -1) }, { limits });
    // URLs of archives may have any name; rootStore knows them by their file extension.
    else if (adapter.scheme === "zip" && !(store instanceof ZipStore))
      store = new ZipStore(new URL(root, globalThis.location?.href), { limits });
    if (adapter.scheme === "icechunk")
      store = await openRepository(path === "" ? store : new SubfolderStore(store, path), options);
    const folder = folderSchemes[adapter.scheme];
    // Each folder of N5 stands for itself: those above need no documents.
    const isN5 = folder === "n5";
    if (folder) {
      const place = isN5 ? joinPath(path, adapter.path) : path;
      store = await (await folders()).openFolder(store, place, folder, options);
    }
    const isInside = adapter.scheme === "zip" || adapter.scheme === "icechunk" || folder !== undefined;
    path = isN5 ? "" : isInside ? adapter.path : joinPath(path, adapter.path);
  }
  return { store, path };
}

/** A folder of a store as a read-only store. */
class SubfolderStore implements Store {
  constructor(
    private readonly base: Store,
    private readonly folder: string,
  ) {}

  get(key: string, options?: StoreGetOptions): ReturnType<Store["get"]> {
    return this.base.get(this.#key(key), options);
  }

  getRange(key: string, range: RangeQuery, options?: StoreGetOptions): ReturnType<Store["get"]> {
    return readRange(this.base, this.#key(key), range, options);
  }

  locate(key: string): string {
    return locateKey(this.base, this.#key(key));
  }

  /** @internal */
  async *placesRead(): AsyncGenerator<Store> {
    yield this.base;
  }

  #key(key: string): string {
    return `/${this.folder}${key}`;
  }
}

/** Which Zarr version to look for, and which version of an Icechunk repository. */
interface DetectOptions {
  /** Path of the node below the source. */
  readonly path?: string | undefined;
  readonly onWarning?: OnWarning | undefined;
  readonly version?: ZarrVersion | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A branch of an Icechunk repository, at its newest version. Default: "main". */
  readonly branch?: string | undefined;
  readonly tag?: string | undefined;
  readonly snapshot?: string | undefined;
  readonly asOf?: Date | string | undefined;
  readonly virtual?: Readonly<Record<string, VirtualBase>> | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** Opens the version of an Icechunk repository that the options select. @throws as `IcechunkStore.open`. */
export async function openRepository(store: Store, options: DetectOptions): Promise<Store> {
  return IcechunkStore.open(store, icechunkOptions(options));
}

/**
 * Opens the contents of a store without a Zarr node. Over HTTP, the name decides on the requests, because each kind costs
 * a request or two even if the source does not exist.
 * @param source URL of the store, or the store itself.
 * @param missing the error of looking for a node.
 * @returns a store, and the path of the node in it.
 * @throws Unsupported if the URL is a file that cannot be read; the error of looking if nothing is detected; the errors of
 *   invalid contents.
 */
export async function findOther(
  store: Store,
  source: unknown,
  options: DetectOptions,
  missing: unknown,
): Promise<{ readonly store: Store; readonly path: string }> {
  const { version, signal } = options;
  signal?.throwIfAborted(); // before loading anything
  const path = normalizePath(options.path ?? "");
  const remote = store instanceof HttpStore ? store.url.pathname : undefined;
  const isRemoteFile = remote !== undefined && isFileName(remote);
  const repository = version === 2 || isRemoteFile ? undefined : await findRepository(store, options);
  if (repository) return { store: repository, path };
  const file = version === undefined || version === 3 ? await findInside(store, source, options) : undefined;
  if (file) return file;
  if (isRemoteFile && path === "" && !isParquetFolder(remote)) explainFile(store as HttpStore, missing);
  const folder =
    version === 2 || isRemoteFile ? undefined : await (await folders()).findFolder(store, path, options);
  if (folder) return folder;
  // Over HTTP, references are looked for only at names of Parquet folders; `open` has looked for those in URLs.
  const isKnown = remote !== undefined && (!isParquetFolder(remote) || !isStore(source));
  if (version === 3 || isKnown) throw missing;
  const references = await findReferences(store, options).catch(damaged(missing));
  if (!references) throw missing;
  return { store: references, path };
}

/** Number of files of a store that are kept open. */
const maxOpenFiles = 16;

/** Files last opened in a store, by key: nodes are opened one by one, but share the metadata that has been read. */
const openFilesOf = cachedFor(
  (_store: Store) => new LruCache<Kept & { readonly file: ArrayFileStore }>(maxOpenFiles),
);

/**
 * Opens a file whose URL has the name of one; undefined if there is no file of a known format.
 * @throws Unsupported if it cannot be read; errors of the parser and of the source.
 */
export async function findFile(
  source: ByteSource,
  { limits, onWarning, signal }: DetectOptions,
): Promise<Store | undefined> {
  const { store, key = "" } = source as Partial<StoredObject>;
  const opened = store && openFilesOf(store);
  const known = opened?.get(key)?.file;
  try {
    if (await known?.isCurrent(signal)) return known;
    const file = await openFile(byteReader(source, {}), { limits, onWarning, signal });
    if (file) opened?.set({ key, bytes: 1, file });
    return file;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Says in an error that the file at a URL is missing, or has an unknown format. */
function explainFile({ url }: HttpStore, missing: unknown): void {
  if (!isZarrError(missing, "NotFound")) return;
  const formats = `supported formats of files are ${readableFormats}`;
  missing.message = `no Zarr array or group found: ${url.href} is missing, or of an unknown format; ${formats}`;
}

/** Whether an error means that a URL is a folder, a page, or missing. */
const isAbsence = (error: unknown): boolean =>
  isZarrError(error, "NotFound") ||
  isForbidden(error) ||
  (isZarrError(error, "Network") && error.code === "html-page");

/**
 * Looks for a file in place of the source, then at the start of the path: "data/a.nc/temp" is the array "temp" of the file
 * "data/a.nc".
 */
async function findInside(
  store: Store,
  source: unknown,
  options: DetectOptions,
): Promise<{ readonly store: Store; readonly path: string } | undefined> {
  const path = normalizePath(options.path ?? "");
  const place = placeOf(source, store);
  const whole = place && (await findFile(place.file, options));
  if (whole) return { store: whole, path: joinPath(place.path, path) };
  const divided = divideAtFile(path);
  const inner = divided && (await findFile({ store, key: joinKey("", divided.file) }, options));
  return inner && { store: inner, path: divided.below };
}

/** Divides a path after the first segment with the name of a file; undefined if there is none. */
function divideAtFile(path: string): { readonly file: string; readonly below: string } | undefined {
  const parts = path.split("/");
  const end = parts.findIndex(isFileName) + 1;
  return end === 0 ? undefined : { file: parts.slice(0, end).join("/"), below: parts.slice(end).join("/") };
}

/**
 * Returns the file that a source may be, and the path in it; undefined for other stores. A URL is divided after the first
 * segment with the name of a file; other URLs may be of files, too: their servers know the name.
 */
function placeOf(
  source: unknown,
  store: Store,
): { readonly file: ByteSource; readonly path: string } | undefined {
  const own = store instanceof HttpStore && isStore(source) ? store.url : undefined;
  if (!isUrl(source) && !own) return undefined;
  const url = new URL(own ?? (source as string | URL), globalThis.location?.href);
  const divided = divideAtFile(url.pathname);
  const path = decodedPath(divided?.below ?? "", quote(url.href));
  if (store instanceof ZipStore || /\.zarr\/?$/i.test(url.pathname)) return undefined;
  // `open` has read files with the name of one.
  if (divided && (own || path === "") && !isParquetFolder(url.pathname)) return undefined;
  if (own) return { file: { store, key: "" }, path: "" };
  if (divided) url.pathname = divided.file;
  return { file: url, path };
}

const isUrl = (source: unknown): source is string | URL =>
  typeof source === "string" || source instanceof URL;

/** Reports an invalid document as the reason why nothing was found: no name says that it has references. */
const damaged = (missing: unknown) => (cause: unknown) => {
  if (!isZarrError(cause, "InvalidMetadata") || cause.code !== "not-json") throw cause;
  if (!isZarrError(missing, "NotFound")) throw missing;
  throw notFound(`${missing.message}; ${cause.message}`, { cause });
};

/** Opens references in Parquet files; undefined if there are none. */
export async function findReferences(
  store: Store,
  { signal, limits }: DetectOptions,
): Promise<Store | undefined> {
  return ReferenceStore.find({ store, folder: "" }, { limits }, signal);
}

/** Opens an Icechunk repository; undefined if there is none. */
async function findRepository(store: Store, options: DetectOptions): Promise<Store | undefined> {
  return IcechunkStore.find(store, icechunkOptions(options));
}

/** Selects the options of Icechunk. */
function icechunkOptions({ branch, tag, snapshot, asOf, virtual, limits, signal }: DetectOptions) {
  return { branch, tag, snapshot, asOf, virtual, limits, signal };
}
