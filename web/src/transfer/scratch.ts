/** Temporary places of intermediate chunks, and unfinished files that killed processes have left in folders. */

import type { Dirent } from "node:fs";
import { recordName } from "../edit/belongings.js";
import type { MaybePromise, Store } from "../store/store.js";
import {
  hiddenName,
  isDeletedFolder,
  isHidden,
  isScratchName,
  randomHex,
  scratchName,
} from "../store/temp-names.js";
import { networkError } from "../util/errors.js";
import { exitHooks, node, transferTimes } from "./host.js";

/** A store of intermediate chunks. */
export interface Scratch extends Store {
  /** Marks all chunks as written: from now on, a missing chunk is an error. */
  seal(): void;
  /** Removes all chunks. */
  remove(): MaybePromise<void>;
}

/**
 * Runs work with a new scratch store, which is removed afterwards.
 * @param where path of the folder to create a scratch folder in (Node), or a store.
 */
export function withScratch<T>(where: string | Store, work: (store: Scratch) => Promise<T>): Promise<T> {
  return typeof where === "string" ? withScratchFolder(where, work) : withScratchStore(where, work);
}

async function withScratchStore<T>(where: Store, work: (store: Scratch) => Promise<T>): Promise<T> {
  const store = new PrefixedScratch(where);
  const release = exitHooks.add(() => store.remove());
  try {
    return await work(store);
  } finally {
    await store.remove();
    release();
  }
}

/**
 * Runs work with a new scratch folder, which is removed however the process ends, except by SIGKILL. Folders that were
 * left by killed processes are removed first.
 */
async function withScratchFolder<T>(where: string, work: (store: Scratch) => Promise<T>): Promise<T> {
  const { fs, path } = node();
  const folder = path.join(where, scratchName());
  const store = new ScratchStore(folder);
  const release = exitHooks.add(() => store.remove());
  const beat = setInterval(() => markUsed(folder), transferTimes.scratchBeat);
  beat.unref();
  try {
    fs.mkdirSync(folder, { recursive: true });
    removeStale(where, folder);
    return await work(store);
  } finally {
    clearInterval(beat);
    store.remove();
    release();
  }
}

/** Updates a folder's modification time, using the clock of its file system. */
function markUsed(folder: string): void {
  const { fs, path } = node();
  const mark = path.join(folder, randomHex());
  try {
    fs.mkdirSync(mark);
    fs.rmdirSync(mark);
  } catch {
    // Removed by another process: the next read or write fails.
  }
}

/** Removes scratch folders without a recent mark. @param own new folder, whose time of change is the present time. */
function removeStale(where: string, own: string): void {
  const { fs, path } = node();
  const now = fs.statSync(own).mtimeMs;
  for (const name of fs.readdirSync(where).filter(isScratchName)) {
    const folder = path.join(where, name);
    try {
      if (now - fs.statSync(folder).mtimeMs < transferTimes.scratchStale) continue;
      // Renamed first: a suspended process that continues must not find part of it.
      const doomed = path.join(where, scratchName());
      fs.renameSync(folder, doomed);
      fs.rmSync(doomed, { recursive: true, force: true });
    } catch {
      // Another process has removed it, or it belongs to another user.
    }
  }
}

/**
 * Chunks in a flat folder that only this process writes to. Once it is sealed, a missing chunk is an error.
 * The folder is never recreated.
 */
export class ScratchStore implements Scratch {
  #isSealed = false;
  #isRemoved = false;

  constructor(private readonly folder: string) {}

  seal(): void {
    this.#isSealed = true;
  }

  locate(key: string): string {
    return node().path.join(this.folder, key.replaceAll("/", "~"));
  }

