/** Locks on files that are replaced: kept by those who take them, as file systems know no conditional rename. */

import { conflict } from "../base/errors.js";
import { textEncoder } from "../base/platform.js";
import { hiddenName } from "./hidden.js";

type Fs = typeof import("node:fs/promises");

/** A lock is held for a moment: one as old as this belongs to a process that has ended. */
const staleAfter = 10_000;
/** The longest wait for others. */
const patience = 30_000;

const codeOf = (cause: unknown): string | undefined => (cause as { code?: string }).code;

/**
 * Does something while nobody else does who takes the same lock: a file beside the one that is meant, which no
 * listing shows.
 * @throws Conflict ("locked") if others hold it for too long; the signal's reason.
 */
export async function withFileLock<T>(
  fs: Fs,
  url: URL,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const lock = new URL(await lockName(url), url);
  const end = Date.now() + patience;
  for (let pause = 1; ; pause = Math.min(20, 2 * pause)) {
    signal?.throwIfAborted();
    if (await take(fs, lock)) break;
    if (Date.now() > end) throw conflict(`${url} is locked by somebody else: ${lock}`, { code: "locked" });
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
  try {
    return await work();
  } finally {
    await fs.rm(lock, { force: true }).catch(() => {});
  }
}

/** Of a length of its own, whatever the name of the file. */
async function lockName(url: URL): Promise<string> {
  const text = textEncoder().encode(url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return `.zw-lock${Array.from(hash.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("")}.tmp`;
}

async function take(fs: Fs, lock: URL): Promise<boolean> {
  try {
    await (await fs.open(lock, "wx")).close();
    return true;
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause;
  }
  const held = await fs.stat(lock).catch(() => undefined);
  if (held && Date.now() - held.mtimeMs > staleAfter) await breakLock(fs, lock, held.ino);
  return false;
}

/** Takes a lock away from a process that has ended, unless another has done so and holds it by now. */
async function breakLock(fs: Fs, lock: URL, ino: number): Promise<void> {
  const aside = new URL(hiddenName(), lock);
  try {
    await fs.rename(lock, aside);
    if ((await fs.stat(aside)).ino !== ino) await fs.link(aside, lock);
  } catch {
    // Somebody was faster.
  } finally {
    await fs.rm(aside, { force: true }).catch(() => {});
  }
}
