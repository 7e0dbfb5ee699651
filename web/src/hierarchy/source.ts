/** Sources: the stores that URLs refer to. */

import { HttpStore } from "../store/http/store.js";
import { isParquetFolder } from "../store/path.js";
import { isStore, type Store } from "../store/store.js";
import { invalidArgument } from "../util/errors.js";
import { lazy } from "../util/lazy.js";
import { isFileUrl } from "../util/platform.js";

/** Lazy part: ZIP archives, Icechunk repositories, kerchunk references, URL pipelines. */
export const otherStores = lazy("other kinds of stores", () => import("../formats/part.js"));
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

/** Returns the store of a source, or a function that loads and opens one of the less common kinds. */
export function resolveSource(source: Source): Store | (() => Promise<Store>) {
  if (isStore(source)) return source;
  if (!(typeof source === "string" || source instanceof URL))
    throw invalidArgument("the source must be a URL or a store");
  let url: URL;
  try {
    url = new URL(source, globalThis.location?.href);
  } catch (cause) {
    throw invalidArgument(`"${source}" is not a URL (for folders: FileSystemStore of zarr-wasm/node)`, {
      cause,
    });
  }
  const isHttp = url.protocol === "http:" || url.protocol === "https:";
  if (!isHttp && !isFileUrl(url)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  if (/\.(zip|ozx)$/i.test(url.pathname)) return async () => new (await otherStores()).ZipStore(url);
  return isHttp ? new HttpStore(url) : async () => new (await fileSystem()).FileSystemStore(url);
}

/** Whether a source is a URL pipeline. URL objects are single URLs, because the path of a file may contain "|". */
export const isPipeline = (source: Source): source is string =>
  typeof source === "string" && source.includes("|");

/** Returns the URL in `icechunk+URL`; undefined for other sources. */
export function icechunkUrl(source: Source): string | undefined {
  const text = source instanceof URL ? source.href : source;
  return typeof text === "string" && /^icechunk\+/i.test(text) ? text.slice("icechunk+".length) : undefined;
}

/** Whether the name in a URL identifies a folder of kerchunk references. */
export function isReferenceFolder(source: Source): boolean {
  return !isStore(source) && isParquetFolder(new URL(source, globalThis.location?.href).pathname);
}
