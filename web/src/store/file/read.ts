/** Files, read and written as stores need it (Node, Deno, Bun). */
import { isZarrError, limitExceeded, networkError, type ZarrError } from "../../util/errors.js";
import { nodeModule } from "../../util/platform.js";
import { isSegment } from "../path.js";
import { resolveRange } from "../read.js";
import { checkVersion, type ObjectVersion, type RangeQuery } from "../store.js";
import { isHidden } from "../temp-names.js";

type Fs = typeof import("node:fs/promises");
type FileHandle = import("node:fs/promises").FileHandle;

const fileSystem = () => nodeModule<Fs>("node:fs/promises");

/** Codes that mean "no such file"; a folder (EISDIR) is not a file either. */
const missingCodes = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/** True for a failure that means that there is no such file. */
export function isMissing(cause: unknown): boolean {
  return missingCodes.has((cause as { code?: string }).code ?? "");
}

/** The error of a file that could not be read or written. Errors of this library pass unchanged. */
export function fileError(url: URL, what: string, cause: unknown): ZarrError {
  if (isZarrError(cause)) return cause;
  const reason = (cause as { code?: string }).code ?? String(cause);
  return networkError(`${url} could not be ${what}: ${reason}`, { code: "file-failed", cause });
}

interface FileReading {
  range?: RangeQuery | undefined;
  /** More bytes than this are LimitExceeded. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
  version?: ObjectVersion | undefined;
}

/**
 * Reads a file or a part of it, touching nothing else of it.
 * @returns undefined where there is no such file; fewer bytes than the range asks only at the file's end.
 * @throws LimitExceeded; Network ("file-failed") for what cannot be read and for what is no regular file,
 *   ("changed") for another version than seen before; the signal's reason.
 */
export async function readFilePart(url: URL, reading: FileReading): Promise<Uint8Array | undefined> {
  const { signal, version } = reading;
  signal?.throwIfAborted();
  try {
    return await withFile(url, (handle) => readFromFile(url, handle, reading));
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (!isMissing(cause)) throw fileError(url, "read", cause);
    checkVersion(version, undefined, url);
    return undefined;
  }
}

/** When a file was changed last, in seconds since 1970; undefined where there is none. */
export async function modifiedTime(url: URL): Promise<number | undefined> {
  const fs = await fileSystem();
  try {
    return Math.floor((await fs.stat(url)).mtimeMs / 1000);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw fileError(url, "read", cause);
  }
}

async function withFile<T>(url: URL, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const fs = await fileSystem();
  // Without O_NONBLOCK, opening a named pipe waits for somebody to write to it.
  const { O_RDONLY, O_NONBLOCK = 0 } = fs.constants;
  const handle = await fs.open(url, O_RDONLY | O_NONBLOCK);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function readFromFile(
  url: URL,
  handle: FileHandle,
  reading: FileReading,
): Promise<Uint8Array | undefined> {
  const { range, maxBytes, signal, version } = reading;
  const info = await handle.stat();
  if (info.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  if (!info.isFile()) throw networkError(`${url} is not a regular file`, { code: "file-failed" });
  checkVersion(version, fileVersion(info), url);
  const { start, end } = range ? resolveRange(range, info.size) : { start: 0, end: info.size };
  if (end - start > maxBytes) {
    throw limitExceeded(`${url} has ${end - start} bytes to read, more than the limit of ${maxBytes}`);
  }
  return readFully(handle, start, end - start, signal);
}

/** By what a file is told from another one under its name. */
export function fileVersion({ ino, size, mtimeMs }: { ino: number; size: number; mtimeMs: number }) {
  return { etag: `${ino}-${size}-${mtimeMs}`, size } satisfies ObjectVersion;
}

/** Reads until all bytes are there or the file ends. */
async function readFully(handle: FileHandle, start: number, length: number, signal?: AbortSignal) {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    signal?.throwIfAborted();
    // At most 2^30 at a time: a single read of 2^31 bytes or more fails.
    const most = Math.min(length - filled, 2 ** 30);
    const { bytesRead } = await handle.read(bytes, filled, most, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled < length ? bytes.slice(0, filled) : bytes;
}

export interface FolderEntry {
  name: string;
  isFolder: boolean;
  isLink: boolean;
}

/**
 * Files and folders in a folder that a key can name, sorted by name, links as what they lead to. Nothing for
 * a missing folder.
 */
export async function readFolder(url: URL): Promise<FolderEntry[]> {
  const fs = await fileSystem();
  try {
    const entries = await fs.readdir(url, { withFileTypes: true });
    const seen = entries.filter(({ name }) => isSegment(name) && !isHidden(name));
    const kinds = await Promise.all(seen.map((entry) => kindOf(fs, url, entry)));
    return kinds.filter((entry) => entry !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw fileError(url, "listed", cause);
  }
}

/**
 * Names of files and folders below a folder, in no particular order. Unlike {@link readFolder} it does not hold the names of
 * a folder in memory, of which there may be millions. Nothing for a missing folder.
 * @param depth of folders that are entered, links to folders included.
 * @param isEntered tells names of folders that are entered.
 */
export async function* namesIn(
  folder: URL,
  depth: number,
  isEntered: (name: string) => boolean,
  prefix = "",
): AsyncGenerator<string> {
  const fs = await fileSystem();
  try {
    for await (const entry of await fs.opendir(folder)) {
      const { name } = entry;
      yield prefix + name;
      if (depth <= 1 || !isEntered(name) || !(await kindOf(fs, folder, entry))?.isFolder) continue;
      const next = new URL(`${encodeURIComponent(name)}/`, folder);
      yield* namesIn(next, depth - 1, isEntered, `${prefix}${name}/`);
    }
  } catch (cause) {
    if (isZarrError(cause)) throw cause;
    if (!isMissing(cause)) throw fileError(folder, "listed", cause);
  }
}

/** Undefined for what is neither a file nor a folder, and for links that lead nowhere. */
async function kindOf(
  fs: Fs,
  folder: URL,
  entry: import("node:fs").Dirent,
): Promise<FolderEntry | undefined> {
  const { name } = entry;
  const isLink = entry.isSymbolicLink();
  const target = isLink
    ? await fs.stat(new URL(encodeURIComponent(name), folder)).catch(() => undefined)
    : entry;
  return target && (target.isFile() || target.isDirectory())
    ? { name, isFolder: target.isDirectory(), isLink }
    : undefined;
}

/** The path that a folder really has. */
export async function realFolder(url: URL): Promise<string> {
  const fs = await fileSystem();
  return fs.realpath(url).catch((cause) => {
    throw fileError(url, "listed", cause);
  });
}

/** Whether what has this URL (without a "/" at its end) is a link. */
export async function isLink(url: URL): Promise<boolean> {
  const fs = await fileSystem();
  const info = await fs.lstat(url).catch((cause) => {
    throw fileError(url, "listed", cause);
  });
  return info.isSymbolicLink();
}
