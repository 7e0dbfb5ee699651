/** Where folders of references are. */

import { v2ConsolidatedKey } from "../../metadata/keys.js";
import { FileSystemStore } from "../../store/file/store.js";
import { HttpStore, type HttpStoreOptions } from "../../store/http/store.js";
import { encodeKey, normalizePath } from "../../store/path.js";
import { locateKey } from "../../store/read.js";
import { type StoredObject, sourceUrl } from "../../store/source/byte-reader.js";
import { isStore, joinKey, type Store } from "../../store/store.js";
import { invalidArgument } from "../../util/errors.js";
import { isFileUrl, nodeModule } from "../../util/platform.js";

/** A folder in a store. */
export interface FolderPlace {
  readonly store: Store;
  /** Its path; "" for the whole store. */
  readonly folder: string;
}

/** The path of the folder that a path names, by itself or by the document in it. */
const folderName = (path: string): string => path.replace(/(^|\/)\.zmetadata$/, "$1");

/**
 * The folder of references that a source is: the whole of a store, or what it names.
 * @param options for requests.
 * @throws InvalidArgument for what is no source.
 */
export async function folderOf(
  source: string | URL | StoredObject | Store,
  options: HttpStoreOptions,
): Promise<FolderPlace> {
  if (isStore(source)) return { store: source, folder: "" };
  if (typeof source !== "string" && !(source instanceof URL)) {
    if (!isStore(source.store))
      throw invalidArgument("a source is a URL, a path, a store or an object in one");
    return { store: source.store, folder: normalizePath(folderName(source.key)) };
  }
  const url = sourceUrl(source);
  if (!url || isFileUrl(url)) {
    return { store: new FileSystemStore(url ? below(url) : folderName(String(source))), folder: "" };
  }
  if (!/^https?:$/.test(url.protocol)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  return { store: new HttpStore(below(url), options), folder: "" };
}

const below = (url: URL): URL => withPath(url, folderName(url.pathname));

/** The URL of a folder's document, where the store is known to have URLs: of http, https, and of files. */
export async function documentUrl({ store, folder }: FolderPlace): Promise<URL | undefined> {
  const key = joinKey(folder, v2ConsolidatedKey);
  if (store instanceof HttpStore) return new URL(store.locate(key));
  if (!("root" in store)) return undefined;
  if (!(store instanceof FileSystemStore)) return undefined;
  const { root } = store;
  if (root instanceof URL || /^file:\/\//i.test(root)) return withPath(new URL(root), pathIn(root, key));
  const { pathToFileURL } = await nodeModule<typeof import("node:url")>("node:url");
  return pathToFileURL(`${root || "."}${key}`);
}

const pathIn = (root: string | URL, key: string): string =>
  new URL(root).pathname.replace(/\/$/, "") + encodeKey(key);

/** For messages. */
export const folderText = ({ store, folder }: FolderPlace): string => {
  const key = joinKey(folder, v2ConsolidatedKey);
  return locateKey(store, key);
};

function withPath(url: URL, path: string): URL {
  const other = new URL(url);
  other.pathname = path;
  return other;
}
