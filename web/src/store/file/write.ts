/** Writes and removes files atomically, also if the process ends at any moment (Node, Deno, Bun). */

import {
  conflict,
  invalidArgument,
  isZarrError,
  networkError,
  readOnly,
  type ZarrError,
} from "../../util/errors.js";
import { isFileUrl, nodeModule } from "../../util/platform.js";
import { checkCondition, existsError } from "../concurrency.js";
import { documentNames } from "../deletion.js";
import { observe } from "../lease.js";
import type { StoreSetOptions, StoreWriteOptions } from "../store.js";
import { fileLockName, hiddenName, sha256, writerLockName } from "../temp-names.js";
import type { CommitOptions, FileCalls, FileInfo, FileName, FileToWrite } from "../transport.js";
import { errorCode, fileVersion, isMissing } from "./read.js";

type Fs = typeof import("node:fs/promises");

export interface FileWriteOptions extends StoreSetOptions, CommitOptions {
  /** Waits until the file has reached the disk, so that it survives a power failure. */
  fsync?: boolean | undefined;
  /** The calls of the file system. Default: those that run in other threads. */
  calls?: FileCalls | undefined;
}

/** `mkdir` of Node's file system; declarations of this package do not refer to the types of Node. */
interface FolderMaker {
  mkdir(folder: URL, options?: { readonly recursive: boolean }): Promise<unknown>;
}

const fileSystem = () => nodeModule<Fs>("node:fs/promises");

const diskFull = new Set(["ENOSPC", "EDQUOT"]);
const forbidden = new Set(["EACCES", "EPERM", "EROFS"]);
const inTheWay = new Set(["EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY"]);

/** Returns the error of a file that could not be written or removed. Returns errors of this library unchanged. */
export function writeError(url: URL | string, what: string, cause: unknown): ZarrError {
  if (isZarrError(cause)) return cause;
  const reason = errorCode(cause) || String(cause);
  const message = `${url} could not be ${what}: ${reason}`;
  if (diskFull.has(reason)) return networkError(`${message}, the disk is full`, { code: "disk-full", cause });
  const isReadOnly = reason === "EROFS" ? ", the file system is read-only" : "";
  if (forbidden.has(reason)) return readOnly(message + isReadOnly, { code: "permission-denied", cause });
  if (reason === "ENAMETOOLONG") return invalidArgument(message, { code: "bad-path", cause });
  const why = inTheWay.has(reason)
    ? ", there is a folder in place of a file or a file in place of a folder"
    : "";
  return networkError(message + why, { code: "file-failed", cause });
}

/**
 * Writes a temporary file in the same folder and renames it. Creates the folder. Leaves no temporary file after a
 * failure.
 * @throws AlreadyExists, Conflict if `ifVersion` does not hold; Network ("file-failed", "disk-full"); ReadOnly
 *   ("permission-denied"); InvalidArgument ("bad-path") for names that are too long; the signal's reason.
 */
export async function writeFileWhole(
  url: URL,
  bytes: Uint8Array,
  writing: FileWriteOptions = {},
): Promise<void> {
  const { signal, ifVersion } = writing;
  const fs = writing.calls ?? (await fileSystem());
  let unfinished: URL | undefined;
  try {
    unfinished = await writeBeside(fs, url, bytes, writing);
    signal?.throwIfAborted();
    await writing.beforeCommit?.();
    if (ifVersion === undefined) await fs.rename(unfinished, url);
    else if (ifVersion === "absent") await linkNew(fs, unfinished, url, signal);
    else {
      const check = (data: URL) => checkSeen(fs, data, url, ifVersion);
      await replaceLocked(await fileSystem(), unfinished, url, signal, check);
    }
    if (writing.fsync) await syncFolder(new URL(".", url));
  } catch (cause) {
    if (unfinished) await fs.rm(unfinished, { force: true }).catch(() => {});
    if (signal?.aborted && cause === signal.reason) throw cause;
    throw writeError(url, "written", cause);
  }
}

/** Makes the content of a file reach the disk. */
export async function syncFile(
  fs: { open(file: FileName, flags: string): Promise<{ sync(): Promise<void>; close(): Promise<void> }> },
  file: FileName,
): Promise<void> {
  const handle = await fs.open(file, "r+");
  await handle.sync().finally(() => handle.close());
}

