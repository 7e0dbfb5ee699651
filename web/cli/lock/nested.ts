/** Finds locks of other destinations: of those that a destination lies in, and of those that lie in it. */
import type { Dirent } from "node:fs";
import { lstat, opendir, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Store } from "zarr-wasm";
import { isWriterLockName, writerLockName } from "#internal";
import { LockObject } from "./object.js";

/** URL of a folder, with a "/" at its end. */
export const folderUrl = (folder: string): string => pathToFileURL(path.join(folder, path.sep)).href;

/** Locks of the folders above a place. @param place its real path. */
export async function* locksAbove(place: string): AsyncGenerator<LockObject> {
  for (let at = place; path.dirname(at) !== at; ) {
    at = path.dirname(at);
    const isThere = await lstat(path.join(at, writerLockName())).catch(() => undefined);
    if (isThere) yield new LockObject({ kind: "folder", folder: folderUrl(at), name: writerLockName() });
  }
}

/** The same for URLs. */
export function* locksAboveUrl(place: URL): Generator<LockObject> {
  const names = place.pathname.split("/").filter((name) => name !== "");
  while (names.length > 0) {
    names.pop();
    const url = new URL(place);
    url.pathname = `/${names.map((name) => `${name}/`).join("")}`;
    yield new LockObject({ kind: "http", folder: url.href, name: writerLockName() });
  }
}

/** Locks in a folder, but not its own. Chunks of arrays are not searched. Symbolic links are not followed. */
export async function* locksInside(folder: string, isOutermost = true): AsyncGenerator<LockObject> {
  const folders: string[] = [];
  let isArray = false;
  for await (const entry of entriesOf(folder)) {
    const { name } = entry;
    if (entry.isDirectory()) folders.push(name);
    else if (isWriterLockName(name) && !(isOutermost && name === writerLockName()))
      yield new LockObject({ kind: "folder", folder: folderUrl(folder), name });
    else isArray ||= name === ".zarray" || (name === "zarr.json" && (await isArrayDocument(folder)));
  }
  for (const name of folders)
    if (!(isArray && /^(c|\d+)$/.test(name))) yield* locksInside(path.join(folder, name), false);
}

/** Entries of a folder. A folder that cannot be listed counts as empty: it cannot be written to, either. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder);
  } catch {}
}

async function isArrayDocument(folder: string): Promise<boolean> {
  try {
    return JSON.parse(await readFile(path.join(folder, "zarr.json"), "utf8")).node_type === "array";
  } catch {
    return false;
  }
}

/** The same for a server that can list. @param url of the store. */
export async function* locksInBucket(store: Store, url: URL): AsyncGenerator<LockObject> {
  if (!store.list) return;
  for await (const key of store.list("")) {
    const names = key.split("/").slice(1);
    const name = names.pop()!;
    if (names.length === 0 || !isWriterLockName(name)) continue;
    const folder = new URL(url);
    folder.pathname = `${folder.pathname.replace(/\/*$/, "/")}${names.map(encodeURIComponent).join("/")}/`;
    yield new LockObject({ kind: "http", folder: folder.href, name });
  }
}
