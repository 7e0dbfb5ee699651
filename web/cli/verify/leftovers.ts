/** What processes that were killed have left in a folder: files that they were writing, under names of no key. */
import type { Dirent } from "node:fs";
import { lstat, opendir, rm } from "node:fs/promises";
import path from "node:path";
import { isDeletedFolder, isHidden, recordName } from "#internal";
import { sizeText } from "../progress.js";

/** Files and folders; their bytes, with those of folders within. */
export interface Leftovers {
  count: number;
  bytes: number;
  /** How many of them were removed. */
  removed: number;
}

/** What has not been changed for so long, in milliseconds, nobody is writing any more. */
const quiet = 10 * 60_000;

/**
 * Finds them below a folder, whatever is in it; links are not followed.
 * @param clean whether to remove those that have not been changed for ten minutes: others may be being written.
 */
export async function findLeftovers(folder: string, clean: boolean): Promise<Leftovers> {
  const found: Leftovers = { count: 0, bytes: 0, removed: 0 };
  const before = Date.now() - quiet;
  await walk(folder, async (place, entry) => {
    if (!isLeftover(entry)) return entry.isDirectory();
    const info = await lstat(place).catch(() => undefined);
    if (!info) return false; // it has got its name meanwhile
    found.count++;
    found.bytes += info.isFile() ? info.size : await bytesBelow(place);
    if (!clean || info.mtimeMs > before) return false;
    await rm(place, { recursive: true, force: true });
    found.removed++;
    return false;
  });
  return found;
}

function isLeftover(entry: Dirent): boolean {
  if (entry.isDirectory()) return isDeletedFolder(entry.name);
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
