/** Finds out whether a deletion would remove what is read from another store, or under another name. */
import { isFileUrl } from "../base/platform.js";
import { storeBehind } from "./front.js";
import { HttpStore } from "./http.js";
import { fileSystem } from "./loaded.js";
import { joinKey, type Store } from "./store.js";

/** Where a node lies. */
export interface NodePlace {
  readonly store: Store;
  /** From the store's root, normalised. */
  readonly path: string;
}

/** What stores of this library offer besides the methods of a store. */
interface PlacedStore {
  /**
   * The files, folders or URLs that reading below a path needs.
   * @param isFile whether files and folders are asked for, or http(s) URLs.
   */
  placesRead?(path: string, isFile: boolean): AsyncIterable<URL>;
  /** The path of another store's root in this one, if that is known. */
  pathTo?(other: Store): Promise<string | undefined>;
}

/** Whether one path is the other, or lies below it. */
export const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || outer === "" || inner.startsWith(`${outer}/`);

/**
 * Finds what is read of a node and lies below another one, or holds it.
 * @returns where it is, for messages; undefined for nothing, and for stores that do not tell where their objects are.
 */
export async function overlap(
  deleted: NodePlace,
  read: NodePlace,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const [from, to] = [storeBehind(read.store) as Store & PlacedStore, storeBehind(deleted.store)];
  const name = () => read.store.locate?.(`/${read.path}`) ?? `/${read.path}`;
  const paths = [
    [await pathIn(to, from, read.path), deleted.path],
    [await pathIn(from, to, deleted.path), read.path],
  ] as const;
  for (const [one, other] of paths)
    if (one !== undefined) return isWithin(one, other) || isWithin(other, one) ? name() : undefined;
  const place = await placeOf(to, deleted.path);
  return place && overlappingPlace(place, placesRead(from, read.path, isFileUrl(place)), signal);
}

/**
 * Finds which of several places lies in another one, or holds it.
 * @param deleted a file or folder, or an http(s) URL.
 */
export async function overlappingPlace(
  deleted: URL,
  read: AsyncIterable<URL>,
  signal?: AbortSignal | undefined,
): Promise<string | undefined> {
  if (isFileUrl(deleted)) return (await fileSystem()).overlappingFile(deleted, read, signal);
  const outer = placeNames(deleted).join("/");
  for await (const url of read) {
    const inner = placeNames(url).join("/");
    if (isWithin(inner, outer) || isWithin(outer, inner)) return url.href;
  }
  return undefined;
}

/** Files and folders, or URLs, that reading below a path of a store needs; nothing where the store does not tell. */
export async function* placesRead(store: Store, path: string, isFile: boolean): AsyncGenerator<URL> {
  const own = storeBehind(store) as Store & PlacedStore;
  if (own.placesRead) yield* own.placesRead(path, isFile);
  else if (own instanceof HttpStore && !isFile) yield new URL(own.locate(joinKey(path, "")));
}

/** The one place of a store that is a folder or below a URL. */
async function placeOf(store: Store, path: string): Promise<URL | undefined> {
  for (const isFile of [true, false]) for await (const url of placesRead(store, path, isFile)) return url;
  return undefined;
}

/** The path in a store of a path in another one: stores of browsers' folders can lie in one another. */
async function pathIn(outer: Store & PlacedStore, inner: Store, path: string): Promise<string | undefined> {
  if (outer === inner) return path;
  const below = await outer.pathTo?.(inner);
  return below === undefined ? undefined : [below, path].filter((part) => part !== "").join("/");
}

/**
 * The host (or bucket) and the decoded names of a URL's path, the same for all ways to write them that are known: other
 * case and default ports of hosts, percent-encoding, repeated slashes, and both styles of URLs of S3 and Google Cloud
 * Storage.
 */
export function placeNames({ protocol, hostname, port, pathname }: URL): string[] {
  const names = decoded(pathname)
    .split("/")
    .filter((name) => name !== "");
  const host = hostname.replace(/\.$/, "");
  for (const [scheme, pattern] of bucketHosts) {
    const match = pattern.exec(host);
    if (match) return [`${scheme}:`, ...(match[1] === undefined ? [] : [match[1]]), ...names];
  }
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
  return [`${protocol.replace("https", "http")}//${isLoopback ? "localhost" : host}:${port}`, ...names];
}

/** Hosts of object stores: with a bucket's name before theirs, or with that in the path. */
const bucketHosts: readonly (readonly [scheme: string, host: RegExp])[] = [
  ["s3", /^(?:(.+?)\.)?s3(?:-[a-z0-9-]+)?(?:\.[a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/],
  ["gs", /^(?:(.+?)\.)?storage\.(?:googleapis|cloud\.google)\.com$/],
];

/** A part of a URL's path as text. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