/** Writes a temporary file in the same folder. */
function writeBeside(
  fs: FileCalls,
  url: URL,
  bytes: Uint8Array,
  { fsync, signal }: FileWriteOptions,
): Promise<URL> {
  const folder = () => new URL(".", url);
  return beside(fs, new URL(hiddenName(), url), folder, signal, async (file) => {
    const handle = await fs.open(file, "wx");
    try {
      await writeFully(handle, bytes, signal);
      if (fsync) await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

/** Size of one write in bytes: aborting waits for it. A single write of 2^31 bytes or more fails. */
const pieceBytes = 2 ** 24;

/** Writes to a file. Its own `writeFile` passes 512 KiB at a time to a thread. */
async function writeFully(
  handle: Pick<FileToWrite, "write">,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    signal?.throwIfAborted();
    const { bytesWritten } = await handle.write(bytes, at, Math.min(pieceBytes, bytes.byteLength - at));
    at += bytesWritten;
  }
}

/** Creates a temporary file. Creates its folder, which others may remove at any moment. */
export async function beside<F extends FileName>(
  fs: FolderMaker & { rm(file: FileName, options: { readonly force: boolean }): Promise<void> },
  unfinished: F,
  folder: () => URL,
  signal: AbortSignal | undefined,
  make: (file: F) => Promise<void>,
): Promise<F> {
  for (let tries = 0; ; tries++) {
    try {
      await make(unfinished);
      return unfinished;
    } catch (cause) {
      const isFolderMissing = errorCode(cause) === "ENOENT";
      if (!isFolderMissing) await fs.rm(unfinished, { force: true }).catch(() => {});
      if (signal?.aborted) throw signal.reason;
      if (!isFolderMissing || tries === 3) throw cause;
      await makeFolder(fs, folder());
    }
  }
}

/** Renames a file unless the name is taken: in that case a link fails, while a rename replaces the other file. */
async function linkNew(
  fs: FileCalls,
  unfinished: URL,
  url: URL,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await fs.link(unfinished, url);
  } catch (cause) {
    if (errorCode(cause) === "EEXIST") throw existsError(url);
    if (!["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(errorCode(cause))) throw cause;
    // On a file system without hard links, writers of the key exclude one another by a lock.
    const checkAbsent = async () => checkCondition("absent", await versionAt(fs, url), url);
    return replaceLocked(await fileSystem(), unfinished, url, signal, checkAbsent);
  }
  await fs.rm(unfinished, { force: true });
}

/** Checks that the stored file has the given version, and gives its replacement a new one. */
async function checkSeen(
  fs: FileCalls,
  data: URL,
  url: URL,
  ifVersion: StoreSetOptions["ifVersion"],
): Promise<void> {
  const before = await statFile(fs, url);
  checkCondition(ifVersion, before && fileVersion(before), url);
  // Clocks of file systems have steps of milliseconds and inode numbers are reused: the time must increase.
  const time = Math.floor(before!.mtimeMs) + 2;
  if ((await fs.stat(data)).mtimeMs < time) await fs.utimes(data, time / 1000, time / 1000);
}

async function versionAt(fs: FileCalls, url: URL) {
  const info = await statFile(fs, url);
  return info && fileVersion(info);
}

/** Returns undefined for a missing file. */
export async function statFile(
  fs: { stat(url: FileName): Promise<FileInfo> },
  url: FileName,
): Promise<FileInfo | undefined> {
  try {
    return await fs.stat(url);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}

/** Makes new names in a folder reach the disk. Windows neither supports nor needs that. */
export async function syncFolder(folder: URL): Promise<void> {
  const fs = await fileSystem();
  try {
    const handle = await fs.open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch (cause) {
    if (!["EISDIR", "EPERM", "EINVAL", "EACCES"].includes(errorCode(cause))) throw cause;
  }
}

type FileRemoveOptions = StoreWriteOptions & CommitOptions & Pick<FileWriteOptions, "calls">;

/** Removes a file. No-op for missing files and folders. @throws what `beforeCommit` throws; the file is kept then. */
export async function removeFile(url: URL, options: FileRemoveOptions = {}): Promise<void> {
  const { signal, beforeCommit } = options;
  signal?.throwIfAborted();
  if (beforeCommit) return removeOwn(url, beforeCommit, options.calls ?? (await fileSystem()));
  const fs = await fileSystem();
  await fs.unlink(url).catch(async (cause) => {
    // Some systems report EPERM for a folder.
    const isFolder =
      errorCode(cause) === "EPERM" && (await fs.lstat(url).catch(() => undefined))?.isDirectory();
    if (!isFolder && !isMissing(cause)) throw writeError(url, "removed", cause);
  });
}

/**
 * Removes a file under a private name, which is given to it by a rename between two checks. A process that is suspended in
 * between, or whose calls wait in a queue, may rename the file of another process, and gives it back.
 */
async function removeOwn(url: URL, check: () => Promise<void>, fs: FileCalls): Promise<void> {
  const aside = new URL(hiddenName(), url);
  await check();
  try {
    if ((await fs.lstat(url)).isDirectory()) return;
    await fs.rename(url, aside);
  } catch (cause) {
    if (isMissing(cause)) return;
    throw writeError(url, "removed", cause);
  }
  try {
    await check();
  } catch (error) {
    // A link does not replace a newer file. Some file systems have none.
    await fs.link(aside, url).catch(async (cause) => {
      if (errorCode(cause) !== "EEXIST") await fs.rename(aside, url);
    });
    await fs.rm(aside, { force: true });
    throw error;
  }
  // Another writer that empties the folder may have removed it.
  await fs.unlink(aside).catch((cause) => {
    if (!isMissing(cause)) throw writeError(url, "removed", cause);
  });
}

/**
 * Removes a folder with its contents; of a link only the link. Renames the folder first, so that readers see the
 * removal at once.
 * @param url without a trailing "/".
 */
export async function removeFolder(url: URL, { signal }: StoreWriteOptions = {}): Promise<void> {
  signal?.throwIfAborted();
  const fs = await fileSystem();
  try {
    const info = await fs.lstat(url);
    if (info.isSymbolicLink()) {
      const target = await fs.stat(url).catch(() => undefined);
      if (target?.isDirectory()) await fs.unlink(url);
      return;
    }
    if (!info.isDirectory()) return;
    const doomed = new URL(hiddenName(), url);
    // Windows does not rename folders with open files.
    const isRenamed = await fs.rename(url, doomed).then(
      () => true,
      () => false,
    );
    await fs.rm(isRenamed ? doomed : url, { recursive: true, force: true, maxRetries: 3 });
  } catch (cause) {
    if (!isMissing(cause)) throw writeError(url, "removed", cause);
  }
}

/** Removes everything in a folder except the lock of its writer, and leaves the folder. */
export async function emptyFolder(url: URL, options: StoreWriteOptions = {}): Promise<void> {
  const fs = await fileSystem();
  let names: string[] = [];
  try {
    names = await fs.readdir(url);
  } catch (cause) {
    if (!isMissing(cause)) throw writeError(url, "removed", cause);
  }
  const isDocument = (name: string) => Number(documentNames.includes(name));
  for (const name of names.sort((a, b) => isDocument(b) - isDocument(a))) {
    if (name === writerLockName()) continue;
    const entry = new URL(encodeURIComponent(name), url);
    await removeFolder(entry, options);
    await removeFile(entry, options);
  }
}

/**
 * Creates a folder and its parents.
 * @param folder URL with a trailing "/".
 * @throws errors of the system. For a read-only file system that is EROFS, which Node's recursive `mkdir` reports as
 *   ENOENT.
 */
export async function makeFolder(fs: FolderMaker, folder: URL): Promise<void> {
  try {
    await fs.mkdir(folder, { recursive: true });
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT") throw cause;
    throw (await reasonFor(fs, folder)) ?? cause;
  }
}

/** Returns the error of the highest missing folder; undefined if it was created, or exists by now. */
async function reasonFor(fs: FolderMaker, folder: URL): Promise<unknown> {
  try {
    await fs.mkdir(folder);
    return undefined;
  } catch (cause) {
    const above = new URL("..", folder);
    if (errorCode(cause) === "ENOENT" && above.href !== folder.href) return reasonFor(fs, above);
    return errorCode(cause) === "EEXIST" ? undefined : cause;
  }
}

/*
 * Files are replaced under a condition by means of a lock, because file systems have no conditional rename. Leases of
 * folders are files that are replaced in this way.
 *
 * The lock is a folder beside the file, and its only entry is the data of the writer that holds it, under a random name.
 * - Take: move the data into a private folder and rename that folder to the name of the lock. This fails while the lock
 *   has an entry.
 * - Commit: rename the entry to the file. The lock is empty, and thereby free, at the same moment.
 * - Break: unlink the entry of a writer that makes no progress. Its commit then fails (ENOENT) whenever it continues.
 *   Names are not used twice, so that a late unlink cannot hit the next holder.
 *
 * A crash leaves a private folder, or a lock that the next writer of the file breaks. No step compares clocks.
 */

/** Times in milliseconds; tests shorten them. */
export const fileLockTimes = {
  /** A lock whose entry stays the same for this long is broken. A holder needs four file operations. */
  stale: 10_000,
  /** Time limit of waiting for other writers. */
  wait: 30_000,
  /** Upper bound of the time between two looks at a lock: on a slow file system, its holder is slow as well. */
  step: 1000,
};

/** Error codes if a folder is renamed to the name of a file or of a folder with entries; Windows has the last two. */
const heldCodes = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM", "EACCES"]);

/**
 * Gives a file the place of another one while no other caller of this function does.
 * @param data file to move, in the folder of `url`. Its name is gone afterwards, also after an error.
 * @param prepare called with the data while the lock is held: checks the condition, or throws.
 * @throws Conflict ("locked") if other writers hold the lock for too long, or have broken this one's: nothing has
 *   changed then. What `prepare` throws; the signal's reason.
 */
async function replaceLocked(
  fs: Fs,
  data: URL,
  url: URL,
  signal: AbortSignal | undefined,
  prepare: (data: URL) => Promise<void>,
): Promise<void> {
  const own = new URL(`${hiddenName()}/`, url);
  // Names of locks have the same length for every file.
  const hash = await sha256(url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
  const lock = new URL(`${fileLockName(hash.slice(0, 24))}/`, url);
  const entry = hiddenName();
  const held = new URL(entry, lock);
  const { stale, wait, step } = fileLockTimes;
  const onHeld = (_isAlive: boolean, _silence: number, waited: number) => {
    if (waited > wait)
      throw conflict(`${url} is locked by another writer: ${withoutSlash(lock)}`, { code: "locked" });
  };
  await fs.mkdir(own);
  try {
    await fs.rename(data, new URL(entry, own));
    const read = async () => {
      const entries = await fs.readdir(lock).catch((cause) => {
        if (errorCode(cause) === "ENOENT") return undefined;
        throw cause;
      });
      return entries && { entries, stamp: entries.join("/") };
    };
    await observe({ stale, step, pause: 20, signal, onHeld }, read, async (found, isStale) => {
      if (isStale) await breakLock(fs, lock, found!.entries);
      // Windows does not rename over empty folders.
      if (found?.entries.length === 0) await fs.rmdir(lock).catch(() => {});
      return fs.rename(own, lock).catch((cause) => {
        if (!heldCodes.has(errorCode(cause))) throw cause;
        return cause;
      });
    });
    await prepare(held);
    await fs.rename(held, url);
  } catch (cause) {
    const isBroken = errorCode(cause) === "ENOENT" && !(await fs.lstat(held).catch(() => undefined));
    await fs.rm(held, { force: true }).catch(() => {});
    await fs.rm(own, { recursive: true, force: true }).catch(() => {});
    if (!isBroken) throw cause;
    const message = `${url} was not written: another writer broke the lock, as this one made no progress`;
    throw conflict(message, { code: "locked", cause });
  } finally {
    await fs.rmdir(lock).catch(() => {}); // fails if the next writer has taken it
  }
}

async function breakLock(fs: Fs, lock: URL, entries: readonly string[]): Promise<void> {
  for (const entry of entries) {
    await fs.rm(new URL(entry, lock), { force: true }).catch(async (cause) => {
      // The folder belongs to another user. Renaming it could hit the next holder, whose commit then fails as well.
      if (!["EACCES", "EPERM"].includes(errorCode(cause))) return;
      await fs.rename(lock, new URL(hiddenName(), withoutSlash(lock))).catch(() => {});
    });
  }
}

const withoutSlash = (folder: URL): URL => new URL(folder.href.replace(/\/$/, ""));

export interface FileSinkOptions {
  /** Waits at the end until the file has reached the disk. Default: false. */
  fsync?: boolean | undefined;
}

/**
 * Returns a stream into a temporary file, such as for a `ZipWriter`. Closing the stream renames the file to the target,
 * aborting removes it. Creates the folder.
 *
 * The stream fails with Network ("disk-full", "file-failed"), ReadOnly ("permission-denied") or InvalidArgument
 * ("bad-path").
 * @param target path or file URL.
 */
export function fileSink(target: string | URL, options: FileSinkOptions = {}): WritableStream<Uint8Array> {
  let file: Awaited<ReturnType<typeof openBeside>> | undefined;
  const discard = async () => {
    await file?.handle.close().catch(() => {});
    await file?.fs.rm(file.unfinished, { force: true }).catch(() => {});
  };
  const trying = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (cause) {
      await discard();
      throw writeError(file?.url ?? String(target), "written", cause);
    }
  };
  const finish = async () => {
    const { fs, handle, unfinished, url } = file!;
    if (options.fsync) await handle.sync();
    await handle.close();
    await fs.rename(unfinished, url);
    if (options.fsync) await syncFolder(new URL(".", url));
  };
  return new WritableStream<Uint8Array>({
    start: () =>
      trying(async () => {
        file = await openBeside(target);
      }),
    write: (piece) => trying(() => writeFully(file!.handle, piece)),
    close: () => trying(finish),
    abort: discard,
  });
}

async function openBeside(target: string | URL) {
  const fs = await fileSystem();
  const { pathToFileURL } = await nodeModule<typeof import("node:url")>("node:url");
  const url = target instanceof URL && isFileUrl(target) ? target : pathToFileURL(String(target));
  const unfinished = new URL(hiddenName(), url);
  await makeFolder(fs, new URL(".", url));
  return { fs, url, unfinished, handle: await fs.open(unfinished, "wx") };
}
