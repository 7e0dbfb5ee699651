/**
 * Replaces a file under a lock, because file systems have no conditional rename. Leases of folders are files that are
 * replaced in this way.
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

import { sha256 } from "../../util/bytes.js";
import { conflict } from "../../util/errors.js";
import { observe } from "../lease.js";
import { fileLockName, hiddenName } from "../temp-names.js";
import { errorCode } from "./read.js";

type Fs = typeof import("node:fs/promises");

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
export async function replaceLocked(
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
