/** The temporary folder of intermediate chunks, and what happens if another process removes it. */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Store } from "zarr-wasm";
import { isScratchName, networkError, scratchName } from "#internal";
import { atTheEnd } from "../at-the-end.js";

/** Times in milliseconds; tests shorten them. */
export const scratchTimes = {
  /** How often a process marks its folder as in use. */
  beat: 60_000,
  /** Age of the last mark after which a folder counts as left by a process that was killed. */
  stale: 3_600_000,
};

/**
 * Runs work with a new scratch folder, which is removed however the process ends, except by SIGKILL. Folders that were
 * left by killed processes are removed first.
 * @param where folder to create it in.
 */
export async function withScratch<T>(where: string, work: (store: ScratchStore) => Promise<T>): Promise<T> {
  const folder = path.join(where, scratchName());
  const store = new ScratchStore(folder);
  const release = atTheEnd(() => store.remove());
  const beat = setInterval(() => markUsed(folder), scratchTimes.beat).unref();
  try {
    mkdirSync(folder, { recursive: true });
    sweep(where, folder);
    return await work(store);
  } finally {
    clearInterval(beat);
    store.remove();
    release();
  }
}

/** Updates a folder's time of change by the clock of its file system. */
function markUsed(folder: string): void {
  const mark = path.join(folder, randomUUID());
  try {
    mkdirSync(mark);
    rmdirSync(mark);
  } catch {
    // Removed by another process: the next read or write fails.
  }
}

/** Removes scratch folders without a recent mark. @param own new folder, whose time of change is the present time. */
function sweep(where: string, own: string): void {
  const now = statSync(own).mtimeMs;
  for (const name of readdirSync(where).filter(isScratchName)) {
    const folder = path.join(where, name);
    try {
      if (now - statSync(folder).mtimeMs < scratchTimes.stale) continue;
      // A process that was suspended and continues must not find a part of it.
      const doomed = path.join(where, scratchName());
      renameSync(folder, doomed);
      rmSync(doomed, { recursive: true, force: true });
    } catch {
      // Another process has removed it, or it belongs to another user.
    }
  }
}

/**
 * Chunks in a flat folder that only this process writes to. Once it is sealed, a missing chunk is an error.
 * No folder is ever created again.
 */
export class ScratchStore implements Store {
  #isSealed = false;
  #isRemoved = false;

  constructor(private readonly folder: string) {}

  /** Declares everything written: from now on a missing chunk has been removed by another process. */
  seal(): void {
    this.#isSealed = true;
  }

  locate(key: string): string {
    return path.join(this.folder, key.replaceAll("/", "~"));
  }

  /** @throws Network ("file-failed"), also for a missing chunk once the store is sealed. */
  async get(key: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.locate(key));
    } catch (cause) {
      if (this.#isRemoved) return new Promise<never>(() => {});
      if (!this.#isSealed && codeOf(cause) === "ENOENT") return undefined;
      throw this.#failure(cause);
    }
  }

  /** @throws Network ("disk-full", "file-failed"), also if the folder was removed. */
  async set(key: string, value: Uint8Array): Promise<void> {
    try {
      await writeFile(this.locate(key), value);
    } catch (cause) {
      if (this.#isRemoved) return new Promise<never>(() => {}); // the process ends
      throw this.#failure(cause);
    }
  }

  remove(): void {
    this.#isRemoved = true;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #failure(cause: unknown): Error {
    const code = codeOf(cause);
    if (code === "ENOENT")
      return networkError(
        `intermediate chunks are missing: another process removed ${this.folder}, or files in it, while it was in use; --temp DIR names another place for it`,
        { code: "file-failed", cause },
      );
    const isFull = code === "ENOSPC" || code === "EDQUOT";
    return networkError(`intermediate chunks in ${this.folder} could not be read or written: ${code}`, {
      code: isFull ? "disk-full" : "file-failed",
      cause,
    });
  }
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? String(cause);