  /** @throws Network ("file-failed"), also for a missing chunk once the store is sealed. */
  async get(key: string): Promise<Uint8Array | undefined> {
    try {
      return await node().fs.promises.readFile(this.locate(key));
    } catch (cause) {
      if (this.#isRemoved) return new Promise<never>(() => {});
      if (!this.#isSealed && errorCode(cause) === "ENOENT") return undefined;
      throw this.#failure(cause);
    }
  }

  /** @throws Network ("disk-full", "file-failed"), also if the folder was removed. */
  async set(key: string, value: Uint8Array): Promise<void> {
    try {
      await node().fs.promises.writeFile(this.locate(key), value);
    } catch (cause) {
      if (this.#isRemoved) return new Promise<never>(() => {}); // the process ends
      throw this.#failure(cause);
    }
  }

  remove(): void {
    this.#isRemoved = true;
    node().fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #failure(cause: unknown): Error {
    const code = errorCode(cause);
    if (code === "ENOENT") return missing(this.folder, cause);
    const isFull = code === "ENOSPC" || code === "EDQUOT";
    return networkError(`intermediate chunks in ${this.folder} could not be read or written: ${code}`, {
      code: isFull ? "disk-full" : "file-failed",
      cause,
    });
  }
}

/** Chunks below a unique prefix of another store. */
class PrefixedScratch implements Scratch {
  readonly #prefix = `/.zw-scratch${randomHex()}.tmp`;
  readonly #keys = new Set<string>();
  #isSealed = false;

  constructor(private readonly store: Store) {}

  seal(): void {
    this.#isSealed = true;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const bytes = await this.store.get(this.#prefix + key);
    if (!bytes && this.#isSealed && this.#keys.has(this.#prefix + key))
      throw missing(this.store.locate?.(this.#prefix) ?? this.#prefix, undefined);
    return bytes;
  }

  async set(key: string, value: Uint8Array): Promise<void> {
    this.#keys.add(this.#prefix + key);
    // A Map keeps the given bytes, and writers may reuse their memory.
    await this.store.set!(this.#prefix + key, this.store instanceof Map ? value.slice() : value);
  }

  async remove(): Promise<void> {
    for (const key of this.#keys) await this.store.delete?.(key);
  }
}

const missing = (place: string, cause: unknown): Error =>
  networkError(
    `intermediate chunks are missing: another process removed ${place}, or files in it, while it was in use; pass \`temp\` to use another place`,
    { code: "file-failed", cause },
  );

const errorCode = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? String(cause);

/** Unfinished files and folders below a folder. */
export interface Leftovers {
  count: number;
  /** Total size in bytes, including files in the folders. */
  bytes: number;
  /** How many of them were removed. */
  removed: number;
}

/** Age in milliseconds after which an unchanged file counts as abandoned. */
const maxLeftoverAge = 10 * 60_000;

/**
 * Finds unfinished files and folders below a folder. Symbolic links are not followed.
 * @param clean whether to remove files that have not changed for ten minutes (scratch folders: for an hour) by the clock of
 *   the file system. Younger ones may be in use.
 */
export async function findLeftovers(folder: string, clean: boolean): Promise<Leftovers> {
  const { rm } = node().fs.promises;
  const found: Leftovers = { count: 0, bytes: 0, removed: 0 };
  const now = clean ? await fileSystemTime(folder) : 0;
  await walk(folder, async (place, entry) => {
    if (!isLeftover(entry)) return entry.isDirectory();
    const info = await lstatPath(place);
    if (!info) return false; // renamed to its final name in the meantime
    found.count++;
    found.bytes += info.isFile() ? info.size : await bytesBelow(place);
    const age = isScratchName(entry.name) ? transferTimes.scratchStale : maxLeftoverAge;
    if (!clean || now - info.mtimeMs < age) return false;
    await rm(place, { recursive: true, force: true });
    found.removed++;
    return false;
  });
  return found;
}

const lstatPath = (place: string) =>
  node()
    .fs.promises.lstat(place)
    .catch(() => undefined);

/** Time by the clock of a file system, which may be a server's. @returns 0 for a folder that cannot be written to. */
async function fileSystemTime(folder: string): Promise<number> {
  const { path } = node();
  const { lstat, rm, writeFile } = node().fs.promises;
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
    if (entry.isFile()) bytes += (await lstatPath(place))?.size ?? 0;
    return entry.isDirectory();
  });
  return bytes;
}

/** @param visit returns whether to enter a folder. */
async function walk(
  folder: string,
  visit: (place: string, entry: Dirent) => Promise<boolean>,
): Promise<void> {
  const { fs, path } = node();
  // Verifying reports folders that cannot be listed.
  const entries = await fs.promises.opendir(folder).catch(() => undefined);
  if (!entries) return;
  for await (const entry of entries) {
    const place = path.join(folder, entry.name);
    if (await visit(place, entry)) await walk(place, visit);
  }
}
