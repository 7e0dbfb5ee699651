/** Copies objects between folders by a call of the system, without passing their bytes through this program. */

import { type CheckCopy, FileCopier } from "../store/file/copy.js";
import { FileSystemStore, type FolderLocation } from "../store/file/store.js";
import type { FileWriteOptions } from "../store/file/write.js";
import { encodeKey, normalizePath } from "../store/path.js";
import type { Store } from "../store/store.js";

/** Stores that copy objects of other stores. */
export interface CopyingStore {
  /**
   * Copies an object, whole or not at all.
   * @returns undefined if the object cannot be copied in this way, or was refused.
   */
  copyFrom(
    source: Store,
    from: string,
    key: string,
    check: CheckCopy,
  ): Promise<"copied" | "missing" | undefined>;
}

/**
 * Returns the method of {@link CopyingStore} for a folder.
 * @param beforeCommit see {@link FileWriteOptions}.
 */
export function copyingInto(
  folder: FileSystemStore,
  beforeCommit: NonNullable<FileWriteOptions["beforeCommit"]>,
): CopyingStore["copyFrom"] {
  let places: { readonly source: Store; readonly copy: Promise<CopyFile | undefined> } | undefined;
  return async (source, from, key, check) => {
    if (places?.source !== source) places = { source, copy: copyBetween(source, folder, beforeCommit) };
    const copy = await places.copy;
    return copy?.(from, key, check);
  };
}

type CopyFile = (from: string, key: string, check: CheckCopy) => Promise<"copied" | "missing" | undefined>;

/** Returns a function that copies objects of a store to a folder; undefined if it cannot do so file by file. */
async function copyBetween(
  source: Store,
  folder: FileSystemStore,
  beforeCommit: FileWriteOptions["beforeCommit"],
): Promise<CopyFile | undefined> {
  const read = source instanceof FileSystemStore ? await source.location() : undefined;
  const written = read && (await folder.location());
  if (!written) return undefined;
  const copier = await FileCopier.make({ beforeCommit, fsync: written.options.fsync });
  const fileUrl = (name: string, { url }: FolderLocation) => new URL(encodeKey(normalizePath(name)), url);
  return (from, key, check) => copier.copy(fileUrl(from, read), fileUrl(key, written), check);
}
