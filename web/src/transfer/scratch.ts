/** Temporary places of intermediate chunks, and unfinished files that killed processes have left in folders. */

import type { Dirent } from "node:fs";
import { blockForFiles } from "../store/file/copy.js";
import { FileSystemStore } from "../store/file/store.js";
import type { Store } from "../store/store.js";
import {
  hiddenName,
  isDeletedFolder,
  isHidden,
  isScratchName,
  randomHex,
  recordName,
  scratchName,
} from "../store/temp-names.js";
import { networkError } from "../util/errors.js";
import { keepAlive } from "../util/platform.js";
import { differsError } from "./destination.js";
import { exitHooks, node, transferTimes } from "./host.js";
import type { Leftovers } from "./options.js";

/**
 * Runs work with a new store of intermediate chunks, which is removed afterwards, however the process ends, except by SIGKILL.
 * @param where path of the folder to create a scratch folder in (Node), or a store.
 * @param isChecked whether to detect chunks that others have changed.
 */
export async function withScratch<T>(
  where: string | Store,
  isChecked: boolean,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const scratch =
    typeof where === "string" ? await folderIn(where, isChecked) : new ScratchStore(where, isChecked);
  const release = exitHooks.add(() => scratch.remove());
  const folder = scratch.folder ?? "";
  const beat = setInterval(() => folder && markUsed(folder), transferTimes.scratchBeat);
  keepAlive(beat, false);
  try {
    if (folder) removeStale(String(where), folder);
    return await work(scratch);
  } finally {
    clearInterval(beat);
    await scratch.remove();
    release();
  }
}

async function folderIn(where: string, isChecked: boolean): Promise<ScratchStore> {
  const { fs, path, url } = node();
  const folder = path.join(where, scratchName());
  const store = new FileSystemStore(url.pathToFileURL(folder));
  await blockForFiles(store);
  fs.mkdirSync(folder, { recursive: true }); // last, so that no signal arrives before the folder is to be removed
  return new ScratchStore(store, isChecked, folder);
}

/**
 * Chunks that only this process writes: in a flat folder, or below a unique prefix of a store. It is an error if a written
 * chunk is missing.
 */
export class ScratchStore implements Store {
  readonly #prefix: string;
  /** Digests of the chunks by their keys; 0 for unchecked ones. */
  readonly #written = new Map<string, bigint>();
  #isRemoved = false;

  constructor(
    private readonly store: Store,
    private readonly isChecked: boolean,
    readonly folder?: string,
  ) {
    this.#prefix = folder === undefined ? `/.zw-scratch${randomHex()}.tmp/` : "/";
  }

  locate(key: string): string {
    return this.store.locate?.(this.#keyOf(key)) ?? this.#keyOf(key);
  }

  /**
   * @throws Network ("file-failed") if the chunk was removed; CorruptChunk ("differs") if it was changed; errors of the
   *   store.
   */
  async get(key: string): Promise<Uint8Array | undefined> {
    const digest = this.#written.get(key);
    if (digest === undefined) return undefined;
    const bytes = await this.#run(() => this.store.get(this.#keyOf(key)));
    if (!bytes) throw missing(this.folder ?? this.locate(""));
    if (digest !== this.#digest(bytes)) throw differsError(this.locate(key));
    return bytes;
  }

  /** @throws what the store throws. */
  async set(key: string, value: Uint8Array): Promise<void> {
    // A Map keeps the given bytes, and writers may reuse their memory.
    const bytes = this.store instanceof Map ? value.slice() : value;
    this.#written.set(key, this.#digest(value)); // a failed write may have stored it
    await this.#run(() => this.store.set!(this.#keyOf(key), bytes));
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    const { folder } = this;
    if (folder) node().fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    else for (const key of this.#written.keys()) await this.store.delete?.(this.#keyOf(key));
  }

  #keyOf(key: string): string {
    return this.#prefix + key.replaceAll("/", "~");
  }

  /** Never returns once the process ends. */
  async #run<T>(work: () => T): Promise<Awaited<T>> {
    const pending = new Promise<never>(() => {});
    if (this.#isRemoved) return pending;
    try {
      return await work();
    } catch (error) {
      if (this.#isRemoved) return pending;
      throw error;
    }
  }

  #digest(bytes: Uint8Array): bigint {
    return this.isChecked ? digestBytes(bytes) : 0n;
  }
}

/** Returns a digest that detects accidental changes; it does not resist attacks. */
function digestBytes(bytes: Uint8Array): bigint {
  const whole = bytes.byteLength >> 2;
  const isAligned = bytes.byteOffset % 4 === 0;
  const words = isAligned
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, whole)
    : new Uint32Array(bytes.slice(0, 4 * whole).buffer);
  let [a, b] = [0x9e3779b9 ^ bytes.byteLength, 0x85ebca6b];
  const mix = (word: number) => {
    a = Math.imul(a ^ word, 0x9e3779b1);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b ^ word, 0x85ebca77);
    b = (b << 17) | (b >>> 15);
  };
  for (const word of words) mix(word);
  for (const byte of bytes.subarray(4 * whole)) mix(byte);
  return (BigInt(a >>> 0) << 32n) | BigInt(b >>> 0);
}

const missing = (place: string): Error =>
  networkError(
    `intermediate chunks are missing: another process removed ${place}, or files in it, while it was in use; pass \`temp\` to use another place`,
    { code: "file-failed" },
  );

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
