/** Lists every entry of a folder in a browser, for deletions. */
import type { EverythingStore, StoredEntry } from "../deletion.js";
import { isSegment, normalizePath } from "../path.js";
import type { Store } from "../store.js";
import type { DirectoryHandle } from "./handles.js";

/** The folder of a `DirectoryHandleStore`; undefined for other stores. */
export const directoryRoot = (store: Store): DirectoryHandle | undefined =>
  (store as { directoryRoot?(): DirectoryHandle }).directoryRoot?.();

export class DirectoryEntries implements EverythingStore {
  constructor(private readonly root: DirectoryHandle) {}

  async *everythingBelow(path: string): AsyncGenerator<StoredEntry[]> {
    const folder = await this.#folder(path);
    if (folder) yield* entriesIn(folder, path);
  }

  async removeEmptyFolders(path: string): Promise<void> {
    const folder = await this.#folder(path);
    if (folder) await removeEmptyFoldersIn(folder);
    if (path === "") return;
    const slash = path.lastIndexOf("/");
    const parent = await this.#folder(path.slice(0, Math.max(0, slash)));
    await parent?.removeEntry(path.slice(slash + 1)).catch(() => {}); // it is not empty
  }

  async #folder(path: string): Promise<DirectoryHandle | undefined> {
    let folder = this.root;
    try {
      for (const name of normalizePath(path)
        .split("/")
        .filter((part) => part !== ""))
        folder = await folder.getDirectoryHandle(name);
      return folder;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

const isMissing = (error: unknown): boolean =>
  ["NotFoundError", "TypeMismatchError"].includes((error as { name?: string }).name ?? "");

/** Names and kinds of a folder's entries, without the swap files that Chrome creates while a file is written. */
async function namesIn(folder: DirectoryHandle): Promise<[name: string, isFolder: boolean][]> {
  const names: [string, boolean][] = [];
  for await (const [name, { kind }] of folder.entries())
    if (!name.endsWith(".crswap")) names.push([name, kind === "directory"]);
  return names;
}

async function* entriesIn(folder: DirectoryHandle, path: string): AsyncGenerator<StoredEntry[]> {
  const found: StoredEntry[] = [];
  for (const [name, isFolder] of await namesIn(folder)) {
    const below = path === "" ? name : `${path}/${name}`;
    if (isFolder && isSegment(name)) yield* entriesIn(await folder.getDirectoryHandle(name), below);
    else found.push({ key: `/${below}`, kind: isSegment(name) ? "object" : "other" });
  }
  yield found;
}

async function removeEmptyFoldersIn(folder: DirectoryHandle): Promise<void> {
  for (const [name, isFolder] of await namesIn(folder)) {
    if (!isFolder || !isSegment(name)) continue;
    await removeEmptyFoldersIn(await folder.getDirectoryHandle(name));
    await folder.removeEntry(name).catch(() => {});
  }
}

/**
 * The path of a folder in another one.
 * @returns undefined if it lies elsewhere, or the browser cannot tell.
 */
export async function pathBetween(
  outer: DirectoryHandle,
  inner: DirectoryHandle,
): Promise<string | undefined> {
  type Resolving = { resolve?(inner: DirectoryHandle): Promise<string[] | null> };
  return (await (outer as Resolving).resolve?.(inner))?.join("/");
}
