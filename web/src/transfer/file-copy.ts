/** Copies objects between folders by a call of the system, without passing their bytes through this program. */

import { FileSystemStore, type FolderLocation } from "../store/file/store.js";
import { type CheckCopy, copyFileWhole, type FileWriteOptions, newFileMode } from "../store/file/write.js";
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
  let places: { source: Store; read: FolderLocation; written: FolderLocation; mode: number } | undefined;
  return async (source, from, key, check) => {
    if (places?.source !== source) {
      const read = source instanceof FileSystemStore ? await source.location() : undefined;
      const written = read && (await folder.location());
      if (!written) return undefined;
      places = { source, read, written, mode: newFileMode() };
    }
    const { mode, read, written } = places;
    const fileUrl = (name: string, { url }: { url: string }) => new URL(encodeKey(normalizePath(name)), url);
    const { fsync } = written.options;
    const options = { beforeCommit, fsync, mode };
    return copyFileWhole(fileUrl(from, read), fileUrl(key, written), check, options);
  };
}
