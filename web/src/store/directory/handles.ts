/** File handles of browsers: their types, atomic replacement of files, and places of folders. */

import { unshared } from "../../util/bytes.js";
import { unsupported } from "../../util/errors.js";
import type { Store } from "../store.js";
import { hiddenName } from "../temp-names.js";

export interface DirectoryHandle {
  readonly name: string;
  getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<DirectoryHandle>;
  getFileHandle(name: string, options?: { create?: boolean }): Promise<FileHandle>;
  removeEntry(name: string, options?: { recursive?: boolean }): Promise<void>;
  entries(): AsyncIterable<readonly [name: string, handle: { readonly kind: "file" | "directory" }]>;
}

export interface FileHandle {
  getFile(): Promise<File>;
  /** Not in workers of Safari before 26. */
  createWritable?(options?: { keepExistingData?: boolean }): Promise<WritableFile>;
}

/** A stream that replaces the file when it is closed. */
export interface WritableFile {
  write(data: Uint8Array<ArrayBuffer>): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
}

/** Methods that workers have in the private file system; `move` is not in the standard yet. */
export interface PrivateFileHandle extends FileHandle {
  createSyncAccessHandle?(): Promise<SyncAccessHandle>;
  move?(folder: DirectoryHandle, name: string): Promise<void>;
}

export interface SyncAccessHandle {
  write(data: Uint8Array, options?: { at?: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

/**
 * Writes a file atomically: by a stream that replaces it when closed, or in browsers without (workers of Safari before
 * 26) by renaming a temporary file. Leaves no temporary file after a failure.
 * @throws errors of the file system; Unsupported ("no-conditions"); the signal's reason.
 */
export async function replaceFile(
  folder: DirectoryHandle,
  name: string,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  // A file that is created before a failing write stays empty: create it only if it is missing.
  const there = await folder.getFileHandle(name).catch((error) => {
    if (error?.name !== "NotFoundError") throw error;
    return undefined;
  });
  if (there?.createWritable) return stream(there, bytes, signal);
  // Streams need an existing file, and an empty one looks like an object: the new one has a temporary name.
  const beside = hiddenName();
  const fresh: PrivateFileHandle = await folder.getFileHandle(beside, { create: true });
  try {
    if (there && !fresh.move) throw notAtomic(name);
    if (fresh.createWritable) await stream(fresh, bytes, signal);
    else await writeAtOnce(fresh, bytes);
    signal?.throwIfAborted();
    if (fresh.move) return await move(fresh, folder, name);
  } catch (error) {
    await folder.removeEntry(beside).catch(() => {});
    throw error;
  }
  await folder.removeEntry(beside);
  if (!fresh.createWritable) throw notAtomic(name);
  // Without renaming (folders of the user in some browsers), the file is empty until it is written.
  const file = await folder.getFileHandle(name, { create: true });
  try {
    await stream(file, bytes, signal);
  } catch (error) {
    await folder.removeEntry(name).catch(() => {});
    throw error;
  }
}

async function stream(
  file: PrivateFileHandle,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  const writable = await file.createWritable!({ keepExistingData: false });
  try {
    await writable.write(unshared(bytes));
    signal?.throwIfAborted();
  } catch (error) {
    await writable.abort().catch(() => {});
    throw error;
  }
  await writable.close();
}

async function writeAtOnce(file: PrivateFileHandle, bytes: Uint8Array): Promise<void> {
  if (!file.createSyncAccessHandle) throw notAtomic("a file");
  const handle = await file.createSyncAccessHandle();
  try {
    handle.truncate(0);
    for (let at = 0; at < bytes.byteLength; ) {
      const written = handle.write(bytes.subarray(at), { at });
      if (!(written > 0)) throw Object.assign(new Error("no more room"), { name: "QuotaExceededError" });
      at += written;
    }
    handle.flush();
  } finally {
    handle.close();
  }
}

/** Renames a file. Some browsers do not replace another one, which is then removed first. */
async function move(file: PrivateFileHandle, folder: DirectoryHandle, name: string): Promise<void> {
  try {
    await file.move!(folder, name);
  } catch (error) {
    const isThere = await folder.getFileHandle(name).then(
      () => true,
      () => false,
    );
    if (!isThere) throw error;
    await folder.removeEntry(name);
    await file.move!(folder, name);
  }
}

function notAtomic(name: string): Error {
  return unsupported(`this browser cannot replace ${name} atomically`, { code: "no-conditions" });
}

/** The folder of a `DirectoryHandleStore`; undefined for other stores. */
export const directoryRoot = (store: Store): DirectoryHandle | undefined =>
  (store as { directoryRoot?(): DirectoryHandle }).directoryRoot?.();

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
