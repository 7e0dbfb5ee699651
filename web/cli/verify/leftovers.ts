/** What processes that were killed have left in a folder: files that they were writing, under names of no key. */
import type { Dirent } from "node:fs";
import { lstat, opendir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { hiddenName, isDeletedFolder, isHidden, isScratchName, recordName } from "#internal";
import { scratchTimes } from "../copy/scratch.js";
import { sizeText } from "../progress.js";

/** Files and folders; their bytes, with those of folders within. */
export interface Leftovers {
  count: number;
  bytes: number;
  /** How many of them were removed. */
  removed: number;
}

/** Age in milliseconds after which a file that has not changed counts as left by a killed process. */
const quiet = 10 * 60_000;

/**
 * Finds unfinished files and folders below a folder. Links are not followed.
 * @param clean whether to remove files that have not changed for ten minutes (scratch folders: for an hour) by the clock of
 *   the file system: others may be in use.
 */
export async function findLeftovers(folder: string, clean: boolean): Promise<Leftovers> {
  const found: Leftovers = { count: 0, bytes: 0, removed: 0 };
  const now = clean ? await fileSystemTime(folder) : 0;
  await walk(folder, async (place, entry) => {
    if (!isLeftover(entry)) return entry.isDirectory();
    const info = await lstat(place).catch(() => undefined);
    if (!info) return false; // it has got its name meanwhile
    found.count++;
    found.bytes += info.isFile() ? info.size : await bytesBelow(place);
    if (!clean || now - info.mtimeMs < (isScratchName(entry.name) ? scratchTimes.stale : quiet)) return false;
    await rm(place, { recursive: true, force: true });
    found.removed++;
    return false;
  });
  return found;
}

/** Now by the clock of a file system, which may be a server's. @returns 0 for a folder that cannot be written to. */
async function fileSystemTime(folder: string): Promise<number> {
  const file = path.join(folder, hiddenName());
  try {
    await writeFile(file, "", { flag: "wx" });
    return (await lstat(file)).mtimeMs;
  } catch {
    return 0;
  } finally {
    await rm(file, { force: true });
  }
}

function isLeftover(entry: Dirent): boolean {
  if (entry.isDirectory()) return isDeletedFolder(entry.name) || isScratchName(entry.name);
  // An interrupted deletion is resumed with its record.
  return isHidden(entry.name) && entry.name !== recordName;
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  await walk(folder, async (place, entry) => {
    if (entry.isFile()) bytes += (await lstat(place).catch(() => undefined))?.size ?? 0;
    return entry.isDirectory();
  });
  return bytes;
}

/** @param visit says whether to go into a folder. */
async function walk(
  folder: string,
  visit: (place: string, entry: Dirent) => Promise<boolean>,
): Promise<void> {
  const entries = await opendir(folder).catch(() => undefined); // of what cannot be listed verifying says so
  if (!entries) return;
  for await (const entry of entries) {
    const place = path.join(folder, entry.name);
    if (await visit(place, entry)) await walk(place, visit);
  }
}

/** What is said of them; undefined where there are none. */
export function leftoversText({ count, bytes, removed }: Leftovers, clean: boolean): string | undefined {
  if (count === 0) return undefined;
  const what = `${count} unfinished ${count === 1 ? "file" : "files"} (.zw-….tmp, ${sizeText(bytes)})`;
  const left = count - removed;
  if (!clean)
    return `${what}, no data: being written, or left by a process that was killed; --clean removes what is left`;
  if (left === 0) return `${what} removed`;
  return `${what}: ${removed} removed, ${left} left, which changed in the last ten minutes`;
}
