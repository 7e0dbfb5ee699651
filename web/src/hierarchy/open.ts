/** Opens arrays and groups, and the stores that URLs refer to. */

import { HttpStore } from "../store/http/store.js";
import { isFileName, isParquetFolder, normalizePath } from "../store/path.js";
import { isStore, type Store } from "../store/store.js";
import { invalidArgument } from "../util/errors.js";
import { lazy } from "../util/lazy.js";
import type { Limits } from "../util/limits.js";
import { isFileUrl } from "../util/platform.js";
import type { ZarrArray } from "./array.js";
import type { OpenedNode, ZarrGroup } from "./group.js";
import { checkOpenOptions, Opener, type OpenOptions } from "./opener.js";

/**
 * Opens a Zarr array or group of any version.
 * @throws NotFound if there is no node at the path, or one of another kind; InvalidMetadata, UnknownCodec,
 *   Unsupported or LimitExceeded if it cannot be read; Network if the source fails.
 */
export async function open(source: Source, options: OpenOptions & { kind: "array" }): Promise<ZarrArray>;
export async function open(source: Source, options: OpenOptions & { kind: "group" }): Promise<ZarrGroup>;
export async function open(source: Source, options?: OpenOptions): Promise<OpenedNode>;
export async function open(source: Source, options: OpenOptions = {}): Promise<OpenedNode> {
  const repository = icechunkUrl(source);
  checkOpenOptions(options);
  const place = isPipeline(source) ? undefined : resolveSource(repository ?? source, options.limits);
  const path = normalizePath(options.path ?? "");
  options.signal?.throwIfAborted();
  if (!place) return (await otherStores()).openPipeline(source as string, options, storeOf, open);
  const store = typeof place === "function" ? await place() : place;
  const { branch, tag, snapshot, asOf } = options;
  if (repository !== undefined || [branch, tag, snapshot, asOf].some((version) => version !== undefined)) {
    const { openRepository } = await otherStores();
    return new Opener(await openRepository(store, options), options).open(path, options);
  }
  const named = await namedStore(source, store, options);
  const opener = new Opener(named ?? store, options);
  try {
    return await opener.open(path, options);
  } catch (error) {
    if (options.otherFormats === false || !opener.mayHoldOther(error)) throw error;
    const other = await (await otherStores()).findOther(store, source, options, error);
    return new Opener(other.store, options).open(other.path, options);
  }
}

/** Like {@link open}, for a store that is known to hold Zarr documents: does not look for other formats. */
export async function openPlain(store: Store, options: OpenOptions & { kind: "array" }): Promise<ZarrArray>;
export async function openPlain(store: Store, options: OpenOptions & { kind: "group" }): Promise<ZarrGroup>;
export async function openPlain(store: Store, options: OpenOptions): Promise<OpenedNode>;
export async function openPlain(store: Store, options: OpenOptions): Promise<OpenedNode> {
  checkOpenOptions(options);
  return new Opener(store, options).open(normalizePath(options.path ?? ""), options);
}

/** Lazy part: ZIP archives, Icechunk repositories, kerchunk references, URL pipelines. */
const otherStores = lazy("other kinds of stores", () => import("../formats/part.js"));
const fileSystem = lazy("files", () => import("../store/file/store.js"));

/**
 * Source to read from: the URL (http, https; file in Node) of a folder or of a .zip archive, a URL pipeline such as
 * `https://host/a.zip|zip:data|zarr3:` (as a string), or a store.
 */
export type Source = string | URL | Store;

/** Opens the store of a source. @throws InvalidArgument if it is neither a URL nor a store. */
export async function storeOf(source: Source): Promise<Store> {
  const store = resolveSource(source);
  return typeof store === "function" ? store() : store;
}

/** How to open a local source. */
const remedy =
  "for local files, use ArrayFileStore of zarr-wasm/formats; for folders, FileSystemStore of zarr-wasm/node";

/** Returns the store of a source, or a function that loads and opens one of the less common kinds. */
function resolveSource(source: Source, limits?: Partial<Limits>): Store | (() => Promise<Store>) {
  if (isStore(source)) return source;
  if (!(typeof source === "string" || source instanceof URL))
    throw invalidArgument(`the source must be a URL or a store; ${remedy}`);
  let url: URL;
  try {
    url = new URL(source, globalThis.location?.href);
  } catch (cause) {
    throw invalidArgument(`"${source}" is not a URL; ${remedy}`, { cause });
  }
  const isHttp = url.protocol === "http:" || url.protocol === "https:";
  if (!isHttp && !isFileUrl(url))
    throw invalidArgument(`cannot read from ${url.protocol} URLs; use an https URL`);
  if (/\.(zip|ozx)$/i.test(url.pathname))
    return async () => new (await otherStores()).ZipStore(url, { limits });
  return isHttp ? new HttpStore(url) : async () => new (await fileSystem()).FileSystemStore(url);
}

/** Whether a source is a URL pipeline. URL objects are single URLs, because the path of a file may contain "|". */
export const isPipeline = (source: Source): source is string =>
  typeof source === "string" && /\||^(?:n5|precomputed):/i.test(source);

/** Returns the URL in `icechunk+URL`; undefined for other sources. */
function icechunkUrl(source: Source): string | undefined {
  const text = source instanceof URL ? source.href : source;
  return typeof text === "string" && /^icechunk\+/i.test(text) ? text.slice("icechunk+".length) : undefined;
}

/** Opens the references or the file that the name in a URL promises; undefined if there are none. */
async function namedStore(source: Source, store: Store, options: OpenOptions): Promise<Store | undefined> {
  const url = !isStore(source) ? source : source instanceof HttpStore ? source.url : undefined;
  if (url === undefined) return undefined;
  const { pathname } = new URL(url, globalThis.location?.href);
  if (isParquetFolder(pathname))
    return isStore(source) ? undefined : (await otherStores()).findReferences(store, options);
  const isFile = isFileName(pathname) && options.otherFormats !== false;
  return isFile
    ? (await otherStores()).findFile(isStore(source) ? { store, key: "" } : url, options)
    : undefined;
}
