/** Where folders of references are. */
import { isFileUrl, nodeModule } from "../../base/platform.js";
import { v2ConsolidatedKey } from "../../metadata/keys.js";
import { HttpStore, type HttpStoreOptions } from "../http.js";
import { fileSystem } from "../loaded.js";
import { encodeKey, normalizePath } from "../path.js";
import { type StoredObject, sourceUrl } from "../source.js";
import { isStore, joinKey, type Store } from "../store.js";
import { isFolderName } from "./names.js";

/** A folder in a store. */
export interface FolderPlace {
  readonly store: Store;
  /** Its path; "" for the whole store. */
  readonly folder: string;
}

/** The path of the folder that a path names, by itself or by the document in it; undefined for other names. */
function folderName(path: string): string | undefined {
  const folder = path.replace(/(^|\/)\.zmetadata$/, "$1");
  return folder !== path || isFolderName(path) ? folder : undefined;
}

/**
 * The folder of references that a source names: the whole of a store, or what has such a name.
 * @param options for requests.
 * @returns undefined for what is named otherwise.
 */
export async function folderOf(
  source: string | URL | StoredObject | Store,
  options: HttpStoreOptions,
): Promise<FolderPlace | undefined> {
  if (isStore(source)) return { store: source, folder: "" };
  if (typeof source !== "string" && !(source instanceof URL)) {
    const folder = isStore(source?.store) ? folderName(String(source.key)) : undefined;
    return folder === undefined ? undefined : { store: source.store, folder: normalizePath(folder) };
  }
  const url = sourceUrl(source);
  const folder = folderName(url?.pathname ?? String(source));
  if (folder === undefined) return undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:")
    return { store: new HttpStore(withPath(url, folder), options), folder: "" };
  if (url && !isFileUrl(url)) return undefined;
  const { FileSystemStore } = await fileSystem();
  return { store: new FileSystemStore(url ? withPath(url, folder) : folder), folder: "" };
}

/** The URL of a folder's document, where the store is known to have URLs: of http, https, and of files. */
export async function documentUrl({ store, folder }: FolderPlace): Promise<URL | undefined> {
  const key = joinKey(folder, v2ConsolidatedKey);
  if (store instanceof HttpStore) return new URL(store.locate(key));
  if (!("root" in store)) return undefined;
  const { FileSystemStore } = await fileSystem();
  if (!(store instanceof FileSystemStore)) return undefined;
  const { root } = store;
  if (root instanceof URL || /^file:\/\//i.test(root)) return withPath(new URL(root), pathIn(root, key));
  const { pathToFileURL } = await nodeModule<typeof import("node:url")>("node:url");
  return pathToFileURL(store.locate(key));
}

const pathIn = (root: string | URL, key: string): string =>
  new URL(root).pathname.replace(/\/$/, "") + encodeKey(key);

/** For messages. */
export const folderText = ({ store, folder }: FolderPlace): string => {
  const key = joinKey(folder, v2ConsolidatedKey);
  return store.locate?.(key) ?? key;
};

function withPath(url: URL, path: string): URL {
  const other = new URL(url);
  other.pathname = path;
  return other;
}
