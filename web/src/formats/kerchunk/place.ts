/** Locations of folders of references, and of the targets of references. */

import { v2ConsolidatedKey } from "../../metadata/document.js";
import { HttpStore, type HttpStoreOptions, httpOptions } from "../../store/http/store.js";
import { encodeKey, normalizePath } from "../../store/path.js";
import { locateKey } from "../../store/read.js";
import { type StoredObject, sourceUrl } from "../../store/source/byte-reader.js";
import { isStore, joinKey, type Store } from "../../store/store.js";
import { pickOptions } from "../../util/arguments.js";
import { bucketAddress } from "../../util/buckets.js";
import { invalidArgument, isZarrError, unsupported } from "../../util/errors.js";
import { lazy } from "../../util/lazy.js";
import { hasNodeModules, isFileUrl, nodeModule } from "../../util/platform.js";
import { shorten } from "../parquet/fields.js";

/** A folder in a store. */
export interface ReferenceFolder {
  readonly store: Store;
  /** Its path; "" for the whole store. */
  readonly folder: string;
}

/** The stores of files, which few sources need. */
export const fileSystem = lazy("files", () => import("../../store/file/store.js"));

/** Returns the folder of a path, which may name the folder or its document. */
const folderName = (path: string): string => path.replace(/(^|\/)\.zmetadata$/, "$1");

/**
 * Returns the folder of references of a source: a store is the folder, other sources name it.
 * @param options for requests.
 * @throws InvalidArgument for an invalid source.
 */
export async function resolveFolder(
  source: string | URL | StoredObject | Store,
  options: HttpStoreOptions,
): Promise<ReferenceFolder> {
  if (isStore(source)) return { store: source, folder: "" };
  if (typeof source !== "string" && !(source instanceof URL)) {
    if (!isStore(source.store))
      throw invalidArgument("source must be a URL, a path, a store or an object in a store");
    return { store: source.store, folder: normalizePath(folderName(source.key)) };
  }
  const url = sourceUrl(source);
  if (!url || isFileUrl(url)) {
    const { FileSystemStore } = await fileSystem();
    return { store: new FileSystemStore(url ? below(url) : folderName(String(source)) || "."), folder: "" };
  }
  if (!/^https?:$/.test(url.protocol)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  return { store: new HttpStore(below(url), pickOptions(options, httpOptions)), folder: "" };
}

const below = (url: URL): URL => withPath(url, folderName(url.pathname));

/** Returns the URL of a folder's document; undefined for stores other than HTTP and files. */
export async function documentUrl({ store, folder }: ReferenceFolder): Promise<URL | undefined> {
  const key = joinKey(folder, v2ConsolidatedKey);
  if (store instanceof HttpStore) return new URL(store.locate(key));
  if (!hasNodeModules()) return undefined;
  const { FileSystemStore } = await fileSystem();
  if (!(store instanceof FileSystemStore)) return undefined;
  const { root } = store;
  if (root instanceof URL || /^file:\/\//i.test(root)) return withPath(new URL(root), pathIn(root, key));
  const { pathToFileURL } = await nodeModule<typeof import("node:url")>("node:url");
  return pathToFileURL(`${root || "."}${key}`);
}

const pathIn = (root: string | URL, key: string): string =>
  new URL(root).pathname.replace(/\/$/, "") + encodeKey(key);

/** Names a folder in messages. */
export const folderText = ({ store, folder }: ReferenceFolder): string => {
  const key = joinKey(folder, v2ConsolidatedKey);
  return locateKey(store, key);
};

function withPath(url: URL, path: string): URL {
  const other = new URL(url);
  other.pathname = path;
  return other;
}

/**
 * Returns the URL of a target.
 * @param base URL of the document, for relative targets.
 * @throws Unsupported ("unsupported-reference") for a scheme that cannot be read, for a relative target without
 *   a base, and for a local file named by a document that is not one.
 */
export function targetUrl(target: string, base: URL | undefined): URL {
  const url = parse(target, base);
  if (!url) {
    const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(target);
    const why = isRelative && !base ? "it is relative and has no base URL" : "it is not a URL";
    throw refused(target, why);
  }
  if (url.protocol === "file:" && base?.protocol !== "file:") {
    throw refused(target, "only documents that are local files themselves may refer to local files");
  }
  if (!["http:", "https:", "file:"].includes(url.protocol)) {
    throw refused(target, `${url.protocol} URLs are not supported; pass \`resolve\` to map them`);
  }
  return url;
}

/** Returns the public URL of an object; undefined for other targets. */
export function bucketUrl(target: string): URL | undefined {
  const match = /^(s3a?|gs|gcs):\/\/([^/?#]+)\/(.*)$/is.exec(target);
  if (!match) return undefined;
  const [, scheme = "", bucket = "", key = ""] = match;
  return new URL(`${bucketAddress(scheme, bucket)}/${segments(key)}`);
}

/** A path with a Windows drive letter. */
function drivePath(target: string): URL | undefined {
  return /^[a-z]:[\\/]/i.test(target)
    ? new URL(`file:///${target.slice(0, 2)}${segments(target.slice(2).replaceAll("\\", "/"))}`)
    : undefined;
}

/** Parses a URL; undefined if it is invalid. */
function parse(target: string, base: URL | undefined): URL | undefined {
  // Next to a local document, references are file paths, in which "#" and "%" are ordinary characters.
  const isPath = base?.protocol === "file:" && !/^[a-z][a-z0-9+.-]*:/i.test(target);
  try {
    return bucketUrl(target) ?? drivePath(target) ?? new URL(isPath ? segments(target) : target, base);
  } catch {
    return undefined; // not a URL, a bucket name that cannot be a host name, or lone surrogates
  }
}

function segments(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function refused(target: string, why: string): Error {
  return unsupported(`the target ${JSON.stringify(shorten(target))} cannot be read: ${why}`, {
    code: "unsupported-reference",
  });
}

/** Whether a server has denied access: buckets without permission to list respond 403 for missing objects. */
export const isForbidden = (error: unknown): boolean => isZarrError(error, "Network") && error.status === 403;

/** Handles a failed read: an object that may not exist is undefined. @throws any other error. */
export function absentIfForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}
