/** Places that a command line names: folders and files by their paths, everything else by URL. */
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HttpStore, type Store } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { overlappingPlace, placeNames, placesRead } from "#internal";

export { decoded } from "#internal";

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
 * The path from one place to another one that lies in it; "" for the same place. Hosts, ports and escapes of URLs may be
 * written in any way; folders are recognised under all their names.
 * @returns undefined if the inner place lies elsewhere, or only one of the two is a URL.
 */
export function placeBelow(outerName: string, innerName: string): string | undefined {
  const [outer, inner] = [outerName, innerName].map((name) => pathOf(withoutMark(name))) as [string, string];
  if (isUrl(outer) !== isUrl(inner)) return undefined;
  return isUrl(outer) ? urlBelow(outer, inner) : pathBelow(path.resolve(outer), path.resolve(inner));
}

function urlBelow(outer: string, inner: string): string | undefined {
  const [from, to] = [outer, inner].map((url) =>
    URL.canParse(url) ? placeNames(new URL(url)) : url.split("/").filter((name) => name !== ""),
  ) as [string[], string[]];
  return from.every((name, i) => to[i] === name) ? to.slice(from.length).join("/") : undefined;
}

/** By device and inode, as bind mounts and case-insensitive file systems have several paths for one folder. */
function pathBelow(outer: string, inner: string): string | undefined {
  const from = realPath(outer);
  const id = fileId(from);
  const names: string[] = [];
  for (let at = realPath(inner); ; at = path.dirname(at)) {
    if (at === from || (id !== undefined && fileId(at) === id)) return names.reverse().join("/");
    if (path.dirname(at) === at) return undefined;
    names.push(path.basename(at));
  }
}

/** Device and inode. Undefined if the file cannot be reached, and on file systems without inodes. */
function fileId(name: string): string | undefined {
  try {
    const { dev, ino } = statSync(name, { bigint: true });
    return ino === 0n ? undefined : `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Checks the files that references and virtual chunks refer to.
 * @throws an Error if one of them lies in DEST: writing there could delete or replace it.
 */
export async function checkTargets(store: Store, dest: string): Promise<void> {
  if (store instanceof FileSystemStore || store instanceof HttpStore) return;
  const isHttp = isUrl(dest);
  if (isHttp && !URL.canParse(dest)) return;
  const place = isHttp ? new URL(dest) : pathToFileURL(dest);
  const found = await overlappingPlace(place, placesRead(store, "", !isHttp));
  if (found !== undefined)
    throw new Error(`SOURCE refers to ${found}, which lies in DEST: writing there could delete it`);
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
