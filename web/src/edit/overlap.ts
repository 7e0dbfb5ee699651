/** Detects deletions of data that is read through another store or under another name. */

import { directoryRoot, pathBetween } from "../store/directory/handles.js";
import { overlappingFile } from "../store/file/entries.js";
import { innermostStore } from "../store/handle.js";
import { HttpStore } from "../store/http/store.js";
import { MapStore } from "../store/map.js";
import { joinPath } from "../store/path.js";
import { joinKey, type Store } from "../store/store.js";
import { isFileUrl } from "../util/platform.js";

/** Location of a node. */
export interface NodePlace {
  readonly store: Store;
  /** Path in the store, normalised. */
  readonly path: string;
}

/** A store of this library that knows the location of its objects. */
interface PlacedStore {
  /**
   * Yields the places that a read below a path accesses: URLs, or other stores.
   * @param isFile selects file URLs, else http(s) URLs.
   */
  placesRead?(path: string, isFile: boolean): AsyncIterable<URL | Store>;
}

/** Whether one path is the other, or lies below it. */
export const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || outer === "" || inner.startsWith(`${outer}/`);

/**
 * Finds a place that a read of one node accesses and the deletion of another one deletes.
 * @returns its name for messages; undefined if there is none, and for third-party stores.
 */
export async function overlap(
  deleted: NodePlace,
  read: NodePlace,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const [from, to] = [innermostStore(read.store), innermostStore(deleted.store)];
  const name = () => read.store.locate?.(`/${read.path}`) ?? `/${read.path}`;
  const paths = [
    [await pathIn(to, from, read.path), deleted.path],
    [await pathIn(from, to, deleted.path), read.path],
  ] as const;
  for (const [one, other] of paths)
    if (one !== undefined) return isWithin(one, other) || isWithin(other, one) ? name() : undefined;
  const place = await storeLocation(to, deleted.path);
  return place && overlappingPlace(place, placesRead(from, read.path, isFileUrl(place)), signal);
}

/**
 * Finds a place that is read and lies in the deleted place, or contains it.
 * @param deleted URL of a file, a folder, or a server.
 */
export async function overlappingPlace(
  deleted: URL,
  read: AsyncIterable<URL>,
  signal?: AbortSignal | undefined,
): Promise<string | undefined> {
  if (isFileUrl(deleted)) return overlappingFile(deleted, read, signal);
  const outer = placeNames(deleted).join("/");
  for await (const url of read) {
    const inner = placeNames(url).join("/");
    if (isWithin(inner, outer) || isWithin(outer, inner)) return url.href;
  }
  return undefined;
}

/** Yields the places that a read below a path accesses; none for third-party stores. */
export async function* placesRead(store: Store, path: string, isFile: boolean): AsyncGenerator<URL> {
  const own = innermostStore(store);
  if (own instanceof HttpStore && !isFile) yield new URL(own.locate(joinKey(path, "")));
  const { placesRead: read } = own as PlacedStore;
  if (!read) return;
  for await (const place of read.call(own, path, isFile)) {
    if (place instanceof URL) yield place;
    else yield* placesRead(place, "", isFile);
  }
}

/** Returns the location of a store that is a folder or a server. */
async function storeLocation(store: Store, path: string): Promise<URL | undefined> {
  for (const isFile of [true, false]) for await (const url of placesRead(store, path, isFile)) return url;
  return undefined;
}

/** Several `MapStore`s may share a Map, which is also a store itself. */
export const storeIdentity = (store: Store): object => (store instanceof MapStore ? store.entries : store);

/** Converts a path to a path of another store, if that is the same store or its folder contains it. */
async function pathIn(outer: Store, inner: Store, path: string): Promise<string | undefined> {
  if (storeIdentity(outer) === storeIdentity(inner)) return path;
  const [from, to] = [directoryRoot(outer), directoryRoot(inner)];
  const below = from && to && (await pathBetween(from, to));
  return below === undefined ? undefined : joinPath(below, path);
}

/**
 * Host (or bucket) and path segments of a URL in a normal form: it does not depend on the case and default
 * port of the host, percent-encoding, repeated slashes, and the style of S3 and Google Cloud Storage URLs.
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

/** Hosts of object stores. The bucket is part of the host name, or the first path segment. */
const bucketHosts: readonly (readonly [scheme: string, host: RegExp])[] = [
  ["s3", /^(?:(.+?)\.)?s3(?:-[a-z0-9-]+)?(?:\.[a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/],
  ["gs", /^(?:(.+?)\.)?storage\.(?:googleapis|cloud\.google)\.com$/],
];

/** Decodes a URL path. Malformed escapes are kept. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
