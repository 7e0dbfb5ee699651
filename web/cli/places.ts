/** Places that a command line names: folders and files by their paths, everything else by URL. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ReferenceStore, type Store } from "zarr-wasm";

/** Whether a text is a URL of any kind. */
export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

/** Whether a source is marked as an Icechunk repository: `icechunk+SOURCE`. */
export const isMarked = (source: string): boolean => /^icechunk\+/i.test(source);

/** A source without such a mark. */
export const withoutMark = (source: string): string => source.replace(/^icechunk\+/i, "");

/** The path that a file URL stands for; other texts, and URLs that stand for none, as they are. */
export function pathOf(text: string): string {
  if (!/^file:/i.test(text)) return text;
  try {
    return fileURLToPath(text);
  } catch {
    return text;
  }
}

/**
 * The path from one place to another one that lies in it; "" where both are the same.
 * @returns undefined where the inner one lies elsewhere, or one is a URL and the other is not.
 */
export const placeBelow = (outer: string, inner: string): string | undefined => placesBelow(outer)(inner);

/** The same for many places in one. */
export function placesBelow(outerName: string): (inner: string) => string | undefined {
  const outer = pathOf(withoutMark(outerName));
  const from = plainPlace(outer);
  return (innerName) => {
    const inner = pathOf(withoutMark(innerName));
    if (isUrl(outer) !== isUrl(inner)) return undefined;
    const to = plainPlace(inner);
    if (!to.startsWith(from)) return undefined;
    const below = to.slice(from.length, -1);
    return isUrl(inner) ? decoded(below) : below.replaceAll(path.sep, "/");
  };
}

/**
 * @param store what is read.
 * @throws an Error where files that it refers to lie in DEST: writing there would delete or replace them.
 */
export async function checkTargets(store: Store, dest: string): Promise<void> {
  if (!(store instanceof ReferenceStore)) return;
  // Then they name no local files, and need not be read for that.
  if (!isUrl(dest) && !store.isLocal) return;
  const inDest = placesBelow(dest);
  for await (const url of store.targets()) {
    const place = url.protocol === "file:" ? fileURLToPath(url) : url.href;
    if (inDest(place) !== undefined)
      throw new Error(`SOURCE refers to ${place}, which lies in DEST: writing there could delete it`);
  }
}

/** A place as all ways to write it have it, with a separator at its end. */
const plainPlace = (text: string): string =>
  isUrl(text) ? plainUrl(text) : path.join(realPath(path.resolve(text)), path.sep);

/** A URL without its query: hosts in lower case, no ports that go without saying, no "..". */
function plainUrl(text: string): string {
  if (!URL.canParse(text)) return text.replace(/\/*$/, "/");
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname.replace(/\/*$/, "/")}`;
}

/** A part of a URL's path as text. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path without symbolic links, as far as it leads to anything. */
export function realPath(name: string): string {
  try {
    return realpathSync(name);
  } catch {
    const parent = path.dirname(name);
    return parent === name ? name : path.join(realPath(parent), path.basename(name));
  }
}
